"""Calls about projects: quotas and shares."""
