"""Values and rules of allocations: pure, without I/O or clock. Start with ``allocations`` and ``queue``."""
