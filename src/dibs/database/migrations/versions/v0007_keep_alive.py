"""Allocations that live as long as their client sends heartbeats."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    op.add_column("allocations", sa.Column("keep_alive_seconds", sa.Integer(), nullable=True))
    op.add_column("allocations", sa.Column("alive_until", sa.BigInteger(), nullable=True))
    op.create_index("ix_allocations_alive_until", "allocations", ["alive_until"])
