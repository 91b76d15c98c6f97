"""The figures that the metrics show."""

from dibs.access.access import SERVICE
from dibs.leases.model.leases import PENDING
from dibs.reports.model.measures import Measures
from dibs.reports.operations.measuring import measure_site
from tests import lease_builders as leases
from tests.allocation_builders import allocate
from tests.builders import Ledger


def measure(ledger: Ledger) -> Measures:
    return ledger.runner.read(measure_site, SERVICE, None)


def test_nodes_are_counted_by_class_and_state(ledger: Ledger) -> None:
    for values in ({"resource_class": "gold"}, {"resource_class": "gold"}, {"resource_class": "tin"}, {}):
        ledger.enrol(**values)
    ledger.enrol(resource_class="gold", state="active")
    assert measure(ledger).nodes == {
        ("gold", "available"): 2,
        ("gold", "active"): 1,
        ("tin", "available"): 1,
        ("", "available"): 1,
    }


def test_queue_has_a_length_and_the_wait_of_its_oldest_entry(ledger: Ledger) -> None:
    ledger.enrol(resource_class="gold", state="active")
    allocate(ledger, wait_seconds=3_600)
    ledger.clock.move(20)
    allocate(ledger, wait_seconds=3_600)
    found = measure(ledger)
    assert found.queue_lengths == {"gold": 2}
    assert 20 <= found.queue_waits["gold"] < 21


def test_leases_are_counted_by_status_and_a_late_start_is_seen(ledger: Ledger) -> None:
    leases.make_host(ledger)
    leases.lease(ledger, 1, 2, leases.whole())
    found = measure(ledger)
    assert found.leases == {PENDING: 1}
    assert set(found.lateness.values()) == {0.0}
    ledger.clock.move((leases.at(1) - ledger.clock()) / 1_000_000 + 90)
    late = dict(measure(ledger).lateness)
    assert 90 <= late.pop("lease_event") < 91
    assert set(late.values()) == {0.0}


def test_failed_conductors_are_told_from_live_ones(ledger: Ledger) -> None:
    assert measure(ledger).conductors == {"alive": 1, "stopped": 0, "failed": 0}
    ledger.clock.move(3_600)
    assert measure(ledger).conductors == {"alive": 0, "stopped": 0, "failed": 1}


def test_number_of_statements_does_not_depend_on_the_site(ledger: Ledger) -> None:
    def count(tx) -> int:
        measure_site(tx, SERVICE, ledger.clock(), None)
        return tx.statements

    before = ledger.store.read(count)
    for kind in ("gold", "tin"):
        ledger.enrol(resource_class=kind, state="active")
        allocate(ledger, resource_class=kind, wait_seconds=60)
    assert ledger.store.read(count) == before
