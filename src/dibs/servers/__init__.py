"""Servers: what runs on compute hosts and nodes, and the hypervisors that the compute API shows."""
