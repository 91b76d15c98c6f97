"""Provision states that an import can and cannot set."""

from typing import Any

import pytest

from dibs.importing.ironic.node_states import move_to, reachable_state
from dibs.importing.service import Refused

MOVES = {"manage": "manageable", "provide": "available", "adopt": "active"}


class Node:
    """A service with one node that carries out every verb except the one that fails."""

    def __init__(self, state: str, fails_at: str | None = None) -> None:
        self.state = state
        self.fails_at = fails_at
        self.verbs: list[str] = []

    def get(self, path: str, **query: str) -> dict[str, Any]:
        return {"provision_state": self.state, "reservation": None, "last_error": "no power"}

    def send(self, method: str, path: str, body: dict[str, str]) -> None:
        self.verbs.append(body["target"])
        if body["target"] != self.fails_at:
            self.state = MOVES[body["target"]]


@pytest.mark.parametrize(
    ("state", "reached"),
    [
        (None, "available"),
        ("available", "available"),
        ("active", "active"),
        ("verifying", "enroll"),
        ("rescue", "active"),
        ("service failed", "active"),
        ("cleaning", "manageable"),
        ("deploying", "manageable"),
        ("a state of the future", "manageable"),
    ],
)
def test_a_node_ends_in_the_nearest_state_that_is_safe_for_its_instance(state: str | None, reached: str) -> None:
    assert reachable_state(state) == reached


@pytest.mark.parametrize(
    ("begin", "end", "verbs"),
    [
        ("enroll", "enroll", []),
        ("enroll", "available", ["manage", "provide"]),
        ("enroll", "active", ["manage", "adopt"]),
        ("adopt failed", "active", ["adopt"]),
    ],
)
def test_verbs_are_sent_until_the_state_is_reached(begin: str, end: str, verbs: list[str]) -> None:
    node = Node(begin)
    move_to(node, "uuid", end)
    assert (node.verbs, node.state) == (verbs, end)


def test_a_failed_verb_is_refused_with_its_error() -> None:
    with pytest.raises(Refused, match="provide failed: no power"):
        move_to(Node("enroll", fails_at="provide"), "uuid", "available")


def test_a_state_that_no_verb_leads_to_is_refused() -> None:
    with pytest.raises(Refused, match="no provision verb leads from active to available"):
        move_to(Node("active"), "uuid", "available")
