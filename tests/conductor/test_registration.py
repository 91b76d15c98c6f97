"""A conductor registers, and stops working when it is no longer registered."""

from tests.bed.waiting import eventually
from tests.conductor.fakes import Absence, Slow, arrive, ask, conductor_alive


def test_conductor_whose_name_another_process_took_stops_and_its_work_is_begun_anew(ledger, start, caplog):
    node = ledger.enrol()
    old = start(driver=(driver := Slow()))
    ask(ledger, node, "active")
    driver.begun.wait(10)
    start()
    arrive(ledger, node, "active")
    eventually(lambda: not old.running)
    eventually(lambda: driver.interrupted.is_set())
    assert "Another process has registered as conductor conductor-1" in caplog.text


def test_conductor_without_a_heartbeat_interrupts_its_work_and_registers_again(ledger, start):
    absence, node = Absence(ledger), ledger.enrol()
    conductor = start(runner=absence.runner, driver=(driver := Slow(times=1)))
    ask(ledger, node, "active")
    driver.begun.wait(10)
    absence.set()
    ledger.clock.move(61)
    eventually(driver.interrupted.is_set)
    absence.clear()
    arrive(ledger, node, "active")
    assert conductor.running


def test_conductor_that_starts_without_a_database_registers_when_it_can_be_reached(ledger, start):
    absence = Absence(ledger)
    absence.set()
    start("late", runner=absence.runner)
    absence.clear()
    eventually(lambda: conductor_alive(ledger, "late"))
