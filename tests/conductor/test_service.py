"""A running conductor as a whole: stop, restart, and a database that is lost for a while."""

import threading

import pytest

from dibs.access.access import SERVICE
from dibs.conductor import service, threads
from dibs.database import open_store
from dibs.drivers.fake import FakeDriver
from dibs.machines.operations.conductors import list_conductors
from dibs.wiring.hooks import build_runner
from tests.bed.proxy import Proxy
from tests.bed.waiting import eventually
from tests.conductor.fakes import LONG, Absence, Quick, Slow, arrive, ask, conductor_alive


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
