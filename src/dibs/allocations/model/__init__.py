"""Values and rules: pure, without I/O or clock."""
