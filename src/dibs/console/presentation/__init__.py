"""Nodes, their bookings and their events as pages show them. Start with ``lines``."""
