"""Alembic migrations, one schema for every engine. ``dibs.database.migrate`` runs them."""
