"""Commands about what projects may have, and when it is their turn."""
