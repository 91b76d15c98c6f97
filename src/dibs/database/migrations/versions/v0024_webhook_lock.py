"""Count the locks of the position of webhooks, so that each of them changes the row."""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"


def upgrade() -> None:
    op.add_column("webhook_position", sa.Column("generation", sa.BigInteger(), server_default="0", nullable=False))
