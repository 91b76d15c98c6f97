"""Every change of an object writes one event in its transaction, and a rollback none."""

import uuid
from collections.abc import Callable

import pytest

from dibs.access.access import SERVICE
from dibs.access.request_id import REQUEST_ID
from dibs.allocations.operations.creating import CreateAllocation, create_allocation
from dibs.leases.operations.events import DueEvent, run_event
from dibs.ledger.model.claims import ClaimRequest
from dibs.ledger.model.errors import CapacityExceeded
from dibs.ledger.operations.claims import ReplaceClaims, release_claims, replace_claims
from dibs.machines.model import states
from dibs.machines.operations.holds import expire_hold
from dibs.machines.operations.nodes import SetMaintenance, UpdateNode, delete_node, set_maintenance, update_node
from dibs.machines.operations.provisioning import RequestProvision, request_provision
from tests import event_rows
from tests.builders import Ledger, patch_of, trusted
from tests.hold_builders import BLUE, hold
from tests.lease_builders import at, lease, make_host, whole
from tests.manual_conductor import ManualConductor
from tests.provider_builders import claim, make, statements

CALLER = trusted(user="alice", project="blue")


def test_event_names_object_actor_request_operation_and_the_attributes_that_changed(ledger: Ledger) -> None:
    node = ledger.enrol(name="n1", owner="green")
    token = REQUEST_ID.set("req-1")
    try:
        command = SetMaintenance(ident=node.uuid, rules=(), on=True, reason="disk")
        ledger.runner.write(set_maintenance, CALLER, command)
    finally:
        REQUEST_ID.reset(token)
    event = event_rows.rows(ledger.store)[-1]
    assert {name: event[name] for name in event if name not in ("id", "happened_at", "position")} == {
        "type": "node.changed",
        "object_id": node.uuid,
        "node": node.uuid,
        "project_id": "green",
        "actor_user": "alice",
        "actor_project": "blue",
        "request_id": "req-1",
        "operation": "set_maintenance",
        "before_state": {"maintenance": False, "maintenance_reason": None},
        "after_state": {"maintenance": True, "maintenance_reason": "disk"},
    }


def test_refused_change_leaves_no_event(ledger: Ledger) -> None:
    provider = make(ledger, VCPU=1)
    claim(ledger, provider, VCPU=1)
    last = event_rows.last_id(ledger.store)
    with pytest.raises(CapacityExceeded):
        claim(ledger, provider, VCPU=1)
    assert event_rows.types(ledger.store, after=last) == []


def test_claims_of_one_request_take_one_more_statement_for_all_events(ledger: Ledger) -> None:
    providers = [make(ledger, VCPU=9) for _ in range(5)]

    def replace(count: int) -> Callable[[], None]:
        requests = tuple(
            ClaimRequest(consumer=str(uuid.uuid4()), resources={each.uuid: {"VCPU": 1}}, project_id="p", user_id="u")
            for each in providers[:count]
        )
        return lambda: ledger.runner.write(replace_claims, SERVICE, ReplaceClaims(requests=requests))

    assert statements(ledger, replace(5)) == statements(ledger, replace(1))
    assert event_rows.types(ledger.store)[-6:] == ["claim.created"] * 6


def test_released_claims_show_what_they_were(ledger: Ledger) -> None:
    provider = make(ledger, VCPU=9, MEMORY_MB=9)
    consumer = claim(ledger, provider, VCPU=1, MEMORY_MB=2)
    ledger.runner.write(release_claims, CALLER, consumer)
    created, deleted = event_rows.rows(ledger.store)[-2:]
    assert (created["type"], created["after_state"]) == ("claim.created", {"VCPU": 1, "MEMORY_MB": 2})
    assert (deleted["type"], deleted["before_state"]) == ("claim.deleted", {"VCPU": 1, "MEMORY_MB": 2})
    assert {row["node"] for row in (created, deleted)} == {provider.uuid}
    assert {row["project_id"] for row in (created, deleted)} == {"p"}


def test_secrets_of_a_node_are_not_recorded(ledger: Ledger) -> None:
    node = ledger.enrol()
    patch = patch_of({"driver_info": {"password": "geheim"}, "instance_info": {"token": "geheim"}})
    ledger.runner.write(update_node, CALLER, UpdateNode(ident=node.uuid, rules=(), patch=patch))
    recorded = event_rows.rows(ledger.store)[-1]
    assert recorded["after_state"] == {"driver_info": {"password": "******"}, "instance_info": {"token": "******"}}


def test_proof_of_a_hold_is_not_recorded_and_its_expiry_names_the_service(ledger: Ledger) -> None:
    node = ledger.enrol(resource_class="gold")
    made = hold(ledger, node, access=BLUE)
    ledger.clock.move(100)
    ledger.runner.write(expire_hold, SERVICE, made.uuid)
    ended = [row for row in event_rows.rows(ledger.store) if row["type"] == "hold.deleted"]
    assert [(row["actor_user"], row["operation"], row["request_id"]) for row in ended] == [
        ("dibs", "expire_hold", None)
    ]
    assert made.uuid not in repr(event_rows.rows(ledger.store))


def test_deleting_a_node_records_its_allocation_and_claim_too(ledger: Ledger) -> None:
    node = ledger.enrol(resource_class="gold", owner="blue", state=states.ACTIVE)
    command = CreateAllocation(node=node.uuid, resource_class="gold", owner="blue")
    ledger.runner.write(create_allocation, SERVICE, command)
    ledger.change(node, maintenance=True)
    last = event_rows.last_id(ledger.store)
    ledger.runner.write(delete_node, SERVICE, node.uuid)
    assert sorted(event_rows.types(ledger.store, after=last)) == ["allocation.deleted", "claim.deleted", "node.deleted"]


def test_deleting_a_node_records_that_its_children_have_no_parent(ledger: Ledger) -> None:
    parent = ledger.enrol()
    child = ledger.enrol(owner="blue", parent_node=parent.uuid)
    ledger.runner.write(delete_node, SERVICE, parent.uuid)
    (event,) = (
        row for row in event_rows.rows(ledger.store) if (row["node"], row["type"]) == (child.uuid, "node.changed")
    )
    assert (event["project_id"], event["before_state"]) == ("blue", {"parent_node": parent.uuid})


def test_state_changes_by_a_conductor_name_the_service_and_the_operation(ledger: Ledger) -> None:
    conductor = ManualConductor(ledger)
    node = ledger.enrol(state=states.MANAGEABLE)
    ledger.runner.write(request_provision, SERVICE, RequestProvision(ident=node.uuid, rules=(), verb="provide"))
    conductor.take(node)
    conductor.fail(node, states.CLEAN, "no disk")
    failed = event_rows.rows(ledger.store)[-1]
    assert (failed["type"], failed["actor_user"], failed["operation"]) == ("node.fault", "dibs", "report_failure")
    assert failed["after_state"]["provision_state"] == states.CLEAN_FAILED


def test_start_and_end_of_a_lease_are_recorded_for_the_lease_and_each_host(ledger: Ledger) -> None:
    host = make_host(ledger)
    made = lease(ledger, 0, 1, whole())
    for hours, kind in ((0, "start_lease"), (1, "end_lease")):
        last = event_rows.last_id(ledger.store)
        ledger.clock.moved += max(0, at(hours) - ledger.clock())
        assert ledger.runner.write(run_event, SERVICE, DueEvent(lease=made.uuid, kind=kind))
        verb = "started" if kind == "start_lease" else "ended"
        found = [row for row in event_rows.rows(ledger.store) if row["id"] > last]
        assert {row["type"] for row in found} == {f"lease.{verb}", f"booking.{verb}", "reservation.changed"}
        assert {row["node"] for row in found} == {None, host.provider}
        assert {row["operation"] for row in found} == {"run_event"}
