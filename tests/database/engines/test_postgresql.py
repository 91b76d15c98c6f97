"""PostgreSQL: the order of its locks, and PgBouncer in transaction mode."""

import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import text

from dibs.database import Store, migrate, open_store, revisions, sets
from dibs.database.errors import StoreUnavailable
from dibs.database.transaction import Transaction
from dibs.errors import BadValue
from dibs.ledger.queries import providers, structure
from dibs.wiring.administration import metadata
from tests.bed.pgbouncer import PgBouncer
from tests.bed.session import Bed
from tests.bed.waiting import eventually
from tests.builders import Ledger
from tests.provider_builders import make

pytestmark = pytest.mark.needs_engine("postgresql")

IGNORES_OPTIONS = "ignore_startup_parameters = options"


@pytest.fixture
def pooled(bed: Bed) -> Iterator[Callable[..., str]]:
    """Return the URL of an empty database through PgBouncer."""
    url = bed.databases("postgresql").blank()
    running: list[PgBouncer] = []

    def start(more: str = "") -> str:
        running.append(PgBouncer(int(url.rpartition(":")[2].partition("/")[0]), more))
        return running[-1].url(url)

    yield start
    for bouncer in running:
        bouncer.stop()
    bed.databases("postgresql").discard(url)


@pytest.fixture
def fresh_store(bed: Bed) -> Iterator[Store]:
    """Return the store of a database with tables and without rows."""
    url = bed.databases("postgresql").fresh()
    store = open_store(url)
    yield store
    store.close()
    bed.databases("postgresql").discard(url)


def test_store_works_behind_pgbouncer_with_more_threads_than_server_connections(pooled: Callable[..., str]) -> None:
    url = pooled() + "?pgbouncer=true"
    migrate.upgrade(url)
    assert revisions.problems(url, metadata) == []
    store = open_store(url)
    ledger = Ledger(store)
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda number: ledger.enrol(name=f"node-{number}"), range(40)))
    assert {ledger.node(node).name for node in made} == {f"node-{number}" for number in range(40)}
    store.close()


def test_limits_hold_in_each_transaction_behind_pgbouncer(pooled: Callable[..., str]) -> None:
    store = open_store(pooled() + "?pgbouncer=true")

    def limits(tx: Transaction) -> list[str]:
        names = ("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout", "jit")
        return [tx.values(text(f"SELECT current_setting('{name}')"))[0] for name in names]

    assert store.write(limits) == store.read(limits) == ["30s", "10s", "2min", "off"]
    store.close()


def test_pgbouncer_that_the_url_does_not_name_is_reported(pooled: Callable[..., str]) -> None:
    """Prepared statements of different clients would have the same names."""
    with pytest.raises(BadValue, match="pgbouncer=true"):
        revisions.problems(pooled(), metadata)
    found = revisions.problems(pooled(IGNORES_OPTIONS), metadata)
    assert any("pgbouncer=true" in problem for problem in found)


def lock_one_while_another_locks_both(
    store: Store, first: int, second: int, lock: Callable[[Transaction, list[int]], None]
) -> None:
    """Lock two rows one after the other; a transaction that locks both, but the second first, deadlocks with this."""
    # A changed row moves behind the others in the file, and so in the order in which PostgreSQL reads them.
    store.write(lambda tx: lock(tx, [first]))

    def someone_waits() -> bool:
        waiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
        return bool(store.read(lambda tx: tx.values(text(waiting))))

    with ThreadPoolExecutor(1) as pool:

        def lock_one_after_the_other(tx: Transaction) -> None:
            lock(tx, [first])
            pool.submit(store.write, lambda other: lock(other, [second, first]))
            eventually(someone_waits, what="a transaction that waits for a lock")
            lock(tx, [second])

        store.write(lock_one_after_the_other)


@pytest.mark.parametrize("piece_max", [1, sets.PIECE_MAX])
def test_providers_are_locked_in_the_order_of_their_ids(
    fresh_store: Store, monkeypatch: pytest.MonkeyPatch, piece_max: int
) -> None:
    monkeypatch.setattr(sets, "PIECE_MAX", piece_max)
    ledger = Ledger(fresh_store)
    first, second = make(ledger).id, make(ledger).id
    lock_one_while_another_locks_both(fresh_store, first, second, lambda tx, ids: providers.lock_and_bump(tx, ids, 1))
    assert fresh_store.statistics.reruns == 0


def test_versions_of_the_structure_are_raised_in_the_order_of_their_buckets(fresh_store: Store) -> None:
    def raise_versions(tx: Transaction, buckets: Sequence[int]) -> None:
        for bucket in buckets:
            structure.created(tx, -bucket, bucket)
        tx.finish()

    # With statistics, PostgreSQL reads a table of one page in the order of the file instead of the index.
    fresh_store.write(lambda tx: tx.change(text("ANALYZE structure_versions")))
    lock_one_while_another_locks_both(fresh_store, 1, 2, raise_versions)
    assert fresh_store.statistics.reruns == 0


def test_read_without_a_transaction_cannot_write(fresh_store: Store) -> None:
    provider_id = fresh_store.write(lambda tx: providers.insert_provider(tx, str(uuid.uuid4()), "kept", 1))
    with pytest.raises(StoreUnavailable):
        fresh_store.read(lambda tx: providers.delete_provider(tx, provider_id), "write after a SELECT")
    with pytest.raises(StoreUnavailable):
        fresh_store.read(lambda tx: providers.rename(tx, provider_id, "lost"), "write at once")
    named = fresh_store.read(lambda tx: tx.tuples(text("SELECT id, name FROM providers")), "names")
    assert named == [(provider_id, "kept")]
