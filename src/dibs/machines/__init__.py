"""Machines: nodes, their ports and states, the work on them, and the conductors that do it."""
