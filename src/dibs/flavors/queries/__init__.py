"""The only SQL about flavors, their extra specs and their access lists."""
