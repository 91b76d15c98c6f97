"""How many tasks run at once, and which conductor runs them."""

import pytest

from dibs.machines.model.errors import NodeLocked
from tests.conductor.fakes import LONG, Quick, Slow, arrive, ask


def test_node_in_work_is_locked(ledger, start):
    start()
    node = ledger.enrol(driver_info={"fake_delay_deploy": LONG})
    ask(ledger, node, "active")
    with pytest.raises(NodeLocked, match="locked by host conductor-1"):
        ask(ledger, node, "active")


def test_more_tasks_than_threads_are_all_done(ledger, start):
    start(workers=2)
    nodes = [ledger.enrol(driver_info={"fake_delay_deploy": 0.01}) for _ in range(15)]
    for node in nodes:
        ask(ledger, node, "active")
    for node in nodes:
        arrive(ledger, node, "active")


def test_another_conductor_takes_over_from_one_that_stopped(ledger, start):
    node = ledger.enrol()
    first = start(driver=(driver := Slow()))
    ask(ledger, node, "active")
    driver.begun.wait(10)
    first.stop()
    start("conductor-2")
    arrive(ledger, node, "active")


def test_take_over_can_be_turned_off(ledger, start):
    node = ledger.enrol()
    ask(ledger, node, "active")
    ledger.clock.move(61)
    start("conductor-2", take_over_seconds=0)
    other = ledger.enrol()
    ask(ledger, other, "active")
    arrive(ledger, other, "active")
    assert ledger.node(node).reservation == "conductor-1"


def test_queued_work_begins_after_the_clock_was_set_back(ledger, start):
    node = ledger.enrol()
    ask(ledger, node, "active")
    ledger.clock.move(-300)
    start(driver=Quick())
    arrive(ledger, node, "active")
