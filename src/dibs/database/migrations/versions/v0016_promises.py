"""The promised starts of allocations in the queue."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import mysql

revision = "0016"
down_revision = "0015"

LONG_TEXT = sa.Text().with_variant(mysql.LONGTEXT(), "mysql", "mariadb")


def upgrade() -> None:
    op.add_column("allocations", sa.Column("promised_at", sa.BigInteger(), nullable=True))
    op.add_column("allocations", sa.Column("promise_nodes", LONG_TEXT, server_default="[]", nullable=False))
    for name in ("depends_on", "moved_by"):
        op.add_column("allocations", sa.Column(name, LONG_TEXT, nullable=True))
