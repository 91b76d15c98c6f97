"""One function per intent on flavors: ``verb_noun(tx, access, now, command) -> result``."""
