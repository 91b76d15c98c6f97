"""Bringing a node to the provision state that its original is in, one verb after another."""

import time

from dibs.importing.service import Json, Refused, Service

AS_IT_IS = {"enroll": "enroll", "manageable": "manageable", "available": "available", "active": "active"}
"""States that an import can bring a node to."""

_NEAREST = {
    **AS_IT_IS,
    "verifying": "enroll",
    "adopting": "active",
    "rescue": "active",
    "rescuing": "active",
    "rescue wait": "active",
    "rescue failed": "active",
    "unrescuing": "active",
    "unrescue failed": "active",
    "servicing": "active",
    "service wait": "active",
    "service hold": "active",
    "service failed": "active",
}
"""Where a node goes that is in a state which cannot be entered from outside: where its instance, if any, is safe.
All others, in the middle of a cleaning or of a deployment, or failed, wait for a person in ``manageable``."""

NOT_ENTERED = "only enroll, manageable, available and active can be entered by an import"

_NEXT_VERB = {
    ("enroll", "manageable"): "manage",
    ("enroll", "available"): "manage",
    ("enroll", "active"): "manage",
    ("manageable", "available"): "provide",
    ("manageable", "active"): "adopt",
    ("adopt failed", "active"): "adopt",
}
"""State here and state to come to: the verb that leads there, or nearer."""

_AT_REST = frozenset({"enroll", "manageable", "available", "active", "adopt failed", "clean failed", "error"})
_PATIENCE_SECONDS = 300.0
"""How long a node may take for one verb."""


def reachable_state(state: str | None) -> str:
    """The state in which the copy of a node ends."""
    # Below 1.2, and nowhere else, Ironic shows a free node without a state.
    return "available" if state is None else _NEAREST.get(state, "manageable")


def bring_to(here: Service, node: str, state: str) -> None:
    """Give the verbs that lead to a state and wait for each; Refused when the node does not get there."""
    found = wait_until_at_rest(here, node)
    while found["provision_state"] != state:
        before = found["provision_state"]
        verb = _NEXT_VERB.get((before, state))
        if verb is None:
            raise Refused(409, f"no verb leads from {before} to {state}")
        here.send("PUT", f"/v1/nodes/{node}/states/provision", {"target": verb})
        found = wait_until_at_rest(here, node)
        if found["provision_state"] in (before, "adopt failed", "clean failed"):
            raise Refused(409, f"{verb} failed: {found['last_error']}")


def wait_until_at_rest(here: Service, node: str) -> Json:
    """Look until nobody works on the node, more and more seldom."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    pause = 0.01
    while True:
        found = here.get(f"/v1/nodes/{node}", fields="provision_state,reservation,last_error")
        if found["reservation"] is None and found["provision_state"] in _AT_REST:
            return found
        if time.monotonic() > deadline:
            raise Refused(409, f"still in {found['provision_state']} after {_PATIENCE_SECONDS:g} seconds")
        time.sleep(pause)
        pause = min(pause * 1.5, 1.0)
