"""Registration, properties, bookings and removal of hosts over a real ledger."""

import pytest

from dibs.access.access import SERVICE
from dibs.errors import BadValue
from dibs.leases.model.errors import (
    HostBooked,
    HostExists,
    HostInUse,
    HostNotFound,
    HostPropertyInUse,
    HostPropertyNotFound,
    NoSuchHost,
)
from dibs.leases.operations.hosts import (
    ListHostBookings,
    RegisterHost,
    SetPropertyPrivacy,
    delete_host,
    get_host,
    list_host_bookings,
    list_hosts,
    list_property_names,
    register_host,
    set_property_privacy,
)
from dibs.ledger.model.errors import ProviderExists
from dibs.ledger.operations.providers import ChangeProvider, change_provider, get_provider
from tests.builders import Ledger
from tests.laws import read_tables
from tests.lease_builders import MEMBER, at, delete, instances, lease, make_host, register, set_properties, whole
from tests.provider_builders import claim, make, statements


def find(ledger: Ledger, host_id: object):
    return ledger.runner.read(get_host, SERVICE, str(host_id))


def names(ledger: Ledger, access=SERVICE, with_private: bool = False) -> dict[str, tuple[str, ...]]:
    found = ledger.runner.read(list_property_names, access, with_private)
    return {each.property.name: each.values for each in found}


def test_registering_creates_a_reservation_provider_below_the_compute_provider(ledger):
    host = make_host(ledger, "compute-1", rack="r1")
    assert (host.name, host.vcpus, host.memory_mb, host.local_gb) == ("compute-1", 64, 262_144, 2_000)
    assert (host.service_name, host.hypervisor_type, host.out_of_service) == ("compute-1", "QEMU", None)
    assert host.properties == {"rack": "r1"}
    child = ledger.runner.read(get_provider, SERVICE, host.reservation_provider)
    assert (child.name, child.parent) == ("blazar_compute-1", host.provider)
    assert find(ledger, host.id) == host
    assert ledger.runner.read(list_hosts, SERVICE, None) == [host]


def test_host_is_found_by_name_or_uuid(ledger):
    make(ledger, "by-name", VCPU=1)
    assert ledger.runner.write(register_host, SERVICE, RegisterHost(name="by-name")).name == "by-name"
    other = make(ledger, "by-uuid", VCPU=1)
    assert ledger.runner.write(register_host, SERVICE, RegisterHost(name=other.uuid)).name == "by-uuid"


def test_node_is_a_host_with_the_sizes_of_its_properties(ledger):
    node = ledger.enrol(resource_class="gold", properties={"cpus": "8", "memory_mb": 4096, "local_gb": "lots"})
    host = register(ledger, node)
    assert (host.vcpus, host.memory_mb, host.local_gb, host.hypervisor_type) == (8, 4096, 0, "ironic")
    assert host.node.resource_class == "gold"


def called(ledger: Ledger, host_id: int) -> tuple[str, str, str]:
    host = find(ledger, host_id)
    child = ledger.runner.read(get_provider, SERVICE, host.reservation_provider)
    return host.name, host.service_name, child.name


def test_host_follows_the_name_of_its_node(ledger):
    node = ledger.enrol(name="before", resource_class="gold")
    other = register(ledger, ledger.enrol(name="other"))
    host = register(ledger, node)
    ledger.change(node, name="after")
    assert called(ledger, host.id) == ("after", "after", "blazar_after")
    ledger.change(node, name=None)
    assert called(ledger, host.id) == (node.uuid, node.uuid, f"blazar_{node.uuid}")
    assert called(ledger, other.id) == ("other", "other", "blazar_other")


def test_host_follows_the_name_of_its_compute_provider(ledger):
    host = make_host(ledger, "before")
    command = ChangeProvider(uuid=host.provider, name="after", may_move_again=True)
    ledger.runner.write(change_provider, SERVICE, command)
    assert called(ledger, host.id) == ("after", "after", "blazar_after")
    assert make_host(ledger, "before").id != host.id


def test_host_keeps_its_name_when_its_reservation_provider_cannot_have_the_new_one(ledger):
    node = ledger.enrol(name="before")
    host = register(ledger, node)
    make(ledger, "blazar_taken")
    with pytest.raises(ProviderExists):
        ledger.change(node, name="taken")
    with pytest.raises(BadValue, match="too long"):
        ledger.change(node, name="h" * 249)
    assert called(ledger, host.id) == ("before", "before", "blazar_before")
    assert ledger.node(node).name == "before"


def test_providers_that_are_not_hosts_cannot_be_registered(ledger):
    host = make_host(ledger, "twice")
    with pytest.raises(HostExists, match="blazar_twice"):
        ledger.runner.write(register_host, SERVICE, RegisterHost(name="twice"))
    for name in ("nope", "blazar_twice", host.reservation_provider):
        with pytest.raises(HostNotFound):
            ledger.runner.write(register_host, SERVICE, RegisterHost(name=name))
    make(ledger, "storage", DISK_GB=9)
    with pytest.raises(BadValue):
        ledger.runner.write(register_host, SERVICE, RegisterHost(name="storage"))


def test_name_that_leaves_no_room_for_the_reservation_provider_is_refused(ledger):
    make(ledger, "h" * 249, VCPU=1)
    with pytest.raises(BadValue):
        ledger.runner.write(register_host, SERVICE, RegisterHost(name="h" * 249))


def test_compute_host_in_use_cannot_be_registered_but_a_node_can(ledger):
    used = make(ledger, "used", VCPU=4)
    claim(ledger, used, VCPU=1)
    with pytest.raises(HostInUse, match="found for host used"):
        ledger.runner.write(register_host, SERVICE, RegisterHost(name="used"))
    below = make(ledger, "above", VCPU=4)
    claim(ledger, make(ledger, parent=below, SRIOV_NET_VF=1), SRIOV_NET_VF=1)
    with pytest.raises(HostInUse):
        ledger.runner.write(register_host, SERVICE, RegisterHost(name="above"))
    node = ledger.enrol(resource_class="gold")
    ledger.change(node, instance_uuid=node.uuid)
    assert register(ledger, node).node.instance_uuid == node.uuid


@pytest.mark.parametrize("name", ["k" * 65, "", "vcpus", "id", "trust_id", "reservable"])
def test_invalid_property_names_are_refused(ledger, name):
    make(ledger, "h", VCPU=1)
    with pytest.raises(BadValue):
        ledger.runner.write(register_host, SERVICE, RegisterHost(name="h", properties={name: "v"}))


@pytest.mark.parametrize("value", [1, True, [], "v" * 256])
def test_invalid_property_values_are_refused(ledger, value):
    make(ledger, "h", VCPU=1)
    with pytest.raises(BadValue):
        ledger.runner.write(register_host, SERVICE, RegisterHost(name="h", properties={"a": value}))


def test_properties_are_added_changed_and_removed(ledger):
    host = make_host(ledger, rack="r1")
    assert set_properties(ledger, host, gpu="yes", rack="r2").properties == {"gpu": "yes", "rack": "r2"}
    changed = set_properties(ledger, host, gpu=None)
    assert changed.properties == {"rack": "r2"}
    assert changed.updated_at is not None
    assert names(ledger) == {"gpu": (), "rack": ("r2",)}


def test_property_that_a_reservation_requires_cannot_change(ledger):
    host = make_host(ledger, gpu="yes", rack="r1")
    made = lease(ledger, 1, 2, whole(resource_properties='["==", "$gpu", "yes"]'))
    for value in ("no", None):
        with pytest.raises(HostPropertyInUse, match=r"\['gpu'\]"):
            set_properties(ledger, host, gpu=value)
    assert set_properties(ledger, host, gpu="yes", rack="r9").properties["rack"] == "r9"
    delete(ledger, made)
    assert set_properties(ledger, host, gpu="no").properties["gpu"] == "no"


def test_private_properties_are_for_operators(ledger):
    make_host(ledger, gpu="a100", rack="r1")
    make_host(ledger, gpu="h100")
    private = ledger.runner.write(set_property_privacy, SERVICE, SetPropertyPrivacy(name="rack", private=True))
    assert (private.name, private.private) == ("rack", True)
    assert names(ledger) == {"gpu": ("a100", "h100")}
    assert names(ledger, with_private=True) == {"gpu": ("a100", "h100"), "rack": ("r1",)}
    assert names(ledger, MEMBER, with_private=True) == {"gpu": ("a100", "h100")}
    ledger.runner.write(set_property_privacy, SERVICE, SetPropertyPrivacy(name="rack", private=False))
    assert "rack" in names(ledger)
    with pytest.raises(HostPropertyNotFound):
        ledger.runner.write(set_property_privacy, SERVICE, SetPropertyPrivacy(name="none", private=True))


def test_only_an_unbooked_host_can_be_removed(ledger, database_url):
    before = len(read_tables(database_url)["providers"])
    host = make_host(ledger, gpu="yes")
    made = lease(ledger, 1, 2, whole())
    with pytest.raises(HostBooked):
        ledger.runner.write(delete_host, SERVICE, str(host.id))
    delete(ledger, made)
    ledger.runner.write(delete_host, SERVICE, str(host.id))
    tables = read_tables(database_url)
    assert (tables["hosts"], tables["host_properties"]) == ([], [])
    assert len(tables["providers"]) == before + 1
    again = ledger.runner.write(register_host, SERVICE, RegisterHost(name=host.provider))
    assert again.name == host.name


@pytest.mark.parametrize("ident", ["99999", "x", "", "-1", "1.0", "9" * 40, "\u0661"])
def test_unknown_host_is_not_found(ledger, ident):
    make_host(ledger)
    with pytest.raises(NoSuchHost):
        find(ledger, ident)
    with pytest.raises(NoSuchHost):
        ledger.runner.write(delete_host, SERVICE, ident)
    with pytest.raises(NoSuchHost):
        ledger.runner.read(list_host_bookings, SERVICE, ListHostBookings(host=ident))


def test_bookings_are_listed_by_host_lease_and_reservation(ledger):
    one, two = make_host(ledger), make_host(ledger)
    first = lease(ledger, 1, 2, whole(2))
    second = lease(ledger, 3, 4, instances(3))

    def listed(**options) -> dict[int, list[tuple[str, int, int]]]:
        found = ledger.runner.read(list_host_bookings, SERVICE, ListHostBookings(**options))
        return {each.host.id: [(b.lease, b.start_at, b.amount) for b in each.bookings] for each in found}

    everything = listed()
    assert everything.keys() == {one.id, two.id}
    assert sum(len(bookings) for bookings in everything.values()) == 3
    assert listed(lease=first.uuid) == {one.id: [(first.uuid, at(1), 1)], two.id: [(first.uuid, at(1), 1)]}
    mine = listed(reservation=second.reservations[0].uuid)
    assert sorted(mine.values()) == [[], [(second.uuid, at(3), 3)]]
    assert listed(host=str(one.id)).keys() == {one.id}
    ledger.clock.move(3.5 * 3600)
    assert sum(len(bookings) for bookings in listed().values()) == 1
    assert listed(lease=first.uuid)[one.id] == [(first.uuid, at(1), 1)]


def test_lists_take_as_many_statements_for_fifty_hosts_as_for_one(ledger):
    make_host(ledger, gpu="yes")

    def measure() -> list[int]:
        return [
            statements(ledger, lambda: ledger.runner.read(list_hosts, SERVICE, None)),
            statements(ledger, lambda: ledger.runner.read(list_host_bookings, SERVICE, ListHostBookings())),
        ]

    few = measure()
    for number in range(50):
        make_host(ledger, gpu=str(number))
        lease(ledger, number, number + 1, whole())
    assert measure() == few
