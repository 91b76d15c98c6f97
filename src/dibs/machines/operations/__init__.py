"""One function per intent: ``verb_noun(tx, access, now, command) -> result``. Start with ``provisioning``."""
