"""An active lease releases a host or an instance that is not in use."""

import uuid

import pytest

from dibs.access.access import SERVICE
from dibs.access.actor import Actor
from dibs.access.lease_policy import LeasePolicy
from dibs.errors import Forbidden
from dibs.leases.model.errors import BadLease, LeaseConflict, LeaseNotFound
from dibs.leases.model.leases import START, Lease
from dibs.leases.operations.active.releasing import Released, ReleaseHost, release_host
from dibs.leases.operations.events import DueEvent, run_event
from dibs.ledger.model.claims import ClaimRequest
from dibs.ledger.operations.claims import ReplaceClaims, release_claims, replace_claims
from tests.builders import Ledger
from tests.event_rows import last_id, types
from tests.hold_builders import hold
from tests.laws import read_tables
from tests.lease_builders import MEMBER, OWNER, booked, instances, lease, make_host, register, shown, whole
from tests.quota_builders import limit, used


def begin(ledger: Ledger, made: Lease) -> Lease:
    ledger.clock.move((made.start_at - ledger.clock()) / 1_000_000 + 1)
    assert ledger.runner.write(run_event, SERVICE, DueEvent(lease=made.uuid, kind=START))
    return shown(ledger, made)


def release(ledger: Ledger, made: Lease, host: str) -> Released:
    return ledger.runner.write(release_host, MEMBER, ReleaseHost(uuid=made.uuid, host=host))


def claim(ledger: Ledger, provider: str, resources: dict[str, int]) -> str:
    consumer = str(uuid.uuid4())
    request = ClaimRequest(consumer=consumer, resources={provider: resources}, project_id="p", user_id="u")
    ledger.runner.write(replace_claims, SERVICE, ReplaceClaims(requests=(request,)))
    return consumer


def test_released_host_is_free_at_once(ledger: Ledger) -> None:
    for name in ("a", "b"):
        make_host(ledger, name)
    made = begin(ledger, lease(ledger, 1, 9, whole(2)))
    before = last_id(ledger.store)
    assert release(ledger, made, "a") == Released(lease=made.uuid, hosts={"b": 1})
    assert types(ledger.store, after=before) == ["booking.ended", "reservation.changed"]
    assert len(booked(ledger, made)) == 1
    (reservation,) = shown(ledger, made).reservations
    assert (reservation.least, reservation.most) == (1, 1)
    lease(ledger, 2, 3, whole())


@pytest.mark.parametrize("by", ["name", "id", "uuid"])
def test_host_is_named_by_name_id_or_uuid(ledger: Ledger, by: str) -> None:
    nodes = [ledger.enrol(name=name, resource_class="gold") for name in ("a", "b")]
    made_hosts = [register(ledger, node) for node in nodes]
    made = begin(ledger, lease(ledger, 1, 9, whole(2)))
    ident = {"name": "a", "id": str(made_hosts[0].id), "uuid": nodes[0].uuid}[by]
    assert release(ledger, made, ident).hosts == {"b": 1}
    hold(ledger, nodes[0], access=SERVICE)


def test_host_in_use_is_not_released(ledger: Ledger) -> None:
    node, other = (ledger.enrol(resource_class="gold") for _ in range(2))
    for each in (node, other):
        register(ledger, each)
    made = begin(ledger, lease(ledger, 1, 9, whole(2)))
    consumer = claim(ledger, node.uuid, {"CUSTOM_GOLD": 1})
    with pytest.raises(LeaseConflict, match=f"is in use by {consumer}"):
        release(ledger, made, node.uuid)
    assert len(booked(ledger, made)) == 2
    ledger.runner.write(release_claims, SERVICE, consumer)
    release(ledger, made, node.uuid)


def test_one_instance_is_released_while_others_run(ledger: Ledger, database_url: str) -> None:
    host = make_host(ledger, "a")
    made = begin(ledger, lease(ledger, 1, 9, instances(3)))
    resource_class = made.reservations[0].resource_class
    child = next(
        row["uuid"] for row in read_tables(database_url)["providers"] if row["id"] == host.reservation_provider_id
    )
    claim(ledger, child, {resource_class: 1})
    assert release(ledger, made, "a").hosts == {"a": 2}
    assert release(ledger, made, "a").hosts == {"a": 1}
    with pytest.raises(LeaseConflict, match="All 1 instances on host a are in use"):
        release(ledger, made, "a")
    offered = read_tables(database_url)["inventories"]
    assert [(row["total"], row["used"]) for row in offered if row["provider_id"] == host.reservation_provider_id] == [
        (1, 1)
    ]
    assert shown(ledger, made).reservations[0].most == 1


def test_last_host_is_not_released(ledger: Ledger) -> None:
    make_host(ledger, "a")
    made = begin(ledger, lease(ledger, 1, 9, whole()))
    with pytest.raises(LeaseConflict, match="delete the lease instead"):
        release(ledger, made, "a")


def test_only_an_active_lease_and_only_its_own_hosts(ledger: Ledger) -> None:
    made_hosts = [make_host(ledger) for _ in range(3)]
    made = lease(ledger, 1, 9, whole(2))
    (foreign,) = {str(host.id) for host in made_hosts} - set(map(str, booked(ledger, made)))
    with pytest.raises(LeaseConflict, match="is PENDING: only an active lease"):
        release(ledger, made, foreign)
    with pytest.raises(BadLease, match=f"has no host {foreign}"):
        release(ledger, begin(ledger, made), foreign)
    with pytest.raises(LeaseNotFound):
        ledger.runner.write(release_host, OWNER, ReleaseHost(uuid="no-such", host="a"))


def test_member_of_another_project_may_not_release(ledger: Ledger) -> None:
    for name in ("a", "b"):
        make_host(ledger, name)
    made = begin(ledger, lease(ledger, 1, 9, whole(2)))
    stranger = LeasePolicy().access(Actor(user="x", project="q", roles=frozenset({"member", "reader"})))
    with pytest.raises(Forbidden):
        ledger.runner.write(release_host, stranger, ReleaseHost(uuid=made.uuid, host="a"))


def test_project_over_its_quota_can_release(ledger: Ledger) -> None:
    for name in ("a", "b"):
        make_host(ledger, name)
    made = begin(ledger, lease(ledger, 1, 9, whole(2)))
    limit(ledger, "p", nodes=0)
    release(ledger, made, "a")
    assert used(ledger, "p").nodes == 1
