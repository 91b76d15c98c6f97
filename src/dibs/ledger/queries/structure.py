"""The versions of the structure: what providers are, in contrast to what of them is used.

Every change of providers, inventories, traits or aggregates is noted here. The transaction adds to the version of the
buckets that it changed, in their order and as its last statements: other changes of these buckets wait for its commit.
docs/adr/0016-an-index-of-the-structure.md says what readers conclude from the versions.
"""

import random
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, TypeVar
from zlib import crc32

from sqlalchemy import BigInteger, Select, Update, bindparam, cast, func, select, update

from dibs.database import sets
from dibs.database.transaction import Again, Notes, Transaction
from dibs.ledger.tables import providers, structure_versions

Rows = TypeVar("Rows")

BUCKETS = 64
LOADS_MAX = 5
"""How often a writing transaction reads rows, when other transactions change them meanwhile."""
STEP_MAX = 1 << 20
"""The largest step of a version: 2^43 changes fit into its column."""

_EVERYWHERE = "everywhere"
_ROOT = providers.alias("root")
_VERSIONS = select(structure_versions.c.bucket, structure_versions.c.version)
SUM_OF_VERSIONS = cast(func.sum(structure_versions.c.version), BigInteger)
_SUM = select(SUM_OF_VERSIONS)
_RAISE_ALL = update(structure_versions).values(version=structure_versions.c.version + bindparam("step"))


def bucket_of(uuid: str) -> int:
    """Return the bucket of the tree of a new root."""
    return crc32(uuid.encode()) % BUCKETS


def changed(tx: Transaction, provider_ids: Iterable[int]) -> None:
    """Note that the trees of these providers change."""
    notes = tx.at_end(_write)
    for provider_id in provider_ids:
        notes.setdefault(provider_id)


def created(tx: Transaction, provider_id: int, bucket: int) -> None:
    """Note a new root."""
    tx.at_end(_write)[provider_id] = bucket


def leaving(tx: Transaction, provider_id: int) -> None:
    """Note that a provider is about to be deleted or to leave its tree."""
    notes = tx.at_end(_write)
    notes.pop(provider_id, None)
    notes |= {f"left {bucket}": bucket for bucket in _buckets(tx, [provider_id]).values()}


def changed_everywhere(tx: Transaction) -> None:
    """Note a change of all trees."""
    tx.at_end(_write)[_EVERYWHERE] = None


def sum_of_versions(tx: Transaction) -> int:
    """Return a number that grows with every change of the structure."""
    return int(tx.values(_SUM)[0])


def versions(tx: Transaction) -> dict[int, int]:
    """Return the version of each bucket."""
    return dict(tx.tuples(_VERSIONS))


def is_changing(tx: Transaction) -> bool:
    """Return True when this transaction has changes that have no version yet."""
    return bool(tx.at_end(_write))


def read_changed(
    tx: Transaction, known: Mapping[int, int], read: Callable[[Transaction, Collection[int]], Rows]
) -> tuple[Rows, dict[int, int]]:
    """Return the rows of the buckets that do not have the known versions, and the versions that they have."""
    before = versions(tx)
    for _ in range(LOADS_MAX):
        changed = {bucket: version for bucket, version in before.items() if known.get(bucket) != version}
        rows = read(tx, changed.keys())
        after = versions(tx)
        if after == before:
            return rows, changed
        # Each statement of a writing transaction sees what is committed by then, so that the rows may not fit together.
        before = after
    raise Again


def _write(tx: Transaction, notes: Notes) -> None:
    step = random.randint(1, STEP_MAX)  # noqa: S311 - not a secret
    if _EVERYWHERE in notes:
        tx.values(_lock(BUCKETS), sets.numbered("bucket", range(BUCKETS)))
        tx.change(_RAISE_ALL, {"step": step})
        return
    unknown = sorted(provider_id for provider_id, bucket in notes.items() if bucket is None)
    found = {**notes, **_buckets(tx, unknown)}
    buckets = sorted({bucket for bucket in found.values() if bucket is not None})
    if not buckets:
        return
    values = sets.numbered("bucket", buckets)
    if len(buckets) > 1:
        # An UPDATE need not lock its rows in order.
        tx.values(_lock(len(buckets)), values)
    if tx.change(_raise(len(buckets)), {"step": step, **values}) != len(buckets):
        raise RuntimeError("The table structure_versions must have a row for each bucket. Restore it from a backup.")


def _buckets(tx: Transaction, provider_ids: list[int]) -> Mapping[int, int]:
    """Return the bucket of the tree of each provider."""
    return {
        provider_id: bucket
        for piece in sets.pieces(provider_ids)
        for provider_id, bucket in tx.tuples(_buckets_of(len(piece)), sets.numbered("id", piece))
    }


@sets.cached
def _buckets_of(count: int) -> Select[Any]:
    return (
        select(providers.c.id, _ROOT.c.bucket)
        .join(_ROOT, _ROOT.c.id == providers.c.root_id)
        .where(providers.c.id.in_(sets.binds("id", count)))
    )


@sets.cached
def _lock(count: int) -> Select[Any]:
    return (
        select(structure_versions.c.bucket)
        .where(structure_versions.c.bucket.in_(sets.binds("bucket", count)))
        .order_by(structure_versions.c.bucket)
        .with_for_update()
    )


@sets.cached
def _raise(count: int) -> Update:
    return (
        update(structure_versions)
        .where(structure_versions.c.bucket.in_(sets.binds("bucket", count)))
        .values(version=structure_versions.c.version + bindparam("step"))
    )
