"""The first step of a migration that removes or narrows something: keep older code from starting.

Migrations expand the schema, so that the previous release runs on it. What a release no longer uses is removed by a
later one; ``docs/adr`` and ``tests/architecture/test_migrations.py`` say what counts as removing.
"""

import sqlalchemy as sa
from alembic import op

_COMPATIBILITY = sa.table("schema_compatibility", sa.column("oldest_revision", sa.String()))


def refuse_code_before(revision: str) -> None:
    """Record that code without the migration ``revision`` cannot use the schema from now on.

    Call it first: MariaDB commits each statement, and code must not start on a schema of which a part is removed.
    """
    oldest = _COMPATIBILITY.c.oldest_revision
    op.execute(_COMPATIBILITY.update().where(oldest < revision).values(oldest_revision=revision))
