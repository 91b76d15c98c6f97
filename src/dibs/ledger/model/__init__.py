"""Values and rules of providers and claims: pure, without I/O or clock. Start with ``claims``."""
