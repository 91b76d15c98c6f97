"""Clients that send random operations of every dialect, and remember what each answer promised."""
