"""Events of nodes and allocations in the payloads of Ironic, compared with Ironic's own objects."""

from typing import Any

import pytest
from ironic.common import states
from ironic.objects import allocation as ironic_allocation
from ironic.objects import node as ironic_node

from dibs.events.model.stored import StoredEvent
from dibs.notifications.model import baremetal
from dibs.notifications.model.baremetal import allocation_messages, node_messages

NODE = "5b6f0f0e-6d0b-4e8e-8a52-0b8f6e1d7c35"


def event(type: str, before: dict[str, Any] | None, after: dict[str, Any] | None) -> StoredEvent:
    return StoredEvent(
        id=1,
        position=1,
        happened_at=1,
        type=type,
        object_id=NODE,
        node=NODE,
        project_id="p",
        actor_user="u",
        actor_project="p",
        request_id=None,
        operation="test",
        before=before,
        after=after,
    )


@pytest.mark.parametrize("name", baremetal.VERSIONS)
def test_payloads_are_those_of_ironic(name: str) -> None:
    payload = getattr(ironic_node, name, None) or getattr(ironic_allocation, name)
    names = baremetal.ALLOCATION if name.startswith("Allocation") else baremetal.NODE
    names |= baremetal.CHANGED_NODE if name == "NodeCRUDPayload" else frozenset()
    assert baremetal.VERSIONS[name] == payload.VERSION
    assert names <= payload.fields.keys()


def test_states_are_those_of_ironic() -> None:
    assert set(states.UNSTABLE_STATES) == baremetal.UNSTABLE
    assert {*states.FAILURE_STATES, states.ERROR} == baremetal.FAILED


@pytest.mark.parametrize(
    ("type", "before", "after", "told"),
    [
        ("node.created", None, {"name": "n"}, ["node.create.end"]),
        ("node.deleted", {"name": "n"}, None, ["node.delete.end"]),
        ("node.changed", {"name": "n"}, {"name": "m"}, ["node.update.end"]),
        ("node.changed", {"traits": []}, {"traits": ["A"]}, ["node.update.end"]),
        ("node.changed", {"maintenance": False}, {"maintenance": True}, ["node.maintenance_set.end"]),
        ("node.fault", {"fault": None, "maintenance": False}, {"fault": "power", "maintenance": True},
         ["node.maintenance_set.end"]),
        ("node.changed", {"power_state": "power off"}, {"power_state": "power on"}, ["node.power_set.end"]),
        ("node.changed", {"provision_state": "available"}, {"provision_state": "deploying"},
         ["node.provision_set.start"]),
        ("node.changed", {"provision_state": "deploying"}, {"provision_state": "active", "power_state": "power on"},
         ["node.provision_set.end", "node.power_set.end"]),
        ("node.changed", {"provision_state": "deploying"}, {"provision_state": "deploy failed", "last_error": "x"},
         ["node.provision_set.error"]),
        ("node.changed", {"provision_state": "manageable"}, {"provision_state": "available", "extra": {}},
         ["node.provision_set.success", "node.update.end"]),
        ("node.changed", {"network_data": {}}, {"network_data": {"a": 1}}, []),
    ],
)  # fmt: skip
def test_change_of_a_node_is_told_by_what_changed(type: str, before: Any, after: Any, told: list[str]) -> None:
    messages = node_messages(event(type, before, after))
    assert [message.event_type for message in messages] == [f"baremetal.{name}" for name in told]
    for message in messages:
        assert message.level == ("error" if message.event_type.endswith("error") else "info")
        assert message.payload["ironic_object.data"]["uuid"] == NODE


def test_provisioning_has_the_states_before() -> None:
    before = {"provision_state": "deploying", "target_provision_state": "active"}
    (message,) = node_messages(event("node.changed", before, {"provision_state": "active"}))
    assert message.payload == {
        "ironic_object.name": "NodeSetProvisionStatePayload",
        "ironic_object.namespace": "ironic",
        "ironic_object.version": "1.18",
        "ironic_object.data": {
            "uuid": NODE,
            "provision_state": "active",
            "event": None,
            "previous_provision_state": "deploying",
            "previous_target_provision_state": "active",
        },
    }


def test_times_are_those_of_ironic() -> None:
    after = {"inspection_finished_at": 1_800_000_000_123_456}
    (message,) = node_messages(event("node.changed", {}, after))
    assert message.payload["ironic_object.data"]["inspection_finished_at"] == "2027-01-15T08:00:00Z"


@pytest.mark.parametrize(
    ("verb", "action"),
    [("created", "create"), ("granted", "update"), ("failed", "update"), ("deleted", "delete"), ("ending_soon", None)],
)
def test_allocations_are_created_updated_and_deleted(verb: str, action: str | None) -> None:
    state = {"state": "active", "node_uuid": NODE, "sticky": True}
    found = allocation_messages(event(f"allocation.{verb}", state, None if verb == "deleted" else state))
    assert [message.event_type for message in found] == ([f"baremetal.allocation.{action}.end"] if action else [])
    for message in found:
        data = message.payload["ironic_object.data"]
        assert data == {"uuid": NODE, "state": "active", "node_uuid": NODE}
