"""What a migration may do while the previous release runs on its schema, judged by its SQL on each engine."""

import io
import re
from collections.abc import Callable, Iterator, Sequence

from alembic.migration import MigrationContext
from alembic.operations import Operations

DIALECTS = ("sqlite", "postgresql", "mariadb")

CONTRACT = re.compile(r"UPDATE schema_compatibility SET oldest_revision='(?P<revision>\d{4})'")
"""What ``refuse_code_before`` runs."""

_TABLE = re.compile(r"(?:TABLE|UPDATE|FROM|ON)\s+(?:IF (?:NOT )?EXISTS\s+)?[\"`]?(?P<name>\w+)", re.IGNORECASE)
_CREATED = re.compile(r"CREATE TABLE\s+[\"`]?(?P<name>\w+)", re.IGNORECASE)
_REFUSED = {
    "removes or renames what older code uses": re.compile(r"\b(DROP|RENAME|TRUNCATE|DELETE FROM)\b", re.IGNORECASE),
    "changes a column that older code uses": re.compile(r"\b(ALTER COLUMN|MODIFY|CHANGE)\b", re.IGNORECASE),
    "adds a column that the INSERTs of older code do not fill (NOT NULL without a default)": re.compile(
        r"\bADD COLUMN\b(?!.*\bDEFAULT\b).*\bNOT NULL\b", re.IGNORECASE | re.DOTALL
    ),
    "refuses rows that older code may write": re.compile(r"\b(ADD CONSTRAINT|CREATE UNIQUE INDEX)\b", re.IGNORECASE),
}


def statements_of(upgrade: Callable[[], None], dialect: str) -> list[str]:
    """Return the SQL of a migration on an engine, without running it."""
    output = io.StringIO()
    options = {"as_sql": True, "literal_binds": True, "output_buffer": output}
    context = MigrationContext.configure(dialect_name=dialect, opts=options)
    with Operations.context(context):
        upgrade()
    return [statement.strip() for statement in output.getvalue().split(";\n") if statement.strip()]


def complaints(statements: Sequence[str], released: str | None) -> Iterator[str]:
    """Complain about what the previous release does not survive; ``released`` is the revision of the last release.

    A migration that begins with ``refuse_code_before`` may remove what that revision, which is released, does not use.
    """
    if contract := CONTRACT.match(statements[0]) if statements else None:
        if released is None or contract["revision"] > released:
            yield f"no release has revision {contract['revision']} yet: remove it in the release after"
        return
    created = {found["name"] for statement in statements if (found := _CREATED.match(statement))}
    for statement in statements:
        table = _TABLE.search(statement)
        if table is not None and table["name"] in created:
            continue
        for reason, pattern in _REFUSED.items():
            if pattern.search(statement):
                yield f"{statement}: {reason}"
