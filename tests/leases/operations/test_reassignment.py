"""Reassignment of reservations whose hosts fail before the lease begins."""

import pytest

from dibs.access.access import SERVICE
from dibs.conductor.leases import LeaseWorker
from dibs.ledger.operations.provider_traits import SetProviderTraits, set_provider_traits
from tests import lease_builders as leases
from tests.builders import Ledger


@pytest.fixture
def worker(ledger: Ledger) -> LeaseWorker:
    """The part of a conductor that runs events and reassigns hosts, without its thread."""
    return LeaseWorker(ledger.runner, ledger.clock, reassignment_seconds=1, cleaning_minutes=0)


def disable(ledger: Ledger, host) -> None:
    command = SetProviderTraits(provider=host.provider, generation=None, traits=("COMPUTE_STATUS_DISABLED",))
    ledger.runner.write(set_provider_traits, SERVICE, command)


def test_node_in_maintenance_is_replaced_before_the_lease_begins(ledger, worker):
    nodes = {leases.register(ledger, node).id: node for node in (ledger.enrol(resource_class="gold") for _ in range(2))}
    made = leases.lease(ledger, 1, 2, leases.whole())
    (failed,) = leases.booked(ledger, made)
    ledger.change(nodes[failed], maintenance=True)
    assert worker.reassign() == 1
    now = leases.shown(ledger, made)
    assert (now.degraded, now.reservations[0].resources_changed, now.reservations[0].missing_resources) == (
        True,
        True,
        False,
    )
    assert leases.booked(ledger, made).keys() == nodes.keys() - {failed}
    assert worker.reassign() == 0


def test_host_without_replacement_is_missing_until_one_is_available(ledger, worker):
    host = leases.make_host(ledger)
    made = leases.lease(ledger, 1, 2, leases.instances(2))
    disable(ledger, host)
    assert worker.reassign() == 1
    now = leases.shown(ledger, made)
    assert (now.degraded, now.reservations[0].missing_resources) == (True, True)
    assert leases.booked(ledger, made) == {}
    assert worker.reassign() == 0
    other = leases.make_host(ledger)
    assert worker.reassign() == 1
    now = leases.shown(ledger, made).reservations[0]
    assert (now.missing_resources, now.resources_changed) == (False, True)
    assert leases.booked(ledger, made) == {other.id: 2}


def test_lease_that_has_begun_keeps_its_hosts(ledger, worker):
    node = ledger.enrol(resource_class="gold")
    leases.register(ledger, node)
    made = leases.lease(ledger, 1, 2, leases.whole())
    ledger.clock.move((leases.at(1) - ledger.clock()) / 1_000_000)
    worker.run_events()
    ledger.change(node, maintenance=True)
    assert worker.reassign() == 0
    assert not leases.shown(ledger, made).degraded
