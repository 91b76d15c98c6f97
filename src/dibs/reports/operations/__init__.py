"""Read figures about the site. Start with ``measuring``."""
