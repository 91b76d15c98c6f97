"""What is used and reserved of inventories, read in the transaction of a search."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Any

from sqlalchemy import null, or_, select
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.base import Executable
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.elements import ClauseElement

from dibs.candidates.model.usage import Usage
from dibs.database.sets import Among, listed
from dibs.database.transaction import Transaction
from dibs.ledger.queries.structure import SUM_OF_VERSIONS
from dibs.ledger.tables import inventories, structure_versions

_EVERY = select(inventories.c.provider_id, inventories.c.class_id, inventories.c.used, inventories.c.reserved).where(
    or_(inventories.c.used != 0, inventories.c.reserved != 0)
)
_SOME = Among(_EVERY, inventories.c.provider_id, "providers")


class _WithVersions(Executable, ClauseElement):
    """The sum of all versions in a first row, and then the rows of a statement of four columns."""

    inherit_cache = False

    def __init__(self, statement: ClauseElement) -> None:
        self.versions = select(null(), null(), SUM_OF_VERSIONS, null()).select_from(structure_versions)
        self.statement = statement


@compiles(_WithVersions)
def _united(both: _WithVersions, compiler: SQLCompiler, **options: Any) -> str:
    return f"{compiler.process(both.versions, **options)} UNION ALL {compiler.process(both.statement, **options)}"


_VERSIONS_AND_EVERY, _VERSIONS_AND_SOME = _WithVersions(_EVERY), _WithVersions(_SOME)

LARGE_PART = 0.75
"""The part of all providers from which on it costs less to read the whole table than to look up each."""


def read_usage(tx: Transaction, provider_ids: Collection[int], known: int | None = None) -> Usage:
    """Return what is used and reserved of these providers, in one statement for any number of them.

    ``known`` is the number of all providers. For a large part of them the whole table is read; then the result has the
    other providers too.
    """
    if not provider_ids:
        return {}
    if _are_many(provider_ids, known):
        return _usage(tx.tuples(_EVERY))
    return _usage(tx.tuples(_SOME, {"providers": listed(provider_ids)}))


def read_usage_with_versions(tx: Transaction, provider_ids: Collection[int], known: int) -> tuple[int, Usage]:
    """Return the sum of all versions of the structure, and what is used of these providers, in one statement."""
    if _are_many(provider_ids, known):
        rows = iter(tx.tuples(_VERSIONS_AND_EVERY))
    else:
        rows = iter(tx.tuples(_VERSIONS_AND_SOME, {"providers": listed(provider_ids)}))
    _, _, versions, _ = next(rows)
    return int(versions), _usage(rows)


def _are_many(provider_ids: Collection[int], known: int | None) -> bool:
    return known is not None and len(provider_ids) >= LARGE_PART * known


def _usage(rows: Iterable[tuple[int, ...]]) -> Usage:
    found: dict[int, dict[int, tuple[int, int]]] = defaultdict(dict)
    for provider_id, class_id, used, reserved in rows:
        found[provider_id][class_id] = (used, reserved)
    return dict(found)
