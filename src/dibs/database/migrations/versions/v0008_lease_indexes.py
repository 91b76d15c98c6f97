"""Indexes for the searches that conductors repeat: affected reservations, and leases to remove."""

from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.create_index("ix_leases_status_updated_at", "leases", ["status", "updated_at"])
    op.create_index("ix_lease_reservations_status", "lease_reservations", ["status"])
