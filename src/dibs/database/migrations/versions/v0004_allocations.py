"""Rename node_requests to allocations, with its constraints and indexes, and beat_at to heartbeat_at.

SQLite cannot rename a constraint, so the rows move to a new table on every engine. They keep their ids: the id is the
position in the queue.
"""

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import mysql

revision = "0004"
down_revision = "0003"

ROW_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
LONG_TEXT = sa.Text().with_variant(mysql.LONGTEXT(), "mysql", "mariadb")
MARIADB_OPTIONS: dict[str, Any] = {
    "mariadb_engine": "InnoDB",
    "mariadb_charset": "utf8mb4",
    "mariadb_collate": "utf8mb4_nopad_bin",
}


def upgrade() -> None:
    allocations = op.create_table(
        "allocations",
        sa.Column("id", ROW_ID, autoincrement=True, nullable=False),
        sa.Column("uuid", sa.String(length=36), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=True),
        sa.Column("state", sa.String(length=15), nullable=False),
        sa.Column("resource_class", sa.String(length=80), nullable=True),
        sa.Column("traits", LONG_TEXT, server_default="[]", nullable=False),
        sa.Column("candidate_nodes", LONG_TEXT, server_default="[]", nullable=False),
        sa.Column("extra", LONG_TEXT, server_default="{}", nullable=False),
        sa.Column("owner", sa.String(length=255), nullable=True),
        sa.Column("last_error", LONG_TEXT, nullable=True),
        sa.Column("node_id", ROW_ID, nullable=True),
        sa.Column("conductor_id", ROW_ID, nullable=True),
        sa.Column("wait_until", sa.BigInteger(), nullable=True),
        sa.Column("sticky", sa.SmallInteger(), server_default="0", nullable=False),
        sa.Column("batch", sa.String(length=36), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["conductor_id"], ["conductors.id"], name=op.f("fk_allocations_conductor_id")),
        sa.ForeignKeyConstraint(["node_id"], ["nodes.id"], name=op.f("fk_allocations_node_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_allocations")),
        sa.UniqueConstraint("name", name=op.f("uq_allocations_name")),
        sa.UniqueConstraint("node_id", name=op.f("uq_allocations_node_id")),
        sa.UniqueConstraint("uuid", name=op.f("uq_allocations_uuid")),
        **MARIADB_OPTIONS,
    )
    names = [column.name for column in allocations.columns]
    former = sa.table("node_requests", *(sa.column(name) for name in names))
    op.execute(allocations.insert().from_select(names, sa.select(former)))
    op.drop_table("node_requests")
    op.create_index(op.f("ix_allocations_batch"), "allocations", ["batch"], unique=False)
    op.create_index(op.f("ix_allocations_owner"), "allocations", ["owner"], unique=False)
    op.create_index(op.f("ix_allocations_resource_class"), "allocations", ["resource_class"], unique=False)
    op.create_index(op.f("ix_allocations_state_conductor_id"), "allocations", ["state", "conductor_id"], unique=False)
    op.create_index(
        op.f("ix_allocations_state_resource_class"), "allocations", ["state", "resource_class"], unique=False
    )
    op.execute("ALTER TABLE conductors RENAME COLUMN beat_at TO heartbeat_at")
    if op.get_context().dialect.name == "postgresql":
        # Rows that come with their ids do not move the sequence of the column.
        op.execute(
            "SELECT setval(pg_get_serial_sequence('allocations', 'id'), max(id)) FROM allocations HAVING max(id) > 0"
        )
