"""The tables of servers. ``dibs.database.schema`` explains the conventions and how to change a table."""

from sqlalchemy import Column, ForeignKey, Index, String, UniqueConstraint

from dibs.database.schema import ROW_ID, json, long_text, row_id, table, text, time, uuid

servers = table(
    "servers",
    row_id(),
    # Also the consumer of its claims, and the instance on its node.
    uuid(),
    Column("name", String(255), nullable=False),
    text("project_id"),
    text("user_id"),
    Column("status", String(20), nullable=False),
    long_text("fault"),
    # The flavor at the time of the launch.
    json("flavor"),
    Column("reservation_id", ROW_ID, ForeignKey("lease_reservations.id", ondelete="SET NULL"), nullable=True),
    # The compute provider or node that it runs on; NULL when no host was found, or its node was removed.
    Column("provider_id", ROW_ID, ForeignKey("providers.id", ondelete="SET NULL"), nullable=True),
    text("image"),
    text("availability_zone"),
    json("properties"),
    time("created_at", nullable=False),
    time("updated_at"),
    time("launched_at"),
    UniqueConstraint("uuid"),
    Index(None, "project_id", "id"),
    Index(None, "reservation_id"),
    Index(None, "provider_id"),
    Index(None, "status"),
)
