"""The only SQL about allocations: their rows, the queue as conductors see it, and the search for free nodes."""
