"""Match reservations with hosts: what a reservation needs, which hosts are free for it, and why a host is not.

Start with ``selection``, which chooses hosts for the needs of one lease on a ``calendar``.
"""
