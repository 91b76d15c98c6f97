"""Add the shares of projects, for the order of the queue."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"

MARIADB_OPTIONS: dict[str, Any] = {
    "mariadb_engine": "InnoDB",
    "mariadb_charset": "utf8mb4",
    "mariadb_collate": "utf8mb4_nopad_bin",
}


def upgrade() -> None:
    op.create_table(
        "shares",
        sa.Column("project_id", sa.String(length=255), nullable=False),
        sa.Column("generation", sa.BigInteger(), nullable=False),
        sa.Column("weight", sa.Integer(), nullable=True),
        sa.Column("average", sa.Double(), server_default="0", nullable=False),
        sa.Column("nodes", sa.Integer(), server_default="0", nullable=False),
        sa.Column("counted_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("project_id", name=op.f("pk_shares")),
        **MARIADB_OPTIONS,
    )
    op.create_index(op.f("ix_shares_counted_at"), "shares", ["counted_at"])
