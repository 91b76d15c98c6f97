"""Move a node to the provision state of its original, one provision verb after another."""

import time

from dibs.importing.service import Json, Refused, Service

REACHABLE = {"enroll": "enroll", "manageable": "manageable", "available": "available", "active": "active"}
"""The provision states that an import can set."""

_NEAREST = {
    **REACHABLE,
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
"""The state to set for a node in a state that no client can set: one in which its instance, if any, is safe.

Nodes in every other state (cleaning, deploying or failed) become ``manageable`` and wait for an operator."""

NOT_REACHABLE = "an import can only set enroll, manageable, available and active"

_NEXT_VERB = {
    ("enroll", "manageable"): "manage",
    ("enroll", "available"): "manage",
    ("enroll", "active"): "manage",
    ("manageable", "available"): "provide",
    ("manageable", "active"): "adopt",
    ("adopt failed", "active"): "adopt",
}
"""(current state, wanted state) to the next verb."""

_STABLE = frozenset({"enroll", "manageable", "available", "active", "adopt failed", "clean failed", "error"})
_TIMEOUT_SECONDS = 300.0
"""The time limit for one verb."""


def reachable_state(state: str | None) -> str:
    """Return the provision state that the copy of a node gets."""
    # Quirk: below version 1.2 Ironic shows an available node with the state null.
    return "available" if state is None else _NEAREST.get(state, "manageable")


def move_to(target: Service, node: str, state: str) -> None:
    """Send the verbs that lead to a state and wait for each; raise Refused if the node does not reach it."""
    found = wait_until_stable(target, node)
    while found["provision_state"] != state:
        before = found["provision_state"]
        verb = _NEXT_VERB.get((before, state))
        if verb is None:
            raise Refused(409, f"no provision verb leads from {before} to {state}")
        target.send("PUT", f"/v1/nodes/{node}/states/provision", {"target": verb})
        found = wait_until_stable(target, node)
        if found["provision_state"] in (before, "adopt failed", "clean failed"):
            raise Refused(409, f"{verb} failed: {found['last_error']}")


def wait_until_stable(target: Service, node: str) -> Json:
    """Poll until the node is in a stable state and no conductor has it locked."""
    deadline = time.monotonic() + _TIMEOUT_SECONDS
    pause = 0.01
    while True:
        found = target.get(f"/v1/nodes/{node}", fields="provision_state,reservation,last_error")
        if found["reservation"] is None and found["provision_state"] in _STABLE:
            return found
        if time.monotonic() > deadline:
            raise Refused(409, f"still in {found['provision_state']} after {_TIMEOUT_SECONDS:g} seconds")
        time.sleep(pause)
        pause = min(pause * 1.5, 1.0)
