"""Add events, and the position of the last one that was published."""

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import mysql

revision = "0013"
down_revision = "0012"

ROW_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
LONG_TEXT = sa.Text().with_variant(mysql.LONGTEXT(), "mysql", "mariadb")
MARIADB_OPTIONS: dict[str, Any] = {
    "mariadb_engine": "InnoDB",
    "mariadb_charset": "utf8mb4",
    "mariadb_collate": "utf8mb4_nopad_bin",
}


def upgrade() -> None:
    op.create_table(
        "events",
        sa.Column("id", ROW_ID, autoincrement=True, nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=True),
        sa.Column("happened_at", sa.BigInteger(), nullable=False),
        sa.Column("type", sa.String(length=64), nullable=False),
        sa.Column("object_id", sa.String(length=255), nullable=False),
        sa.Column("node", sa.String(length=36), nullable=True),
        sa.Column("project_id", sa.String(length=255), nullable=True),
        sa.Column("actor_user", sa.String(length=255), nullable=True),
        sa.Column("actor_project", sa.String(length=255), nullable=True),
        sa.Column("request_id", sa.String(length=64), nullable=True),
        sa.Column("operation", sa.String(length=64), nullable=False),
        sa.Column("before_state", LONG_TEXT, nullable=True),
        sa.Column("after_state", LONG_TEXT, nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_events")),
        **MARIADB_OPTIONS,
    )
    for columns in (["position", "id"], ["node", "id"], ["project_id", "id"]):
        op.create_index(op.f(f"ix_events_{'_'.join(columns)}"), "events", columns)
    op.create_table(
        "event_positions",
        sa.Column("id", ROW_ID, autoincrement=True, nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_event_positions")),
        **MARIADB_OPTIONS,
    )
