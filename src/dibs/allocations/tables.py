"""The table of allocations. ``dibs.database.schema`` explains the conventions and how to change a table."""

from sqlalchemy import Column, ForeignKey, Index, Integer, String, UniqueConstraint

from dibs.database.schema import ROW_ID, json, long_text, row_id, table, text, time, truth, uuid

allocations = table(
    "allocations",
    row_id(),
    uuid(),
    text("name"),
    Column("state", String(15), nullable=False),
    Column("resource_class", String(80), nullable=True),
    # Lists of names and uuids, never searched.
    json("traits", "[]"),
    json("candidate_nodes", "[]"),
    json("extra"),
    text("owner"),
    # The user who created it, for the calendar of that user.
    text("user_id"),
    long_text("last_error"),
    # The node that it has; deleting the node deletes the allocation.
    Column("node_id", ROW_ID, ForeignKey("nodes.id", ondelete="CASCADE"), nullable=True),
    # The conductor that finds the node; another one takes over by compare-and-set.
    Column("conductor_id", ROW_ID, ForeignKey("conductors.id"), nullable=True),
    # The deadline of an allocation that waits; NULL fails when no node is free.
    time("wait_until"),
    truth("sticky"),
    # The client sends heartbeats at least this often; without them the allocation ends at alive_until.
    Column("keep_alive_seconds", Integer, nullable=True),
    time("alive_until"),
    # How long it keeps its node from the grant on; ends_at is known then, or before when the client named it.
    Column("lifetime_seconds", Integer, nullable=True),
    time("ends_at"),
    # When a conductor gives notice of the end or ends it; NULL when it has nothing to do.
    time("end_due_at"),
    time("noticed_at"),
    # In the queue: when it starts at the latest, the uuids of the nodes that it counts on, what the start depends on
    # while it is not known, and what last moved it to a later moment.
    time("promised_at"),
    json("promise_nodes", "[]"),
    long_text("depends_on"),
    long_text("moved_by"),
    # Allocations of one batch get their nodes together or not at all.
    uuid("batch", nullable=True),
    time("created_at", nullable=False),
    time("updated_at"),
    UniqueConstraint("uuid"),
    UniqueConstraint("name"),
    UniqueConstraint("node_id"),
    Index(None, "state", "conductor_id"),
    Index(None, "state", "resource_class"),
    Index(None, "resource_class"),
    Index(None, "owner"),
    Index(None, "batch"),
    Index(None, "alive_until"),
    Index(None, "end_due_at"),
)
