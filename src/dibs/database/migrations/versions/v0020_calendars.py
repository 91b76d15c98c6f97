"""Add calendars, the user of an allocation, and indexes that find the leases of a project that end first."""

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import mysql

revision = "0020"
down_revision = "0019"

ROW_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
LONG_TEXT = sa.Text().with_variant(mysql.LONGTEXT(), "mysql", "mariadb")
MARIADB_OPTIONS: dict[str, Any] = {
    "mariadb_engine": "InnoDB",
    "mariadb_charset": "utf8mb4",
    "mariadb_collate": "utf8mb4_nopad_bin",
}


def upgrade() -> None:
    op.create_table(
        "calendars",
        sa.Column("id", ROW_ID, autoincrement=True, nullable=False),
        sa.Column("uuid", sa.String(length=36), nullable=False),
        sa.Column("token_digest", sa.String(length=64), nullable=False),
        sa.Column("project_id", sa.String(length=255), nullable=True),
        sa.Column("user_id", sa.String(length=255), nullable=True),
        sa.Column("node", sa.String(length=36), nullable=True),
        sa.Column("created_by", sa.String(length=255), nullable=True),
        sa.Column("creator", LONG_TEXT, server_default="{}", nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_calendars")),
        sa.UniqueConstraint("token_digest", name=op.f("uq_calendars_token_digest")),
        sa.UniqueConstraint("uuid", name=op.f("uq_calendars_uuid")),
        **MARIADB_OPTIONS,
    )
    op.create_index(op.f("ix_calendars_project_id"), "calendars", ["project_id"])
    op.add_column("allocations", sa.Column("user_id", sa.String(length=255), nullable=True))
    op.create_index(op.f("ix_leases_project_id_end_at"), "leases", ["project_id", "end_at"])
    op.create_index(op.f("ix_leases_end_at"), "leases", ["end_at"])
