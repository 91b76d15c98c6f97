"""Values and rules of nodes, tasks and holds: pure, without I/O or clock. Start with ``states``."""
