"""Hosts in the memory of a process: read once, again when they have changed, and never older than the transaction."""

import pytest
from msgspec.structs import replace

from dibs.access.access import SERVICE
from dibs.database import open_store
from dibs.leases.model.matching.fleet import Fleet
from dibs.leases.operations.hosts import delete_host
from dibs.leases.queries import hosts
from dibs.leases.queries.matching import fleet
from dibs.ledger.operations.providers import ChangeProvider, change_provider
from dibs.ledger.queries import providers, traits
from tests.builders import Ledger
from tests.lease_builders import make_host, register, set_properties
from tests.provider_builders import claim, make, statements


def every(ledger: Ledger) -> Fleet:
    return ledger.store.read(fleet.every)


def test_hosts_are_those_of_the_tables(ledger: Ledger) -> None:
    for number in range(3):
        make_host(ledger, gpu=f"g{number}")
    register(ledger, ledger.enrol(resource_class="gold"))
    found, rows = every(ledger).hosts, ledger.store.read(hosts.every)
    assert [replace(found[host.id], inventories={}) for host in rows] == [
        replace(host, inventories={}) for host in rows
    ]
    for host in rows:
        assert {name: each.total for name, each in host.inventories.items()} == {
            name: each.total for name, each in found[host.id].inventories.items()
        }


def test_unchanged_hosts_are_read_once_in_a_process(ledger: Ledger) -> None:
    make_host(ledger)
    first = every(ledger)
    assert statements(ledger, lambda: every(ledger)) == 1
    assert every(ledger) is first


def test_a_change_of_one_host_reads_no_other(ledger: Ledger) -> None:
    made = [make_host(ledger) for _ in range(8)]
    before = every(ledger).hosts
    set_properties(ledger, made[0], gpu="a100")
    after = every(ledger).hosts
    assert after[made[0].id].properties == {"gpu": "a100"}
    assert sum(after[host.id] is before[host.id] for host in made) >= 4, "those of other buckets"


def test_every_change_of_a_host_is_seen_by_other_processes(ledger: Ledger, database_url: str) -> None:
    reader = open_store(database_url)
    try:
        kept, gone = make_host(ledger, "kept"), make_host(ledger, "gone")
        assert list(reader.read(fleet.every).hosts) == [kept.id, gone.id]
        set_properties(ledger, kept, gpu="a100")
        assert reader.read(fleet.every).hosts[kept.id].properties == {"gpu": "a100"}
        ledger.run(lambda tx: traits.add(tx, kept.provider_id, ["COMPUTE_STATUS_DISABLED"], 1))
        assert reader.read(fleet.every).hosts[kept.id].out_of_service == "disabled"
        command = ChangeProvider(uuid=kept.provider, name="renamed", parent=None, may_move_again=False)
        ledger.runner.write(change_provider, SERVICE, command)
        assert reader.read(fleet.every).hosts[kept.id].name == "renamed"
        ledger.runner.write(delete_host, SERVICE, str(gone.id))
        assert list(reader.read(fleet.every).hosts) == [kept.id]
    finally:
        reader.close()


def test_a_transaction_sees_its_own_changes_and_leaves_the_versions_for_its_end(ledger: Ledger) -> None:
    made = make_host(ledger)
    known = every(ledger)

    def change(tx) -> Fleet:
        hosts.set_properties(tx, made, {"gpu": "a100"}, 1)
        found = fleet.every(tx)
        assert tx.recall(fleet.REMEMBERED).fleet is known
        return found

    assert ledger.run(change).hosts[made.id].properties == {"gpu": "a100"}


def test_hosts_that_differ_only_in_name_are_of_one_kind(ledger: Ledger) -> None:
    alike = [make_host(ledger, gpu="a100").id for _ in range(3)]
    others = [make_host(ledger).id, make_host(ledger, gpu="a100", VCPU=8).id]
    kinds = sorted(sorted(host.id for host in kind) for kind in every(ledger).kinds)
    assert kinds == [alike, *([each] for each in others)]


def test_state_of_a_node_is_as_new_as_the_transaction(ledger: Ledger) -> None:
    nodes = [ledger.enrol(resource_class="gold") for _ in range(3)]
    first, *_ = [register(ledger, node) for node in nodes]
    assert len(every(ledger).kinds) == 1
    ledger.change(nodes[0], maintenance=True)
    assert statements(ledger, lambda: every(ledger)) == 2
    assert every(ledger).hosts[first.id].out_of_service == "in maintenance"
    assert sorted(map(len, every(ledger).kinds)) == [1, 2]


def test_provider_that_is_no_host_is_not_read(ledger: Ledger) -> None:
    made = make_host(ledger)
    every(ledger)
    make(ledger, VCPU=4)
    assert list(every(ledger).hosts) == [made.id]


def test_claimed_nodes_are_of_no_common_kind(ledger: Ledger) -> None:
    """The user of one may leave with its lease, and that of the other may have no end."""
    for _ in range(2):
        node = ledger.enrol(resource_class="gold")
        register(ledger, node)
        provider = ledger.store.read(lambda tx, uuid=node.uuid: providers.get(tx, uuid))
        claim(ledger, provider, CUSTOM_GOLD=1)
    assert [len(kind) for kind in every(ledger).kinds] == [1, 1]


def test_node_that_becomes_a_host_after_the_comparison_is_left_out(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = register(ledger, ledger.enrol(resource_class="gold"))
    known = ledger.store.read(fleet._current)
    register(ledger, ledger.enrol(resource_class="gold"))
    monkeypatch.setattr(fleet, "_current", lambda tx: known)
    assert list(every(ledger).hosts) == [first.id]


def test_host_that_is_removed_between_two_statements_is_left_out(ledger: Ledger) -> None:
    make_host(ledger)
    rows = ledger.store.read(hosts.every)
    assert fleet._parts((rows, {}), {0: 1})[0].members == []
