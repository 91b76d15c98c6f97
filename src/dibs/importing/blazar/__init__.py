"""Import from Blazar: hosts, then the leases that have not ended. Start with ``steps``."""
