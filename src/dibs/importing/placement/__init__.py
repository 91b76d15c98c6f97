"""Import from Placement: resource classes, traits, providers, then claims. Start with ``steps``."""
