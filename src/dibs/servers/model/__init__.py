"""Values and rules of servers and hypervisors: pure, without I/O or clock. Start with ``servers``."""
