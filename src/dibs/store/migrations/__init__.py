"""Alembic migrations, one schema for every engine. ``dibs.store.migrate`` runs them."""
