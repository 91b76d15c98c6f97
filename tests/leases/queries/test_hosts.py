from dibs.leases.model.hosts import NO_DETAILS, HostDetails
from dibs.leases.queries import hosts
from tests.builders import Ledger
from tests.lease_builders import make_host, register


def test_only_requested_details_are_read(ledger: Ledger) -> None:
    made = make_host(ledger, gpu="a100")
    assert set(made.inventories) == {"VCPU", "MEMORY_MB", "DISK_GB"}
    (bare,) = ledger.store.read(lambda tx: hosts.every(tx, NO_DETAILS))
    assert (bare.inventories, bare.properties) == ({}, {})
    details = HostDetails(classes=frozenset({"VCPU"}), properties=False)
    (partial,) = ledger.store.read(lambda tx: hosts.every(tx, details))
    assert set(partial.inventories) == {"VCPU"}


def test_unit_and_hold_of_a_node_are_always_read(ledger: Ledger) -> None:
    node = ledger.enrol(resource_class="gold")
    register(ledger, node)
    (host,) = ledger.store.read(lambda tx: hosts.every(tx, NO_DETAILS))
    assert set(host.inventories) == {"CUSTOM_GOLD"}
    assert host.node is not None
    assert (host.node.uuid, host.node.used_until) == (node.uuid, None)


def test_properties_are_set_and_removed(ledger: Ledger) -> None:
    made = make_host(ledger, gpu="a100", rack="r1")
    ledger.run(lambda tx: hosts.set_properties(tx, made, {"gpu": None, "rack": "r2", "row": "7"}, 1))
    found = ledger.store.read(lambda tx: hosts.get(tx, made.id))
    assert found is not None
    assert found.properties == {"rack": "r2", "row": "7"}


def test_unknown_hosts_are_left_out(ledger: Ledger) -> None:
    made = make_host(ledger)
    assert ledger.store.read(lambda tx: hosts.some(tx, [made.id, 999])) == [made]
    assert ledger.store.read(lambda tx: hosts.get(tx, 999)) is None
    assert ledger.run(lambda tx: hosts.rename(tx, 999, "x")) is None
