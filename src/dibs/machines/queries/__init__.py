"""The only SQL about machines; ``nodes`` writes a node and its provider together."""
