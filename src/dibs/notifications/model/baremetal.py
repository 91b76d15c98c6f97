"""Events of nodes and allocations as Ironic's versioned notifications.

The data of a payload are the attributes that the event has: all of a new or deleted object, otherwise those that
changed. A change of a node is told as Ironic tells it, by what changed: its provision state, its power state, its
maintenance, or something else.
"""

from collections.abc import Collection, Mapping
from typing import Any

from dibs.events.model.documents import format_time
from dibs.events.model.events import CHANGED, CREATED, DELETED
from dibs.events.model.stored import StoredEvent
from dibs.notifications.model.messages import BAREMETAL, ERROR, INFO, Message

VERSIONS: Mapping[str, str] = {
    "NodePayload": "1.17",
    "NodeSetPowerStatePayload": "1.17",
    "NodeSetProvisionStatePayload": "1.18",
    "NodeCRUDPayload": "1.15",
    "AllocationCRUDPayload": "1.1",
}
"""The payloads of Ironic 39 that are used here."""

NODE = frozenset(
    {
        "bios_interface", "boot_interface", "boot_mode", "clean_step", "conductor_group", "console_enabled",
        "console_interface", "deploy_interface", "deploy_step", "description", "disable_power_off", "driver", "extra",
        "fault", "inspect_interface", "inspection_finished_at", "inspection_started_at", "instance_uuid", "last_error",
        "lessee", "maintenance", "maintenance_reason", "management_interface", "name", "network_interface", "owner",
        "power_interface", "power_state", "properties", "protected", "protected_reason", "provision_state",
        "raid_interface", "rescue_interface", "resource_class", "retired", "retired_reason", "secure_boot",
        "storage_interface", "target_power_state", "target_provision_state", "traits", "vendor_interface",
    }
)  # fmt: skip
"""The attributes of a node that Ironic's payloads have."""
CHANGED_NODE = NODE | {"driver_info", "instance_info"}
ALLOCATION = frozenset(
    {"candidate_nodes", "extra", "last_error", "name", "node_uuid", "owner", "resource_class", "state", "traits"}
)

UNSTABLE = frozenset(
    {
        "adopting", "clean wait", "cleaning", "deploying", "deleting", "inspect wait", "inspecting", "rescue wait",
        "rescuing", "service wait", "servicing", "unrescuing", "verifying", "wait call-back",
    }
)  # fmt: skip
"""Provision states in which Ironic works on a node."""
FAILED = frozenset(
    {
        "adopt failed", "clean failed", "deploy failed", "error", "inspect failed", "rescue failed", "service failed",
        "unrescue failed",
    }
)  # fmt: skip

_PROVISIONING = frozenset({"provision_state", "target_provision_state", "last_error", "instance_uuid", "fault"})
_POWER = frozenset({"power_state", "target_power_state"})
_MAINTENANCE = frozenset({"maintenance", "maintenance_reason", "fault"})
_CRUD = {CREATED: "create", DELETED: "delete"}
_UPDATES = frozenset({CHANGED, "granted", "failed", "requeued"})
"""What happens to an allocation that is an update for Ironic; it has no word for notices of an end."""


def node_messages(event: StoredEvent) -> list[Message]:
    """Return what Ironic would notify of an event of a node."""
    verb = event.type.partition(".")[2]
    if verb in _CRUD:
        state = (event.after if verb == CREATED else event.before) or {}
        return [_message(event, "node", _CRUD[verb], "NodeCRUDPayload", state, CHANGED_NODE)]
    before, after = event.before or {}, event.after or {}
    found, told = [], set[str]()
    if "provision_state" in after:
        found.append(_provisioning(event, before, after))
        told |= _PROVISIONING
    if "power_state" in after:
        to_power = {"to_power": after["power_state"]}
        found.append(_message(event, "node", "power_set", "NodeSetPowerStatePayload", after, NODE, facts=to_power))
        told |= _POWER
    if "maintenance" in after:
        found.append(_message(event, "node", "maintenance_set", "NodePayload", after, NODE))
        told |= _MAINTENANCE
    if (after.keys() & CHANGED_NODE) - told:
        found.append(_message(event, "node", "update", "NodeCRUDPayload", after, CHANGED_NODE))
    return found


def allocation_messages(event: StoredEvent) -> list[Message]:
    """Return what Ironic would notify of an event of an allocation."""
    verb = event.type.partition(".")[2]
    if verb not in _CRUD and verb not in _UPDATES:
        return []
    state = (event.before if verb == DELETED else event.after) or {}
    action = _CRUD.get(verb, "update")
    return [_message(event, "allocation", action, "AllocationCRUDPayload", state, ALLOCATION)]


def _provisioning(event: StoredEvent, before: Mapping[str, Any], after: Mapping[str, Any]) -> Message:
    """Return the notification of a change of the provision state, with Ironic's word for how far it went."""
    state = after["provision_state"]
    moves = (before.get("provision_state") in UNSTABLE, state in UNSTABLE)
    status = "error" if state in FAILED else {(False, True): "start", (True, False): "end"}.get(moves, "success")
    facts = {
        "event": None,
        "previous_provision_state": before.get("provision_state"),
        "previous_target_provision_state": before.get("target_provision_state"),
    }
    return _message(
        event, "node", "provision_set", "NodeSetProvisionStatePayload", after, NODE, status=status, facts=facts
    )


def _message(
    event: StoredEvent,
    noun: str,
    action: str,
    payload: str,
    state: Mapping[str, Any],
    names: Collection[str],
    *,
    status: str = "end",
    facts: Mapping[str, Any] | None = None,
) -> Message:
    data = {name: _value(name, value) for name, value in state.items() if name in names}
    return Message(
        family=BAREMETAL,
        event_type=f"baremetal.{noun}.{action}.{status}",
        level=ERROR if status == "error" else INFO,
        payload={
            "ironic_object.name": payload,
            "ironic_object.namespace": "ironic",
            "ironic_object.version": VERSIONS[payload],
            "ironic_object.data": {"uuid": event.object_id, **data, **(facts or {})},
        },
    )


def _value(name: str, value: Any) -> Any:
    """Return a value as Ironic sends it: a time without fractions of a second."""
    is_time = name.endswith("_at") and isinstance(value, int)
    return f"{format_time(value)[:19]}Z" if is_time else value
