"""Rename errands to outbox_calls and leases.outside to external_compute, and keep the rows.

SQLite cannot rename a constraint, so the calls move to a new table on every engine. They keep their ids: the calls of a
lease are made in the order of their ids.
"""

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import mysql

revision = "0005"
down_revision = "0004"

ROW_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
LONG_TEXT = sa.Text().with_variant(mysql.LONGTEXT(), "mysql", "mariadb")
MARIADB_OPTIONS: dict[str, Any] = {
    "mariadb_engine": "InnoDB",
    "mariadb_charset": "utf8mb4",
    "mariadb_collate": "utf8mb4_nopad_bin",
}
KINDS = {
    "make_flavors": "create_flavors",
    "open_flavors": "grant_flavors",
    "clear_up": "clean_up",
    "tell_end": "notify_end",
}


def upgrade() -> None:
    calls = op.create_table(
        "outbox_calls",
        sa.Column("id", ROW_ID, autoincrement=True, nullable=False),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("lease", sa.String(length=36), nullable=True),
        sa.Column("arguments", LONG_TEXT, server_default="{}", nullable=False),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=False),
        sa.Column("last_error", LONG_TEXT, nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outbox_calls")),
        **MARIADB_OPTIONS,
    )
    names = [column.name for column in calls.columns]
    former = sa.table("errands", *(sa.column(name) for name in names))
    op.execute(calls.insert().from_select(names, sa.select(former)))
    op.drop_table("errands")
    for old, new in KINDS.items():
        op.execute(calls.update().where(calls.c.kind == old).values(kind=new))
    op.create_index(op.f("ix_outbox_calls_due_at"), "outbox_calls", ["due_at"], unique=False)
    op.create_index(op.f("ix_outbox_calls_lease"), "outbox_calls", ["lease"], unique=False)
    if op.get_context().dialect.name == "postgresql":
        # Rows that come with their ids do not move the sequence of the column.
        op.execute(
            "SELECT setval(pg_get_serial_sequence('outbox_calls', 'id'), max(id)) FROM outbox_calls HAVING max(id) > 0"
        )
    op.execute("ALTER TABLE leases RENAME COLUMN outside TO external_compute")
