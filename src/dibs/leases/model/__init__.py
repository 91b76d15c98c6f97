"""Values and rules of hosts, leases and reservations: pure, without I/O or clock. Start with ``leases``."""
