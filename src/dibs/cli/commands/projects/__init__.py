"""Commands about what projects may have."""
