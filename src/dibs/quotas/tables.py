"""The tables of quotas and shares. ``dibs.database.schema`` explains the conventions and how to change a table."""

from sqlalchemy import BigInteger, Column, Double, Index, Integer, String

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

shares = table(
    "shares",
    # One row for each project with a weight, or with nodes lately: it is also the lock of all transactions that give
    # nodes to the project from the queue.
    Column("project_id", String(255), primary_key=True, nullable=False),
    Column("generation", BigInteger, nullable=False),
    # NULL: the default.
    Column("weight", Integer, nullable=True),
    # The decayed average number of nodes at counted_at, and the number of nodes since then.
    Column("average", Double, nullable=False, server_default="0"),
    Column("nodes", Integer, nullable=False, server_default="0"),
    time("counted_at", nullable=False),
    Index(None, "counted_at"),
)
