"""Mark reservations that keep hosts free for maintenance."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"


def upgrade() -> None:
    op.add_column("lease_reservations", sa.Column("maintenance", sa.SmallInteger(), server_default="0", nullable=False))
