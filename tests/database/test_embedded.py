"""The store of an SQLite file: batches of writes."""

import threading
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import select

from dibs.database.embedded import EmbeddedStore
from dibs.database.errors import StoreContended
from dibs.database.migrate import upgrade
from dibs.database.opening import open_store
from dibs.database.store import ATTEMPTS_MAX
from dibs.database.transaction import Again, Transaction
from dibs.ledger.queries import providers
from dibs.ledger.tables import providers as provider_rows
from tests.bed.waiting import eventually

NEIGHBOURS = 10


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EmbeddedStore]:
    url = f"sqlite:///{tmp_path}/ledger.sqlite"
    upgrade(url)
    opened = open_store(url)
    assert isinstance(opened, EmbeddedStore)
    yield opened
    opened.close()


def write_in_one_batch(store: EmbeddedStore, bodies: list[Callable[[Transaction], None]]) -> list["Future[None]"]:
    """Queue every body while the writer is busy with another one."""
    gate = threading.Event()
    entered = threading.Event()

    def occupy(tx: Transaction) -> None:
        entered.set()
        gate.wait(10)

    with ThreadPoolExecutor(len(bodies) + 1) as pool:
        pool.submit(store.write, occupy)
        entered.wait(10)
        written = [pool.submit(store.write, body) for body in bodies]
        eventually(lambda: len(store._writes) == len(bodies))
        gate.set()
    return written


def test_refused_write_does_not_rerun_or_fail_its_neighbours(store: EmbeddedStore) -> None:
    runs = dict.fromkeys(range(NEIGHBOURS), 0)
    attempts = []

    def always_refused(tx: Transaction) -> None:
        providers.insert_provider(tx, str(uuid.uuid4()), "refused", 1)
        attempts.append(1)
        raise Again

    def neighbour(tx: Transaction, number: int) -> None:
        runs[number] += 1
        providers.insert_provider(tx, str(uuid.uuid4()), f"neighbour {number}", 1)

    neighbours = [lambda tx, number=number: neighbour(tx, number) for number in runs]
    before, after = neighbours[: NEIGHBOURS // 2], neighbours[NEIGHBOURS // 2 :]
    written = write_in_one_batch(store, [*before, always_refused, *after])
    outcomes = [future.exception() for future in written]
    assert isinstance(outcomes.pop(NEIGHBOURS // 2), StoreContended)
    assert outcomes == [None] * NEIGHBOURS
    assert set(runs.values()) == {1}
    assert len(attempts) == ATTEMPTS_MAX


def names(tx: Transaction) -> list[str]:
    return tx.values(select(provider_rows.c.name).order_by(provider_rows.c.id))


def add_provider(tx: Transaction, name: str) -> None:
    providers.insert_provider(tx, str(uuid.uuid4()), name, 1)


def break_commit(tx: Transaction) -> None:
    tx._cursor.execute("PRAGMA defer_foreign_keys = ON")
    tx._cursor.execute("INSERT INTO provider_traits VALUES (99, 'CUSTOM_NONE')")


def test_nothing_is_remembered_of_a_batch_whose_commit_failed(store: EmbeddedStore) -> None:
    def remember(tx: Transaction) -> None:
        tx.remember("answer", 42)

    written = write_in_one_batch(store, [remember, break_commit])
    assert all(future.exception() is not None for future in written)
    assert store.read(lambda tx: tx.recall("answer")) is None


def test_batch_whose_commit_failed_leaves_no_trace_and_the_next_write_succeeds(store: EmbeddedStore) -> None:
    written = write_in_one_batch(store, [lambda tx: add_provider(tx, "lost"), break_commit])
    assert all(future.exception() is not None for future in written)
    store.write(lambda tx: add_provider(tx, "kept"))
    assert store.read(names) == ["kept"]


def test_batch_that_sqlite_rolls_back_itself_fails_whole(store: EmbeddedStore) -> None:
    """As SQLite does when the disk is full: nothing of the batch is left, so none of it may be acknowledged."""

    def roll_back(tx: Transaction) -> None:
        tx._cursor.execute("ROLLBACK")
        raise LookupError

    before, after = (lambda tx: add_provider(tx, "before")), (lambda tx: add_provider(tx, "after"))
    written = write_in_one_batch(store, [before, roll_back, after])
    assert [type(future.exception()) for future in written] == [LookupError] * 3
    assert store.read(names) == []


def test_write_that_a_signal_ends_leaves_no_trace_and_the_next_write_succeeds(store: EmbeddedStore) -> None:
    def interrupted(tx: Transaction) -> None:
        add_provider(tx, "interrupted")
        raise SystemExit

    with pytest.raises(SystemExit):
        store.write(interrupted)
    store.write(lambda tx: add_provider(tx, "kept"))
    assert store.read(names) == ["kept"]
