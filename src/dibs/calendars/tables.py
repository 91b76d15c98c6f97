"""The table of calendars. ``dibs.database.schema`` explains the conventions and how to change a table."""

from sqlalchemy import Column, Index, String, UniqueConstraint

from dibs.database.schema import json, row_id, table, text, time, uuid

calendars = table(
    "calendars",
    row_id(),
    uuid(),
    # The SHA-256 of the token: whoever reads the database cannot read the feed.
    Column("token_digest", String(64), nullable=False),
    # What it shows: the entries of one project, or of every project, of these only those of a user or of a node.
    text("project_id"),
    text("user_id"),
    uuid("node", nullable=True),
    # The user who created it, to count, and all of that caller, whose rights decide what the feed shows.
    text("created_by"),
    json("creator"),
    time("created_at", nullable=False),
    UniqueConstraint("uuid"),
    UniqueConstraint("token_digest"),
    Index(None, "project_id"),
)
