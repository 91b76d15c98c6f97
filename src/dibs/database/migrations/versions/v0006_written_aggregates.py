"""Keep the form in which a client wrote an aggregate; NULL for those that were written before."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.add_column("provider_aggregates", sa.Column("written", sa.String(length=36), nullable=True))
