from typing import Any

import pytest

from dibs.access.access import SERVICE
from dibs.leases.model.hosts import DISABLED_TRAIT, Host
from dibs.leases.model.leases import Reservation
from dibs.leases.model.matching.needs import HostNeed, need_of
from dibs.leases.model.windows import Window
from dibs.leases.operations.hosts import delete_host
from dibs.leases.operations.planning import ReservationRequest
from dibs.leases.queries.matching import free_hosts
from dibs.leases.queries.matching.free_hosts import Reach
from dibs.ledger.queries import traits
from tests.builders import Ledger
from tests.hold_builders import hold, put
from tests.lease_builders import at, instances, lease, make_host, register, whole

FLEET = 12


@pytest.fixture
def fleet(ledger: Ledger) -> list[Host]:
    """Create more hosts than are sampled for a lease of one host."""
    return [make_host(ledger, f"host-{number}", rack=f"r{number}") for number in range(FLEET)]


def need(request: ReservationRequest) -> HostNeed:
    values: dict[str, Any] = {name: getattr(request, name) for name in ("resource_type", "least", "most", "resources")}
    text = request.resource_properties
    return need_of(Reservation(id=1, uuid="r", status="pending", created_at=0, resource_properties=text, **values))


def sampled(
    ledger: Ledger,
    request: ReservationRequest,
    start: float = 1,
    end: float = 2,
    seed: int = 1,
    reach: Reach = Reach.NEAR,
) -> list[int]:
    window = Window(at(start), at(end))
    return ledger.store.read(lambda tx: free_hosts.sample(tx, need(request), 1, window, seed, reach))


def ever_sampled(ledger: Ledger, request: ReservationRequest, start: float = 1, end: float = 2) -> set[int]:
    """Return the hosts that are in the samples of some seed."""
    return {host_id for seed in range(8) for host_id in sampled(ledger, request, start, end, seed)}


def set_host_traits(ledger: Ledger, host: Host, trait: str) -> None:
    ledger.store.write(lambda tx: traits.add(tx, host.provider_id, [trait], 1))


def with_text(sign: str, key: str, value: str) -> ReservationRequest:
    return whole(resource_properties=f'["{sign}", "${key}", "{value}"]')


def test_sample_is_smaller_than_the_fleet_and_depends_on_the_seed(ledger: Ledger, fleet: list[Host]) -> None:
    found = [sampled(ledger, whole(), seed=seed) for seed in range(8)]
    assert {len(each) for each in found} == {1 + free_hosts.SPARE}
    assert len({tuple(each) for each in found}) > 1
    assert ever_sampled(ledger, whole()) == {host.id for host in fleet}


def test_nothing_is_sampled_when_the_request_is_as_large_as_the_fleet(ledger: Ledger, fleet: list[Host]) -> None:
    assert sampled(ledger, whole(FLEET)) == []


def test_hosts_are_counted_for_a_large_request_where_ids_have_gaps(
    ledger: Ledger, fleet: list[Host], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(free_hosts, "NEAR_MAX", 1)
    for host in fleet[1:-1]:
        ledger.runner.write(delete_host, SERVICE, str(host.id))
    assert sampled(ledger, whole(3), reach=Reach.FAR) == []


def test_nothing_is_sampled_without_hosts(ledger: Ledger) -> None:
    assert sampled(ledger, whole()) == []


@pytest.mark.parametrize(
    ("key", "value"),
    [("rack", "r3"), ("hypervisor_hostname", "host-3"), ("trait:HW_CPU_X86_AVX2", "required"), ("id", "")],
)
def test_only_the_host_that_meets_a_requirement_is_sampled(
    ledger: Ledger, fleet: list[Host], key: str, value: str
) -> None:
    set_host_traits(ledger, fleet[3], "HW_CPU_X86_AVX2")
    assert ever_sampled(ledger, with_text("==", key, value or str(fleet[3].id))) == {fleet[3].id}


def test_requirement_that_no_statement_checks_excludes_no_host(ledger: Ledger, fleet: list[Host]) -> None:
    assert len(sampled(ledger, with_text(">=", "vcpus", "1000"))) == 1 + free_hosts.SPARE


def test_disabled_hosts_and_hosts_with_a_forbidden_trait_are_not_sampled(ledger: Ledger, fleet: list[Host]) -> None:
    set_host_traits(ledger, fleet[0], DISABLED_TRAIT)
    set_host_traits(ledger, fleet[1], "HW_CPU_X86_AVX2")
    expected = {host.id for host in fleet[2:]}
    assert ever_sampled(ledger, with_text("==", "trait:HW_CPU_X86_AVX2", "forbidden")) == expected


def test_hosts_without_a_class_or_too_small_for_an_instance_are_not_sampled(ledger: Ledger, fleet: list[Host]) -> None:
    large = make_host(ledger, VCPU=128)
    register(ledger, ledger.enrol(resource_class="gold"))
    assert ever_sampled(ledger, instances(1, vcpus=100)) == {large.id}


def test_whole_hosts_without_bookings_are_sampled_before_those_booked_at_other_times(
    ledger: Ledger, fleet: list[Host]
) -> None:
    for host in fleet[:5]:
        lease(ledger, 5, 6, with_text("==", "id", str(host.id)))
    found = sampled(ledger, whole())
    assert set(found[: FLEET - 5]) == {host.id for host in fleet[5:]}
    assert set(found[FLEET - 5 :]) <= {host.id for host in fleet[:5]}
    assert ever_sampled(ledger, whole(), 5, 6) == {host.id for host in fleet[5:]}


def test_instances_are_sampled_where_something_else_than_the_whole_host_is_booked(
    ledger: Ledger, fleet: list[Host]
) -> None:
    def on(host: Host) -> str:
        return f'["==", "$id", "{host.id}"]'

    lease(ledger, 1, 2, whole(resource_properties=on(fleet[0])))
    lease(ledger, 1, 2, instances(resource_properties=on(fleet[1])))
    found = sampled(ledger, instances())
    assert found[0] == fleet[1].id
    assert fleet[0].id not in ever_sampled(ledger, instances())


def test_nodes_in_use_held_or_out_of_service_are_not_sampled(ledger: Ledger, fleet: list[Host]) -> None:
    used, held, broken, retired, free = (ledger.enrol(resource_class="gold") for _ in range(5))
    found = [register(ledger, node) for node in (used, held, broken, retired, free)]
    ledger.change(used, instance_uuid="7f6a2b0c-0000-4000-8000-000000000001")
    hold(ledger, held, seconds=7_200)
    ledger.change(broken, maintenance=True)
    put(ledger, retired, retired=True)
    assert ever_sampled(ledger, with_text("==", "resource_class", "gold")) == {found[-1].id}


def test_short_walk_passes_few_hosts_and_a_long_one_all(
    ledger: Ledger, fleet: list[Host], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(free_hosts, "NEAR_MAX", 3)
    for seed in range(8):
        near = sampled(ledger, whole(), seed=seed)
        start = near[0] - fleet[0].id
        assert near == [host.id for host in [*fleet, *fleet][start : start + 3]]
    assert len(sampled(ledger, whole(), reach=Reach.FAR)) == 1 + free_hosts.SPARE


def test_short_walk_passes_hosts_on_both_sides_of_a_gap_in_the_ids(
    ledger: Ledger, fleet: list[Host], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(free_hosts, "NEAR_MAX", 3)
    monkeypatch.setattr(free_hosts, "SPARE", 2)
    left = [fleet[0].id, fleet[-2].id, fleet[-1].id]
    for host in fleet[1:-2]:
        ledger.runner.write(delete_host, SERVICE, str(host.id))
    for seed in range(8):
        near = sampled(ledger, whole(), seed=seed)
        start = left.index(near[0])
        assert near == [*left, *left][start : start + 3]


def test_long_walk_finds_hosts_that_are_free_in_the_window(ledger: Ledger, fleet: list[Host]) -> None:
    used = ledger.enrol(resource_class="gold")
    host = register(ledger, used)
    ledger.change(used, instance_uuid="7f6a2b0c-0000-4000-8000-000000000001")
    for taken in fleet[:5]:
        lease(ledger, 1, 2, with_text("==", "id", str(taken.id)))
    free = {host_id for seed in range(8) for host_id in sampled(ledger, whole(), seed=seed, reach=Reach.FAR)}
    assert free == {each.id for each in fleet[5:]}
    assert host.id not in free
