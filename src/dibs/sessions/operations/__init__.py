"""What callers may do: one function per intent."""
