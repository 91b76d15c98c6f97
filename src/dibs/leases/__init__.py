"""Leases: hosts promised for a window of time, the calendar, lease events and reassignment."""
