"""The only SQL about leases; ``booking_writes`` is private to ``operations.booking``."""
