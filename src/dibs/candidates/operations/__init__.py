"""Find candidates: the one intent of this package, a read."""
