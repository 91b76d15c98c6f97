"""Parsing and rendering: from JSON documents and query strings to values, and back."""
