"""How JSON documents and query strings become values, and back."""
