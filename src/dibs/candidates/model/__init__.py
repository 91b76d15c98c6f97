"""The search for candidates, pure and without a clock. Start with ``candidates``; ``slots`` divides a query."""
