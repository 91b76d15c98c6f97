"""The only SQL about the ledger; only ``operations.claiming`` writes through ``claims``."""
