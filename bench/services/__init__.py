"""Dibs and the original services as the bench runs them: each with a private database server of the same kind."""
