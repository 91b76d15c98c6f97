"""The hosts that leases get: whole hosts, instances, nodes, and several reservations in one lease."""

import uuid

import pytest

from dibs.access.access import SERVICE
from dibs.flavors.model.errors import FlavorNotFound
from dibs.flavors.operations.flavors import create_flavor
from dibs.flavors.queries import flavors
from dibs.leases.model.dates import LeaseRules
from dibs.leases.model.errors import BadLease, MalformedRequirements, NotEnoughHosts
from dibs.leases.model.leases import class_of
from dibs.leases.model.matching.earliest_start import SearchResult
from dibs.leases.model.windows import MINUTE
from dibs.leases.queries import hosts
from dibs.ledger.queries import traits
from tests.builders import Ledger
from tests.hold_builders import hold
from tests.lease_builders import (
    MEMBER,
    OWNER,
    at,
    booked,
    delete,
    find_later_start,
    flavored,
    instances,
    lease,
    make_host,
    read_availability,
    register,
    whole,
)


def refusal(ledger: Ledger, *asked, **options) -> str:
    with pytest.raises(NotEnoughHosts) as raised:
        lease(ledger, *asked, **options)
    return str(raised.value)


def make_flavor(ledger: Ledger, name: str, **values) -> None:
    sizes = {"vcpus": 4, "memory_mb": 8192, "disk_gb": 40, **values}
    ledger.runner.write(create_flavor, SERVICE, {"flavor": name, "name": name, **sizes})


# --- whole hosts ---


def test_host_is_never_booked_twice_for_overlapping_windows(ledger):
    make_host(ledger)
    lease(ledger, 2, 4, whole())
    for window in ((1, 3), (3, 5), (2, 4), (1, 9), (2.5, 3.5)):
        assert "1 booked in that time" in refusal(ledger, *window, whole())


def test_adjacent_windows_share_a_host(ledger):
    make_host(ledger)
    lease(ledger, 2, 4, whole())
    assert lease(ledger, 4, 6, whole())
    assert lease(ledger, 1, 2, whole())


def test_cleaning_time_keeps_leases_apart(ledger):
    make_host(ledger)
    rules = LeaseRules(cleaning_minutes=30)
    lease(ledger, 2, 4, whole(), rules=rules)
    refusal(ledger, 4.25, 5, whole(), rules=rules)
    assert find_later_start(ledger, 4.25, 5, whole(), rules=rules).moment == at(4.5)
    refusal(ledger, 1, 1.75, whole(), rules=rules)
    assert lease(ledger, 4.5, 5, whole(), rules=rules)
    assert lease(ledger, 1, 1.5, whole(), rules=rules)


def test_lease_gets_between_min_and_max_hosts(ledger):
    for _ in range(3):
        make_host(ledger)
    assert len(booked(ledger, lease(ledger, 1, 2, whole(1, 2)))) == 2
    assert len(booked(ledger, lease(ledger, 1, 2, whole(1, 9)))) == 1
    assert "3 booked in that time" in refusal(ledger, 1, 2, whole(1, 9))


def test_unbooked_hosts_are_chosen_first(ledger):
    hosts = [make_host(ledger) for _ in range(6)]
    first = lease(ledger, 5, 6, whole(3))
    second = lease(ledger, 1, 2, whole(3))
    assert booked(ledger, second).keys() == {host.id for host in hosts} - booked(ledger, first).keys()


def test_seed_decides_among_equal_hosts(ledger):
    for _ in range(8):
        make_host(ledger)
    picked = {tuple(read_availability(ledger, 1, 2, whole(), seed=seed).assignments[0]) for seed in range(40)}
    assert len(picked) > 3


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ('["==", "$gpu", "a100"]', 1),
        ('["=", "$gpu", "a100"]', 1),
        ('["!=", "$gpu", "a100"]', 1),
        ('["and", ["==", "$gpu", "h100"], [">=", "$vcpus", "32"]]', 1),
        ('["and", ["==", "$gpu", "h100"], [">", "$vcpus", "64"]]', 0),
        ('["<", "$memory_mb", "1024"]', 0),
        ('["or", ["==", "$gpu", "a100"], ["==", "$gpu", "h100"]]', 2),
        ('["not", ["==", "$gpu", "a100"]]', 2),
        ('["and", [">=", "$vcpus", "1"], ["not", ["or", ["==", "$gpu", "a100"], ["==", "$gpu", "h100"]]]]', 1),
        ('["==", "$hypervisor_type", "QEMU"]', 3),
        ("[]", 3),
        ("", 3),
    ],
)
def test_chosen_hosts_meet_the_requirements(ledger, text, fits):
    make_host(ledger, gpu="a100")
    make_host(ledger, gpu="h100")
    make_host(ledger)
    if fits:
        assert len(booked(ledger, lease(ledger, 1, 2, whole(1, 9, resource_properties=text)))) == fits
        assert len(booked(ledger, lease(ledger, 3, 4, whole(1, 9, hypervisor_properties=text)))) == fits
    else:
        assert "lack" in refusal(ledger, 1, 2, whole(resource_properties=text))


@pytest.mark.parametrize(
    "text",
    [
        "nonsense", "{}", '"x"', '["or", ["==", "$a", "b"], "c"]', '["==", "gpu", "a"]', '["==", "$gpu"]',
        '["~", "$gpu", "a"]', '["==", "$gpu", 1]', '[">=", "$vcpus", "many"]', '["!=", "$trait:CUSTOM_X", "required"]',
        '["==", "$trait:CUSTOM_X", "perhaps"]', "[" * 30 + "]" * 30,
    ],
)  # fmt: skip
def test_malformed_requirements_are_refused(ledger, text):
    make_host(ledger, gpu="a")
    with pytest.raises(MalformedRequirements):
        lease(ledger, 1, 2, whole(resource_properties=text))


def test_requirement_on_an_unknown_property_is_refused(ledger):
    make_host(ledger, gpu="a")
    with pytest.raises(BadLease, match="zzz"):
        lease(ledger, 1, 2, whole(resource_properties='["==", "$zzz", "1"]'))


# --- instances ---


def test_hosts_share_more_instances_than_there_are_hosts(ledger):
    hosts = [make_host(ledger) for _ in range(2)]
    made = lease(ledger, 1, 2, instances(7, vcpus=16))
    assert sorted(booked(ledger, made).values()) == [3, 4]
    assert booked(ledger, made).keys() == {host.id for host in hosts}
    text = refusal(ledger, 1, 2, instances(2, vcpus=16))
    assert "2 hosts: 1 booked in that time, 1 with room for 1 of 2 instances." in text


def test_instances_with_affinity_have_one_host(ledger):
    for _ in range(3):
        make_host(ledger)
    assert list(booked(ledger, lease(ledger, 1, 2, instances(4, vcpus=16, affinity=True))).values()) == [4]
    assert "with room for some" in refusal(ledger, 1, 2, instances(5, vcpus=16, affinity=True))


def test_instances_with_anti_affinity_have_a_host_each(ledger):
    for _ in range(3):
        make_host(ledger)
    assert list(booked(ledger, lease(ledger, 1, 2, instances(3, affinity=False))).values()) == [1, 1, 1]
    assert "3 free" in refusal(ledger, 1, 2, instances(4, affinity=False))


def test_bookings_never_exceed_capacity(ledger):
    """Three instances of 20 processors and one of 40 do not fit on 64."""
    make_host(ledger)
    lease(ledger, 1, 9, instances(3, vcpus=20))
    refusal(ledger, 2, 3, instances(1, vcpus=40))
    assert lease(ledger, 2, 3, instances(1, vcpus=4))
    refusal(ledger, 2, 3, instances(1, vcpus=1))
    assert lease(ledger, 3, 4, instances(4, vcpus=1))


def test_peak_of_bookings_counts_and_not_their_sum(ledger):
    make_host(ledger)
    lease(ledger, 1, 2, instances(1, vcpus=40))
    lease(ledger, 2, 3, instances(1, vcpus=40))
    assert lease(ledger, 1, 3, instances(1, vcpus=24))
    refusal(ledger, 1.5, 2.5, instances(1, vcpus=1))


def test_host_is_booked_either_whole_or_for_instances(ledger):
    make_host(ledger)
    lease(ledger, 1, 2, whole())
    lease(ledger, 3, 4, instances())
    refusal(ledger, 1, 2, instances())
    refusal(ledger, 3, 4, whole())


def test_instance_larger_than_every_host_fits_at_no_time(ledger):
    make_host(ledger)
    make_host(ledger, VCPU=8)
    text = refusal(ledger, 1, 2, instances(1, vcpus=65))
    assert text == "Not enough hosts available: 2 hosts: 2 too small."
    assert find_later_start(ledger, 1, 2, instances(1, vcpus=65)).result is SearchResult.NEVER


def test_instance_without_resources_is_refused(ledger):
    make_host(ledger)
    with pytest.raises(BadLease):
        lease(ledger, 1, 2, instances(vcpus=0, resources={"MEMORY_MB": 0}))


def test_instances_fill_booked_hosts_first_so_that_whole_hosts_stay_free(ledger):
    for _ in range(4):
        make_host(ledger)
    for seed in range(6):
        lease(ledger, 1, 2, instances(), seed=seed)
    assert lease(ledger, 1, 2, whole(3))


# --- flavors ---


def test_instances_of_a_flavor_take_its_resources(ledger):
    make_host(ledger)
    make_flavor(ledger, "m1", ephemeral_gb=10, extra_specs={"hw:x": "y"})
    made = lease(ledger, 1, 2, flavored("m1", 2))
    (reservation,) = made.reservations
    assert reservation.resources == {"VCPU": 4, "MEMORY_MB": 8192, "DISK_GB": 50}
    assert '"id": "m1"' in reservation.resource_properties
    private = ledger.store.read(lambda tx: flavors.get(tx, reservation.uuid))
    assert private.extra_specs == {"hw:x": "y", f"resources:{class_of(reservation.uuid)}": "1"}
    assert (private.vcpus, private.ephemeral_gb) == (4, 10)


def test_dedicated_processors_are_booked_as_pcpu(ledger):
    make_host(ledger)
    make_host(ledger, PCPU=8)
    make_flavor(ledger, "pinned", extra_specs={"hw:cpu_policy": "dedicated"})
    assert list(booked(ledger, lease(ledger, 1, 2, flavored("pinned", 2))).values()) == [2]
    assert "1 too small" in refusal(ledger, 1, 2, flavored("pinned"))


def test_flavor_that_the_caller_does_not_see_is_not_found(ledger):
    make_host(ledger)
    make_flavor(ledger, "theirs", public=False)
    for name in ("theirs", "none"):
        with pytest.raises(FlavorNotFound):
            lease(ledger, 1, 2, flavored(name), access=MEMBER)
    assert lease(ledger, 1, 2, flavored("theirs"), access=OWNER)


def test_flavor_of_a_reservation_cannot_be_reserved_again(ledger):
    make_host(ledger)
    made = lease(ledger, 1, 2, instances())
    with pytest.raises(BadLease):
        lease(ledger, 1, 2, flavored(made.reservations[0].uuid))


# --- nodes ---


def test_nodes_are_booked_by_class_and_traits(ledger):
    gold = [ledger.enrol(resource_class="gold", with_traits=("CUSTOM_GPU",) * n) for n in range(2)]
    tin = ledger.enrol(resource_class="tin")
    ids = {node.uuid: register(ledger, node).id for node in (*gold, tin)}
    make_flavor(
        ledger,
        "gpu",
        extra_specs={
            "resources:CUSTOM_GOLD": "1",
            "resources:VCPU": "0",
            "resources:MEMORY_MB": "0",
            "resources:DISK_GB": "0",
            "trait:CUSTOM_GPU": "required",
        },
    )
    assert booked(ledger, lease(ledger, 1, 2, flavored("gpu"))) == {ids[gold[1].uuid]: 1}
    text = refusal(ledger, 1, 2, flavored("gpu"))
    assert "2 lack CUSTOM_GPU, 1 booked in that time" in text
    plain = whole(resource_properties='["==", "$resource_class", "tin"]')
    assert booked(ledger, lease(ledger, 1, 2, plain)) == {ids[tin.uuid]: 1}
    without = '["and", ["==", "$resource_class", "gold"], ["==", "$trait:CUSTOM_GPU", "forbidden"]]'
    assert booked(ledger, lease(ledger, 1, 2, whole(resource_properties=without))) == {ids[gold[0].uuid]: 1}


def test_node_out_of_service_is_not_booked(ledger):
    node = ledger.enrol(resource_class="gold")
    register(ledger, node)
    ledger.change(node, maintenance=True)
    assert "1 in maintenance" in refusal(ledger, 1, 2, whole())
    ledger.change(node, maintenance=False)
    assert lease(ledger, 1, 2, whole())


def test_disabled_compute_host_is_not_booked(ledger):
    host = make_host(ledger)
    ledger.store.write(lambda tx: traits.add(tx, host.provider_id, ["COMPUTE_STATUS_DISABLED"], 1))
    assert "1 disabled" in refusal(ledger, 1, 2, instances())


def test_node_in_use_is_not_booked(ledger):
    node = ledger.enrol(resource_class="gold")
    register(ledger, node)
    ledger.change(node, instance_uuid=str(uuid.uuid4()))
    assert refusal(ledger, 1, 2, whole()).endswith("1 host: 1 in use.")


def test_held_node_is_booked_from_the_end_of_its_hold(ledger):
    node = ledger.enrol(resource_class="gold")
    register(ledger, node)
    made = hold(ledger, node, seconds=2 * 3600)
    assert made.expires_at < at(1) + MINUTE
    text = refusal(ledger, 0.5, 1.5, whole())
    assert "1 held in that time" in text
    assert find_later_start(ledger, 0.5, 1.5, whole()).moment in (at(1), at(1) + MINUTE)
    assert lease(ledger, 1.1, 2, whole())


# --- several reservations ---


def test_reservations_of_one_lease_do_not_share_hosts(ledger):
    for _ in range(3):
        make_host(ledger)
    assert len(booked(ledger, lease(ledger, 1, 2, whole(), whole(), instances()))) == 3
    assert "reservation 3: 3 hosts: 3 booked" in refusal(ledger, 3, 4, whole(), whole(2), instances())


def test_scarce_hosts_are_left_to_the_reservation_that_needs_them(ledger):
    make_host(ledger, gpu="yes")
    make_host(ledger)
    gpu = '["==", "$gpu", "yes"]'
    for seed in range(8):
        made = lease(ledger, 1, 2, whole(), whole(resource_properties=gpu), seed=seed)
        delete(ledger, made)
        delete(ledger, lease(ledger, 1, 2, whole(1, 2), whole(resource_properties=gpu), seed=seed))


# --- samples of hosts ---


@pytest.fixture
def fleet(ledger):
    """Create more hosts than the search samples for a lease of one host."""
    return [make_host(ledger, gpu="yes" if number == 7 else "no") for number in range(12)]


def test_most_leases_are_booked_without_reading_every_host(ledger, fleet, monkeypatch):
    gpu = '["==", "$gpu", "yes"]'
    with monkeypatch.context() as patched:
        patched.setattr(hosts, "every", lambda *_: pytest.fail("every host was read"))
        for hour in range(4):
            lease(ledger, hour, hour + 1, whole(2), instances(2))
        rare = lease(ledger, 5, 6, instances(resource_properties=gpu))
    assert booked(ledger, rare) == {fleet[7].id: 1}


def test_hosts_outside_of_the_sample_are_found_and_counted(ledger, fleet):
    """No statement compares sizes, so the sample of most seeds lacks the only large host."""
    large = make_host(ledger, VCPU=128)
    wanted = whole(resource_properties='[">=", "$vcpus", "100"]')
    for seed in range(8):
        made = lease(ledger, 1, 2, wanted, seed=seed)
        assert booked(ledger, made) == {large.id: 1}
        assert "13 hosts: 12 lack vcpus >= '100', 1 booked in that time" in refusal(ledger, 1, 2, wanted, seed=seed)
        delete(ledger, made)


def test_lease_with_a_maximum_gets_every_host_that_is_free(ledger, fleet):
    assert len(booked(ledger, lease(ledger, 1, 2, whole(1, 500)))) == len(fleet)
