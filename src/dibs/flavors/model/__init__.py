"""Values and rules of flavors: pure, without I/O or clock."""
