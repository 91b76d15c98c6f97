"""Add the start of a lease that was announced."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    op.add_column("leases", sa.Column("noticed_start_at", sa.BigInteger(), nullable=True))
