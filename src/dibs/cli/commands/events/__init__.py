"""Commands about what is made from events. Start with ``webhook``."""
