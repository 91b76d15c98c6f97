"""The table of events. ``dibs.database.schema`` explains the conventions and how to change a table."""

from sqlalchemy import BigInteger, Column, Index, String

from dibs.database.schema import long_text, row_id, table, text, time, uuid

events = table(
    "events",
    # In the order of commit for the events of one object, because its row is locked; in no order otherwise.
    row_id(),
    # The order in which streams and webhooks get events; a conductor sets it after the commit.
    Column("position", BigInteger, nullable=True),
    time("happened_at", nullable=False),
    Column("type", String(64), nullable=False),
    Column("object_id", String(255), nullable=False),
    uuid("node", nullable=True),
    text("project_id"),
    text("actor_user"),
    text("actor_project"),
    text("request_id", 64),
    # The name of the operation that made the change.
    Column("operation", String(64), nullable=False),
    long_text("before_state"),
    long_text("after_state"),
    # Every claim writes to each index, so there is none for the time and the type: ids follow the time closely.
    Index(None, "position", "id"),
    Index(None, "node", "id"),
    Index(None, "project_id", "id"),
)

event_positions = table(
    "event_positions",
    # One row with the position of the last published event. The transaction that publishes updates it first.
    row_id(),
    Column("position", BigInteger, nullable=False),
)
