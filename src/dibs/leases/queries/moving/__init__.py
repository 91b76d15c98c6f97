"""Read what can be moved, and planned maintenance."""
