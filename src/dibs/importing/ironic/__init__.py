"""Import from Ironic: nodes with ports, traits and provision states, then allocations. Start with ``steps``."""
