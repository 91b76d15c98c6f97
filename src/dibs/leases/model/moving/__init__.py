"""Move leases that have not begun to other suitable hosts, so that something else fits.

Such a lease was promised suitable hosts, not particular ones. Start with ``search``.
"""
