"""The table of quotas. ``dibs.database.schema`` explains the conventions and how to change a table."""

from sqlalchemy import BigInteger, Column, String

from dibs.database.schema import json, table, time

quotas = table(
    "quotas",
    # One row for each project: it is also the lock of all transactions that add to what the project uses.
    Column("project_id", String(255), primary_key=True, nullable=False),
    Column("generation", BigInteger, nullable=False),
    # The limits by resource class; the empty class stands for all classes together.
    json("limits"),
    time("created_at", nullable=False),
    time("updated_at"),
)
