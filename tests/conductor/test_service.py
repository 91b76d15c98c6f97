"""A running conductor as a whole: stop, restart, and a database that is lost for a while."""

import threading

import pytest

from dibs.access.access import SERVICE
from dibs.allocations.model.lifetimes import LifetimeRules
from dibs.allocations.operations.batches import RetryAllocation, retry_allocation
from dibs.conductor import service, threads
from dibs.conductor.allocations import AllocationWorker
from dibs.conductor.session import Session
from dibs.conductor.tasks import TaskWorker
from dibs.database import open_store
from dibs.drivers.fake import FakeDriver
from dibs.machines.model.driver import Outcome
from dibs.machines.operations.conductors import list_conductors
from dibs.machines.queries import conductors
from dibs.wiring.hooks import build_runner
from tests.allocation_builders import allocate, allocate_batch, show
from tests.bed.proxy import Proxy
from tests.bed.waiting import eventually
from tests.conductor.fakes import LONG, Absence, Quick, Slow, arrive, ask, conductor_alive
from tests.provider_builders import statements

NEVER = 3600.0
"""The poll interval of a conductor that must be woken, or the test fails."""


def test_stop_interrupts_the_work_and_the_next_start_begins_it_anew(ledger, start):
    node = ledger.enrol(driver_info={"fake_delay_deploy": LONG})
    first = start(driver=(driver := Slow()))
    ask(ledger, node, "active")
    driver.begun.wait(10)
    first.stop()
    assert not conductor_alive(ledger, "conductor-1")
    assert (ledger.node(node).provision_state, ledger.node(node).reservation) == ("deploying", "conductor-1")
    start(driver=Quick())
    arrive(ledger, node, "active")


def test_short_loss_of_the_database_only_delays_the_work(ledger, start):
    absence = Absence(ledger)
    start(runner=absence.runner)
    nodes = [ledger.enrol() for _ in range(3)]
    absence.set()
    for node in nodes:
        ask(ledger, node, "active")
    eventually(lambda: absence.refusals > 5)
    absence.clear()
    for node in nodes:
        arrive(ledger, node, "active")


@pytest.mark.server_engines
def test_database_that_hangs_is_reported_and_does_not_keep_the_conductor_from_stopping(
    database_url, ledger, start, monkeypatch
):
    monkeypatch.setattr(threads, "STUCK_SECONDS", 0.5)
    monkeypatch.setattr(service, "STOP_SECONDS", 0.5)
    port = database_url.rpartition(":")[2].partition("/")[0]
    proxy = Proxy(int(port))
    store = open_store(database_url.replace(f":{port}/", f":{proxy.port}/"))
    conductor = start("hung", runner=build_runner(store, ledger.clock))
    eventually(lambda: conductor.incarnation)
    assert conductor.problems() == []
    proxy.swallow()
    for name in ("heartbeat", "dispatch", "leases"):
        eventually(lambda name=name: any(f"dibs-{name}-hung" in problem for problem in conductor.problems()))
    conductor.stop()
    proxy.close()
    store.close()


def test_driver_that_ignores_the_end_of_the_session_does_not_keep_the_conductor_from_stopping(
    ledger, start, monkeypatch, caplog
):
    monkeypatch.setattr(service, "STOP_SECONDS", 0.2)
    begun, released = threading.Event(), threading.Event()

    class Deaf(FakeDriver):
        def run(self, node, work, arguments, progress, pause):
            begun.set()
            released.wait()
            return super().run(node, work, arguments, progress, pause)

    conductor = start(driver=Deaf())
    ask(ledger, ledger.enrol(), "active")
    assert begun.wait(10)
    conductor.stop()
    released.set()
    assert "although work in its threads goes on" in caplog.text


def test_each_transaction_of_a_conductor_is_progress(ledger, start):
    """A round with much work takes longer than a thread may be stuck."""
    conductor, noted = start(), []

    def long_round():
        conductor._runner.read(list_conductors, SERVICE, None)
        noted.append(thread._progress_at)

    thread = threads.WatchedThread("long-round", long_round)
    thread.start()
    thread.join(10)
    assert noted != [None]
    assert len(noted) == 1


# --- wake-ups ---


def settled(ledger, allocation):
    """Wait until an allocation has ended one way or the other, and return its state."""

    def done():
        state = show(ledger, allocation).state
        assert state != "allocating"
        return state

    return eventually(done, what="an allocation that is settled")


def test_conductor_that_is_woken_finds_each_queued_task(ledger, start):
    conductor, node = start(driver=HeldOnce(), poll_seconds=NEVER), ledger.enrol(state="enroll")
    for verb, state in (("manage", "manageable"), ("clean", "clean hold"), ("unhold", "manageable")):
        ask(ledger, node, verb, clean_steps=[{"interface": "deploy", "step": "erase"}] if verb == "clean" else None)
        conductor.wake()
        arrive(ledger, node, state)


class HeldOnce(Quick):
    """Holds the first cleaning until it is told to go on."""

    def run(self, node, work, arguments, progress, pause):
        if work == "clean" and not progress:
            return Outcome(held=True, progress={"held": True})
        return super().run(node, work, arguments, progress, pause)


def test_wake_up_looks_for_tasks_only_after_one_was_queued(ledger):
    session = Session(ledger.store.read(conductors.every)[0].incarnation)
    worker = TaskWorker(ledger.runner, {}, "conductor-1", lambda: None, threads=1)
    taken = [statements(ledger, lambda: worker.dispatch_queued(session)) for _ in range(2)]
    worker.notice()
    taken.append(statements(ledger, lambda: worker.dispatch_queued(session)))
    assert taken == [1, 0, 1]
    assert worker.close(seconds=10)


def test_conductor_that_is_woken_finds_each_queued_allocation(ledger, start):
    conductor = start(poll_seconds=NEVER)
    failed = allocate(ledger)
    conductor.wake()
    assert settled(ledger, failed) == "error"
    for _ in range(4):
        ledger.enrol(resource_class="gold")
    queued = [
        lambda: [ledger.runner.write(retry_allocation, SERVICE, RetryAllocation(ident=failed.uuid))],
        lambda: allocate_batch(ledger, 2),
        lambda: [allocate(ledger)],
    ]
    for queue in queued:
        made = queue()
        conductor.wake()
        assert {settled(ledger, each) for each in made} == {"active"}


def test_wake_up_lists_allocations_only_after_one_was_queued(ledger):
    session = Session(ledger.store.read(conductors.every)[0].incarnation)
    worker = AllocationWorker(ledger.runner, "conductor-1", lambda: None, LifetimeRules())
    worker.dispatch_queued(session)
    assert statements(ledger, lambda: worker.dispatch_queued(session)) == 0
    worker.notice_queued()
    assert statements(ledger, lambda: worker.dispatch_queued(session)) == 1
    assert worker.close(seconds=10)
