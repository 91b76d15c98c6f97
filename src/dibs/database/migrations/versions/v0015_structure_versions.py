"""Add the versions of the structure, and the bucket of each provider."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"

BUCKETS = 64


def upgrade() -> None:
    versions = op.create_table(
        "structure_versions",
        sa.Column("bucket", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("bucket", name=op.f("pk_structure_versions")),
        mariadb_engine="InnoDB",
        mariadb_charset="utf8mb4",
        mariadb_collate="utf8mb4_nopad_bin",
    )
    op.execute(versions.insert().values([{"bucket": bucket, "version": 0} for bucket in range(BUCKETS)]))
    op.add_column("providers", sa.Column("bucket", sa.SmallInteger(), server_default="0", nullable=False))
    op.execute(f"UPDATE providers SET bucket = id % {BUCKETS}")  # noqa: S608 - a constant
    op.create_index(op.f("ix_providers_bucket"), "providers", ["bucket"])
