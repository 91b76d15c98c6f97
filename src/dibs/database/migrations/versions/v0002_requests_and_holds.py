"""Requests for a node, and holds on one; where a conductor takes calls."""

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import mysql

revision = "0002"
down_revision = "0001"

ROW_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
LONG_TEXT = sa.Text().with_variant(mysql.LONGTEXT(), "mysql", "mariadb")
MARIADB_OPTIONS: dict[str, Any] = {
    "mariadb_engine": "InnoDB",
    "mariadb_charset": "utf8mb4",
    "mariadb_collate": "utf8mb4_nopad_bin",
}


def upgrade() -> None:
    op.add_column("conductors", sa.Column("rpc_url", sa.String(length=255), nullable=True))
    op.create_table(
        "holds",
        sa.Column("id", ROW_ID, autoincrement=True, nullable=False),
        sa.Column("uuid", sa.String(length=36), nullable=False),
        sa.Column("node_id", ROW_ID, nullable=False),
        sa.Column("instance_uuid", sa.String(length=36), nullable=False),
        sa.Column("project_id", sa.String(length=255), nullable=True),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["node_id"], ["nodes.id"], name=op.f("fk_holds_node_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_holds")),
        sa.UniqueConstraint("instance_uuid", name=op.f("uq_holds_instance_uuid")),
        sa.UniqueConstraint("node_id", name=op.f("uq_holds_node_id")),
        sa.UniqueConstraint("uuid", name=op.f("uq_holds_uuid")),
        **MARIADB_OPTIONS,
    )
    op.create_index(op.f("ix_holds_expires_at"), "holds", ["expires_at"], unique=False)
    op.create_table(
        "node_requests",
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
        sa.ForeignKeyConstraint(["conductor_id"], ["conductors.id"], name=op.f("fk_node_requests_conductor_id")),
        sa.ForeignKeyConstraint(["node_id"], ["nodes.id"], name=op.f("fk_node_requests_node_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_node_requests")),
        sa.UniqueConstraint("name", name=op.f("uq_node_requests_name")),
        sa.UniqueConstraint("node_id", name=op.f("uq_node_requests_node_id")),
        sa.UniqueConstraint("uuid", name=op.f("uq_node_requests_uuid")),
        **MARIADB_OPTIONS,
    )
    op.create_index(op.f("ix_node_requests_batch"), "node_requests", ["batch"], unique=False)
    op.create_index(op.f("ix_node_requests_owner"), "node_requests", ["owner"], unique=False)
    op.create_index(op.f("ix_node_requests_resource_class"), "node_requests", ["resource_class"], unique=False)
    op.create_index(
        op.f("ix_node_requests_state_conductor_id"), "node_requests", ["state", "conductor_id"], unique=False
    )
    op.create_index(
        op.f("ix_node_requests_state_resource_class"), "node_requests", ["state", "resource_class"], unique=False
    )
