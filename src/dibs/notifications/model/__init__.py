"""Events in the form of the services whose APIs Dibs speaks. Start with ``notifications``."""
