"""Leases begin: one alone, or several in one transaction."""
