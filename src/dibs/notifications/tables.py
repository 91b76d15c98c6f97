"""The table of notifications. ``dibs.database.schema`` explains the conventions and how to change a table."""

from sqlalchemy import BigInteger, Column, Integer

from dibs.database.schema import long_text, row_id, table, time

notification_position = table(
    "notification_position",
    # One row. The position of the last event that was sent; NULL until the first conductor sends notifications.
    row_id(),
    Column("position", BigInteger, nullable=True),
    # A conductor that sends moves this ahead, so that no other one sends meanwhile.
    time("due_at", nullable=False),
    Column("failures", Integer, nullable=False, server_default="0"),
    long_text("last_error"),
)
