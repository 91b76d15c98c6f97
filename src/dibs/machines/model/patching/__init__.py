"""Applying JSON patches to nodes and ports: which attributes a client may set, and to which values."""
