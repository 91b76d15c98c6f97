"""Transactions: atomic, retried when refused, and reported as unavailable when the connection is lost."""

import logging
import os
import threading
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from sqlalchemy import text

from dibs.database import Store, health, open_store
from dibs.database.errors import StatementTimeout, StoreContended, StoreUnavailable
from dibs.database.migrate import upgrade
from dibs.database.store import ATTEMPTS_MAX, CONNECTION_BACK, CONNECTION_LOST, Reachability
from dibs.database.transaction import Again, Duplicate, Transaction
from dibs.ledger.queries import providers
from tests.bed.mariadb import MariadbServer
from tests.bed.postgresql import PostgresqlServer
from tests.bed.session import Bed
from tests.bed.waiting import eventually


def add_provider(store: Store, name: str) -> str:
    identity = str(uuid.uuid4())
    store.write(lambda tx: providers.insert_provider(tx, identity, name, 1))
    return identity


def exists(store: Store, identity: str) -> bool:
    """Test for a lock by locking; the transaction is rolled back."""

    class Look(Exception):
        pass

    found = []

    def look(tx: Transaction) -> None:
        found.append(providers.lock(tx, identity, 2))
        raise Look

    with suppress(Look):
        store.write(look)
    return found[-1]


def test_body_that_raises_is_rolled_back(store: Store) -> None:
    identity = str(uuid.uuid4())

    def half(tx: Transaction) -> None:
        providers.insert_provider(tx, identity, "half", 1)
        raise ValueError("second thoughts")

    with pytest.raises(ValueError, match="second thoughts"):
        store.write(half)
    assert not exists(store, identity)


def test_transactions_before_and_after_a_failed_one_are_kept(store: Store) -> None:
    first = add_provider(store, "first")
    with pytest.raises(Duplicate):
        add_provider(store, "first")
    second = add_provider(store, "second")
    assert exists(store, first)
    assert exists(store, second)


def test_duplicate_names_the_violated_constraint(store: Store) -> None:
    add_provider(store, "twice")
    with pytest.raises(Duplicate, match="uq_providers_name"):
        add_provider(store, "twice")


def test_refused_transaction_is_retried_from_the_start(store: Store) -> None:
    attempts = []

    def refused_twice(tx: Transaction) -> str:
        identity = str(uuid.uuid4())
        providers.insert_provider(tx, identity, f"attempt {len(attempts)}", 1)
        attempts.append(identity)
        if len(attempts) < 3:
            raise Again
        return identity

    kept = store.write(refused_twice)
    assert [exists(store, identity) for identity in attempts] == [False, False, True]
    assert kept == attempts[-1]


def test_retries_are_bounded(store: Store) -> None:
    attempts = []

    def always_refused(tx: Transaction) -> None:
        attempts.append(1)
        raise Again

    with pytest.raises(StoreContended, match=str(ATTEMPTS_MAX)):
        store.write(always_refused)
    assert len(attempts) == ATTEMPTS_MAX


@pytest.mark.parametrize(
    ("engine", "statements"),
    [
        ("postgresql", ["SELECT set_config('statement_timeout', '50', true)", "SELECT pg_sleep(5)"]),
        ("mariadb", ["SET STATEMENT max_statement_time = 0.05 FOR SELECT SLEEP(5)"]),
    ],
)
def test_statement_that_timed_out_is_not_retried(engine: str, statements: list[str], bed: Bed) -> None:
    """The retry would be as slow, and occupy the connection and its locks again."""
    store = open_store(bed.databases(engine).fresh())
    attempts = []

    def slow(tx: Transaction) -> None:
        attempts.append(1)
        for statement in statements:
            tx.values(text(statement))

    with pytest.raises(StatementTimeout):
        store.write(slow)
    assert len(attempts) == 1
    assert add_provider(store, "the connection works afterwards")
    store.close()


def test_read_that_raises_keeps_its_connection(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = []
    connect = store.engine.connect

    def counted(*, writing: bool) -> object:
        opened.append(writing)
        return connect(writing=writing)

    def not_found(tx: Transaction) -> None:
        assert not providers.inventory(tx, 1)
        raise LookupError("no such provider")

    monkeypatch.setattr(store.engine, "connect", counted)
    store.close()
    for _ in range(3):
        with pytest.raises(LookupError):
            store.read(not_found)
    assert opened == [False]


def test_deadlocked_transactions_both_succeed(store: Store) -> None:
    """A deadlock on PostgreSQL and MariaDB; SQLite has one writer at a time."""
    pair = [add_provider(store, "left"), add_provider(store, "right")]
    both_hold_one = threading.Barrier(2)
    done = []

    def cross(first: str, second: str) -> None:
        def body(tx: Transaction) -> None:
            assert providers.lock(tx, first, 3)
            with suppress(threading.BrokenBarrierError):
                both_hold_one.wait(timeout=2)
            assert providers.lock(tx, second, 3)

        store.write(body)
        done.append(first)

    threads = [threading.Thread(target=cross, args=order) for order in (pair, pair[::-1])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(done) == sorted(pair)


@pytest.mark.parametrize("name", [None, "look_twice"])
def test_reader_sees_one_snapshot(store: Store, name: str | None) -> None:
    identity = add_provider(store, "seen")
    provider_id = store.write(lambda tx: providers.insert_provider(tx, str(uuid.uuid4()), "other", 1))
    store.write(lambda tx: providers.offer_one_unit(tx, provider_id, "CUSTOM_A", reserved=0, now=1))

    def look_twice(tx: Transaction) -> tuple[object, object]:
        before = providers.inventory(tx, provider_id)
        writer = threading.Thread(target=store.write, args=(lambda tx: providers.reserve_unit(tx, provider_id, 1),))
        writer.start()
        writer.join()
        return before, providers.inventory(tx, provider_id)

    before, after = store.read(look_twice, name)
    assert before == after
    assert exists(store, identity)


def test_named_read_learns_whether_it_is_a_single_select(store: Store) -> None:
    attempts = []
    before = store.statistics.statements

    def look(tx: Transaction, times: int) -> int:
        attempts.append(times)
        for _ in range(times):
            providers.inventory(tx, 1)
        return tx.statements

    for times in (1, 1, 2, 2, 1):
        assert store.read(lambda tx, times=times: look(tx, times), "look") == times  # type: ignore[misc]
    repeated = 1 if store.engine.reads_alone else 0
    assert len(attempts) == 5 + repeated
    assert store.statistics.statements == before + 1 + 1 + 2 + 2 + 1


def test_concurrent_writers_lose_no_update(store: Store) -> None:
    threads = [threading.Thread(target=add_provider, args=(store, f"number {n}")) for n in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number in range(40):
        with pytest.raises(Duplicate):
            add_provider(store, f"number {number}")


def test_embedded_store_refuses_to_run_after_a_fork(tmp_path: Path) -> None:
    """Its connections would lose commits without an error."""
    upgrade(f"sqlite:///{tmp_path}/ledger.sqlite")
    store = open_store(f"sqlite:///{tmp_path}/ledger.sqlite")
    add_provider(store, "before")
    child = os.fork()
    if child == 0:
        try:
            add_provider(store, "after")
        except RuntimeError:
            os._exit(7)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    store.close()


@pytest.mark.parametrize("engine", ["postgresql", "mariadb"])
def test_store_recovers_after_a_lost_connection(
    engine: str,
    database_server: Callable[[str], PostgresqlServer | MariadbServer],
    caplog: pytest.LogCaptureFixture,
) -> None:
    server = database_server(engine)
    server.address.execute("CREATE DATABASE away")
    upgrade(server.address.url("away"))
    store = open_store(server.address.url("away"))
    kept = add_provider(store, "kept")
    server.stop()
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            with pytest.raises(StoreUnavailable):
                add_provider(store, "lost")
        assert health.problems(store)
        server.start()
        eventually(lambda: not health.problems(store), what="the database to be back")
        assert exists(store, kept)
    said = [record.message for record in caplog.records if record.name.startswith("dibs.database")]
    assert sum(CONNECTION_LOST in message for message in said) == 1, said
    assert sum(CONNECTION_BACK in message for message in said) == 1, said
    store.close()


@pytest.mark.parametrize("url", ["oracle://x", "nonsense", "", "sqlite://", "sqlite:///:memory:"])
def test_url_of_an_unknown_engine_is_refused(url: str) -> None:
    with pytest.raises(Exception, match="sqlite:///"):
        open_store(url)


def test_lost_connection_is_logged_once_for_many_threads(caplog: pytest.LogCaptureFixture) -> None:
    reachability = Reachability()
    for _ in range(2):
        with ThreadPoolExecutor(16) as pool:
            list(pool.map(reachability.lost, [OSError("refused")] * 64))
        with ThreadPoolExecutor(16) as pool:
            list(pool.map(lambda _: reachability.reached(), range(64)))
    messages = [record.getMessage() for record in caplog.records]
    assert messages == [f"{CONNECTION_LOST}: refused", CONNECTION_BACK] * 2
