"""Record which code can use the schema: it may be newer than the code of a process that runs during an upgrade."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    compatibility = op.create_table(
        "schema_compatibility",
        sa.Column("oldest_revision", sa.String(length=32), nullable=False),
        sa.PrimaryKeyConstraint("oldest_revision", name=op.f("pk_schema_compatibility")),
        mariadb_engine="InnoDB",
        mariadb_charset="utf8mb4",
        mariadb_collate="utf8mb4_nopad_bin",
    )
    # Code before this migration refuses every newer schema.
    op.bulk_insert(compatibility, [{"oldest_revision": revision}])
