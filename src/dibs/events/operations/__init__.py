"""Record events, give them positions, and remove old ones. Start with ``recording``."""
