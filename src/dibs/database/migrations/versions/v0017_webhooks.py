"""Add webhooks, their deliveries, and the position up to which deliveries were added."""

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import mysql

revision = "0017"
down_revision = "0016"

ROW_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
LONG_TEXT = sa.Text().with_variant(mysql.LONGTEXT(), "mysql", "mariadb")
MARIADB_OPTIONS: dict[str, Any] = {
    "mariadb_engine": "InnoDB",
    "mariadb_charset": "utf8mb4",
    "mariadb_collate": "utf8mb4_nopad_bin",
}


def upgrade() -> None:
    op.create_table(
        "webhooks",
        sa.Column("id", ROW_ID, autoincrement=True, nullable=False),
        sa.Column("uuid", sa.String(length=36), nullable=False),
        sa.Column("project_id", sa.String(length=255), nullable=True),
        sa.Column("url", sa.String(length=1000), nullable=False),
        sa.Column("types", LONG_TEXT, server_default="[]", nullable=False),
        sa.Column("secret", sa.String(length=1000), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=True),
        sa.Column("failures", sa.Integer(), server_default="0", nullable=False),
        sa.Column("failing_since", sa.BigInteger(), nullable=True),
        sa.Column("retry_at", sa.BigInteger(), nullable=True),
        sa.Column("delivered_at", sa.BigInteger(), nullable=True),
        sa.Column("last_error", LONG_TEXT, nullable=True),
        sa.Column("disabled_at", sa.BigInteger(), nullable=True),
        sa.Column("disabled_reason", LONG_TEXT, nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhooks")),
        sa.UniqueConstraint("uuid", name=op.f("uq_webhooks_uuid")),
        **MARIADB_OPTIONS,
    )
    for column in ("project_id", "due_at"):
        op.create_index(op.f(f"ix_webhooks_{column}"), "webhooks", [column])
    op.create_table(
        "webhook_deliveries",
        sa.Column("id", ROW_ID, autoincrement=True, nullable=False),
        sa.Column("webhook", sa.String(length=36), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.Column("type", sa.String(length=64), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=False),
        sa.Column("last_status", sa.Integer(), nullable=True),
        sa.Column("last_error", LONG_TEXT, nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("finished_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhook_deliveries")),
        **MARIADB_OPTIONS,
    )
    for columns in (["webhook", "state", "due_at"], ["webhook", "id"]):
        op.create_index(op.f(f"ix_webhook_deliveries_{'_'.join(columns)}"), "webhook_deliveries", columns)
    made = op.create_table(
        "webhook_position",
        sa.Column("id", ROW_ID, autoincrement=True, nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhook_position")),
        **MARIADB_OPTIONS,
    )
    op.bulk_insert(made, [{"id": 1, "position": 0}])
