"""Failed allocations and conductors are removed after their retention time."""

import pytest

from dibs.access.access import SERVICE
from dibs.allocations.model.allocations import Allocation
from dibs.allocations.model.errors import AllocationNotFound
from dibs.allocations.operations import retention
from dibs.allocations.operations.granting import FailEntry, fail_entry
from dibs.allocations.operations.retention import RemovedRows, remove_old_failures
from dibs.machines.operations.conductors import RegisterConductor, list_conductors, register_conductor
from tests.allocation_builders import allocate, allocate_node, entry_of, show
from tests.builders import Ledger

DAY = 24 * 60 * 60


def fail(ledger: Ledger) -> Allocation:
    allocation = allocate(ledger)
    (conductor,) = ledger.runner.read(list_conductors, SERVICE, None)
    incarnation = conductor.conductor.incarnation
    command = FailEntry(entry=entry_of(allocation), incarnation=incarnation, reason="no nodes")
    ledger.runner.write(fail_entry, SERVICE, command)
    assert show(ledger, allocation).state == "error"
    return allocation


def remove(ledger: Ledger, days: float = 30) -> RemovedRows:
    return ledger.runner.write(remove_old_failures, SERVICE, days * DAY)


def names(ledger: Ledger) -> list[str]:
    return [view.conductor.hostname for view in ledger.runner.read(list_conductors, SERVICE, None)]


def test_failed_allocation_is_removed_after_its_time_and_others_stay(ledger: Ledger) -> None:
    failed, waiting, (active, _) = fail(ledger), allocate(ledger), allocate_node(ledger)
    assert remove(ledger).allocations == 0
    ledger.clock.move(31 * DAY)
    assert remove(ledger).allocations == 1
    with pytest.raises(AllocationNotFound):
        show(ledger, failed)
    assert [show(ledger, each).state for each in (waiting, active)] == ["allocating", "active"]


def test_one_run_removes_a_bounded_number(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "COUNT_MAX", 2)
    for _ in range(3):
        fail(ledger)
    ledger.clock.move(31 * DAY)
    assert [remove(ledger).allocations for _ in range(3)] == [2, 1, 0]


def test_conductor_is_removed_after_its_time_unless_a_row_refers_to_it(ledger: Ledger) -> None:
    allocate(ledger)
    for name in ("gone", "alive"):
        command = RegisterConductor(hostname=name, group="", drivers=(), incarnation=f"{name:-<36}")
        ledger.runner.write(register_conductor, SERVICE, command)
        ledger.clock.move(31 * DAY)
    ledger.runner.write(register_conductor, SERVICE, command)
    assert remove(ledger).conductors == 1
    assert names(ledger) == ["conductor-1", "alive"], "an allocation refers to the first one"
