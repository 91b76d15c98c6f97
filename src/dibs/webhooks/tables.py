"""The tables of webhooks. ``dibs.database.schema`` explains the conventions and how to change a table."""

from sqlalchemy import BigInteger, Column, Index, Integer, String, UniqueConstraint

from dibs.database.schema import json, long_text, row_id, table, text, time, uuid

webhooks = table(
    "webhooks",
    row_id(),
    uuid(),
    text("project_id"),
    Column("url", String(1000), nullable=False),
    json("types", "[]"),
    # The secret that signs messages; the vault of the site encrypts it.
    Column("secret", String(1000), nullable=False),
    Column("position", BigInteger, nullable=False),
    time("due_at"),
    Column("failures", Integer, nullable=False, server_default="0"),
    time("failing_since"),
    time("retry_at"),
    time("delivered_at"),
    long_text("last_error"),
    time("disabled_at"),
    long_text("disabled_reason"),
    time("created_at", nullable=False),
    UniqueConstraint("uuid"),
    Index(None, "project_id"),
    Index(None, "due_at"),
)

webhook_deliveries = table(
    "webhook_deliveries",
    row_id(),
    # No reference: a deleted webhook may have many deliveries, which the retention removes.
    uuid("webhook"),
    Column("position", BigInteger, nullable=False),
    Column("type", String(64), nullable=False),
    Column("state", String(16), nullable=False),
    Column("attempts", Integer, nullable=False, server_default="0"),
    time("due_at", nullable=False),
    Column("last_status", Integer, nullable=True),
    long_text("last_error"),
    time("created_at", nullable=False),
    time("finished_at"),
    Index(None, "webhook", "state", "due_at"),
    Index(None, "webhook", "id"),
)

webhook_position = table(
    "webhook_position",
    # One row: the position of the last event whose deliveries were added. The transaction that adds some updates it.
    row_id(),
    Column("position", BigInteger, nullable=False),
    # A lock raises it: on Galera an UPDATE that changes nothing keeps no other node from doing the same.
    Column("generation", BigInteger, nullable=False, server_default="0"),
)
