"""Add the key that signs the sessions of browsers."""

import secrets
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"

ROW_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MARIADB_OPTIONS: dict[str, Any] = {
    "mariadb_engine": "InnoDB",
    "mariadb_charset": "utf8mb4",
    "mariadb_collate": "utf8mb4_nopad_bin",
}


def upgrade() -> None:
    made = op.create_table(
        "site_keys",
        sa.Column("id", ROW_ID, autoincrement=True, nullable=False),
        sa.Column("value", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_site_keys")),
        **MARIADB_OPTIONS,
    )
    op.bulk_insert(made, [{"id": 1, "value": secrets.token_hex(32)}])
