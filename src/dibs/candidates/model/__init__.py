"""The search for candidates, pure and without a clock. Start with ``candidates``; ``index`` has what it searches."""
