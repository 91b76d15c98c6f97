"""Positions follow the commit: what a reader has passed never gets an event before it."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import delete

from dibs.access.access import SERVICE
from dibs.access.actor import SERVICE_ACTOR
from dibs.conductor.events.publishing import publish_events
from dibs.database import Store, open_store
from dibs.database.runner import Cause
from dibs.database.transaction import Transaction
from dibs.events.model.events import Event
from dibs.events.operations.listing import count_events
from dibs.events.operations.recording import EventRecorder
from dibs.events.tables import events
from dibs.machines.operations.nodes import SetMaintenance, set_maintenance
from dibs.wiring.hooks import build_runner
from tests import event_rows
from tests.builders import Ledger
from tests.races.crowd import all_at_once

CALLERS = 6
CHANGES = 6
CAUSE = Cause(actor=SERVICE_ACTOR, request_id=None, operation="test")


@pytest.fixture
def stores(ledger: Ledger, database_url: str) -> Iterator[list[Store]]:
    """Return a store for each caller, like callers in different processes."""
    made = [open_store(database_url) for _ in range(CALLERS)]
    yield made
    for store in made:
        store.close()


def test_events_get_positions_in_the_order_of_their_ids(ledger: Ledger) -> None:
    for name in ("a", "b", "c"):
        ledger.enrol(name=name)
    assert publish_events(ledger.runner) == 3
    ledger.enrol(name="d")
    assert publish_events(ledger.runner) == 1
    assert [row["position"] for row in event_rows.rows(ledger.store)] == [1, 2, 3, 4]
    assert publish_events(ledger.runner) == 0


def test_positions_have_no_gaps_where_ids_have_some(ledger: Ledger) -> None:
    for name in "abcdefgh":
        ledger.enrol(name=name)
    ids = [row["id"] for row in event_rows.rows(ledger.store)]
    for gone in (ids[0], ids[3], ids[4], ids[6]):
        ledger.store.write(lambda tx, gone=gone: tx.change(delete(events).where(events.c.id == gone)))
    assert publish_events(ledger.runner) == 4
    left = {row["id"]: row["position"] for row in event_rows.rows(ledger.store)}
    assert left == {ids[1]: 1, ids[2]: 2, ids[5]: 3, ids[7]: 4}


def test_number_of_events_counts_each_once_whether_published_or_not(ledger: Ledger) -> None:
    def count() -> int:
        return ledger.runner.read(count_events, SERVICE, None)

    assert count() == 0
    for name in ("a", "b"):
        ledger.enrol(name=name)
    assert count() == 2
    publish_events(ledger.runner)
    assert count() == 2
    ledger.enrol(name="c")
    assert count() == 3


@pytest.mark.server_engines
def test_event_that_commits_late_comes_after_the_events_that_a_reader_has_passed(
    ledger: Ledger, stores: list[Store]
) -> None:
    inserted, passed = threading.Event(), threading.Event()

    def insert_and_wait(tx: Transaction) -> None:
        tx.record(Event(type="node.changed", object_id="late", project=None, after={}))
        EventRecorder().before_commit(tx, 1, CAUSE)
        inserted.set()
        assert passed.wait(30)

    with ThreadPoolExecutor(1) as pool:
        late = pool.submit(stores[0].write, insert_and_wait)
        assert inserted.wait(30)
        ledger.enrol(name="early")
        publish_events(ledger.runner)
        seen = max(row["position"] for row in event_rows.rows(ledger.store))
        passed.set()
        late.result(30)
    publish_events(ledger.runner)
    first, *others = event_rows.rows(ledger.store)
    assert first["object_id"] == "late", "its id was issued first"
    assert first["position"] > seen
    assert all(first["id"] < row["id"] for row in others)


def test_concurrent_publishers_give_each_event_one_position_and_each_object_its_order(
    ledger: Ledger, stores: list[Store]
) -> None:
    """Half of the callers change two nodes, and the others publish meanwhile."""
    shared = [ledger.enrol(name=name) for name in ("a", "b")]

    def work(number: int) -> None:
        runner = build_runner(stores[number], ledger.clock)
        for step in range(CHANGES):
            if number % 2:
                publish_events(runner)
            else:
                node = shared[step % 2]
                command = SetMaintenance(ident=node.uuid, rules=(), on=True, reason=f"{number} {step}")
                runner.write(set_maintenance, SERVICE, command)

    assert all_at_once(CALLERS, work) == [None] * CALLERS
    publish_events(ledger.runner)
    found = sorted(event_rows.rows(ledger.store), key=lambda row: row["position"])
    assert [row["position"] for row in found] == list(range(1, len(found) + 1))
    for node in shared:
        reason = None
        for row in found:
            if row["object_id"] == node.uuid and row["type"] == "node.changed":
                assert row["before_state"]["maintenance_reason"] == reason, "each event continues the one before it"
                reason = row["after_state"]["maintenance_reason"]
