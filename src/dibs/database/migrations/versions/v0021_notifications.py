"""Add the position up to which notifications were sent."""

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import mysql

revision = "0021"
down_revision = "0020"

ROW_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
LONG_TEXT = sa.Text().with_variant(mysql.LONGTEXT(), "mysql", "mariadb")
MARIADB_OPTIONS: dict[str, Any] = {
    "mariadb_engine": "InnoDB",
    "mariadb_charset": "utf8mb4",
    "mariadb_collate": "utf8mb4_nopad_bin",
}


def upgrade() -> None:
    made = op.create_table(
        "notification_position",
        sa.Column("id", ROW_ID, autoincrement=True, nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=True),
        sa.Column("due_at", sa.BigInteger(), nullable=False),
        sa.Column("failures", sa.Integer(), server_default="0", nullable=False),
        sa.Column("last_error", LONG_TEXT, nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_notification_position")),
        **MARIADB_OPTIONS,
    )
    op.bulk_insert(made, [{"id": 1, "due_at": 0}])
