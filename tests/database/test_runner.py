"""Deadlines of transactions, and the clock of a process, which shows the time of the database."""

import time
import uuid
from types import SimpleNamespace
from typing import Any, cast

import pytest

from dibs.access.access import SERVICE, Access
from dibs.database import Store
from dibs.database.errors import DeadlinePassed, StoreUnavailable
from dibs.database.runner import AHEAD_MAX, DatabaseClock
from dibs.database.transaction import Again, Transaction
from dibs.machines.operations.nodes import CreateNode, create_node
from dibs.machines.queries import nodes
from tests.bed.waiting import eventually
from tests.builders import Ledger

SECOND = 1_000_000
REAL = time.time_ns


def set_machine_clock(monkeypatch: pytest.MonkeyPatch, seconds: int) -> None:
    monkeypatch.setattr(time, "time_ns", lambda: REAL() + seconds * 1_000_000_000)


def minutes_off(clock: DatabaseClock) -> int:
    """Return how many minutes a clock differs from the database servers, which run on this machine."""
    return round((clock() - REAL() // 1_000) / SECOND / 60)


def test_clock_shows_the_time_of_the_database(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    set_machine_clock(monkeypatch, -300)
    clock = DatabaseClock(store)
    assert minutes_off(clock) == -5
    clock.start()
    assert minutes_off(clock) == 0
    set_machine_clock(monkeypatch, 600)
    assert minutes_off(clock) == 0
    clock.stop()


class Database:
    """A store that has nothing but a clock."""

    def __init__(self) -> None:
        self.engine = SimpleNamespace(clock=None)
        self.ahead = 0
        self.available = True
        self.reads = 0

    def read(self, body: Any) -> list[int]:
        self.reads += 1
        if not self.available:
            raise StoreUnavailable
        return [REAL() // 1_000 + self.ahead]


@pytest.fixture
def database() -> Database:
    return Database()


@pytest.fixture
def clock(database: Database) -> DatabaseClock:
    return DatabaseClock(cast(Store, database))


def test_clock_follows_a_database_whose_clock_is_set(clock: DatabaseClock, database: Database) -> None:
    clock.read()
    for minutes in (10, -10):
        database.ahead = minutes * 60 * SECOND
        clock.read()
        assert minutes_off(clock) == minutes


def test_clock_does_not_go_back_by_the_inaccuracy_of_a_reading(clock: DatabaseClock, database: Database) -> None:
    clock.read()
    before = clock()
    database.ahead = -AHEAD_MAX // 2
    clock.read()
    assert clock() >= before


def test_clock_goes_on_while_the_database_is_away(
    clock: DatabaseClock, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dibs.database.runner.CLOCK_INTERVAL_SECONDS", 0.01)
    database.available = False
    clock.start()
    eventually(lambda: database.reads > 2)
    before = clock()
    eventually(lambda: clock() > before)
    database.available, database.ahead = True, 600 * SECOND
    eventually(lambda: minutes_off(clock) == 10)
    clock.stop()


def test_transaction_that_is_ready_after_its_deadline_is_rolled_back(ledger: Ledger) -> None:
    def enrol_slowly(tx: Transaction, access: Access, now: int, name: str) -> None:
        create_node(
            tx, access, now, CreateNode(uuid=str(uuid.uuid4()), values={"driver": "fake-hardware", "name": name})
        )
        ledger.clock.move(5)

    deadline = ledger.clock() + 4 * SECOND
    with pytest.raises(DeadlinePassed):
        ledger.runner.write(enrol_slowly, SERVICE, "late", deadline=deadline)
    ledger.runner.write(enrol_slowly, SERVICE, "in-time", deadline=deadline + 10 * SECOND)
    assert ledger.store.read(lambda tx: [nodes.get(tx, name) is None for name in ("late", "in-time")]) == [True, False]


def test_transaction_that_runs_again_has_the_same_deadline(ledger: Ledger) -> None:
    attempts = []

    def conflict_once(tx: Transaction, access: Access, now: int, command: None) -> None:
        attempts.append(now)
        if len(attempts) == 1:
            ledger.clock.move(5)
            raise Again

    with pytest.raises(DeadlinePassed):
        ledger.runner.write(conflict_once, SERVICE, None, deadline=ledger.clock() + 4 * SECOND)
    assert len(attempts) == 2
