"""Alembic's entry: runs the migrations on the connection that ``dibs.database.migrate`` opened."""

from alembic import context

from dibs.database.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    compare_type=False,
)
with context.begin_transaction():
    context.run_migrations()
