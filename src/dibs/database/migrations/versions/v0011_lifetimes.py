"""Allocations with an end, and nodes that know when their instance leaves."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    op.add_column("allocations", sa.Column("lifetime_seconds", sa.Integer(), nullable=True))
    for name in ("ends_at", "end_due_at", "noticed_at"):
        op.add_column("allocations", sa.Column(name, sa.BigInteger(), nullable=True))
    op.create_index("ix_allocations_end_due_at", "allocations", ["end_due_at"])
    op.add_column("nodes", sa.Column("instance_until", sa.BigInteger(), nullable=True))
