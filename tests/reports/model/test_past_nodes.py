"""Changes undone, and the first reason against a node."""

from collections import Counter, defaultdict
from typing import Any

import pytest

from dibs.allocations.model.allocations import Requirements
from dibs.reports.model.past_nodes import BOOKING, CLAIM, HOLD, NODE, LaterChange, PastNodes, first_reason, is_concerned

REQUIRED = Requirements(resource_class="gold", traits=("CUSTOM_A", "CUSTOM_B"))
FREE = {
    "resource_class": "gold",
    "provision_state": "available",
    "power_state": "power off",
    "traits": ["CUSTOM_A", "CUSTOM_B"],
}


@pytest.mark.parametrize(
    ("attributes", "uses", "reason"),
    [
        ({}, {}, "free"),
        ({"instance_uuid": "i"}, {HOLD: 1}, "held"),
        ({"instance_uuid": "i"}, {BOOKING: 1}, "in use"),
        ({"maintenance": True}, {CLAIM: 1, BOOKING: 1}, "in use"),
        ({"maintenance": True}, {BOOKING: 1}, "booked"),
        ({"maintenance": 1, "provision_state": "error"}, {}, "in maintenance"),
        ({"provision_state": "error", "retired": True}, {}, "not available"),
        ({"retired": True, "power_state": None}, {}, "retired"),
        ({"power_state": "error", "traits": None}, {}, "power unknown"),
        ({"traits": ["CUSTOM_B"]}, {}, "lacks 0"),
        ({"traits": ["CUSTOM_A"]}, {}, "lacks 1"),
    ],
)
def test_first_reason_counts(attributes: dict[str, Any], uses: dict[str, int], reason: str) -> None:
    assert first_reason({**FREE, **attributes}, uses, REQUIRED) == reason


def test_claim_that_passes_to_another_consumer_keeps_the_node_in_use() -> None:
    past = PastNodes({"n": dict(FREE)}, defaultdict(Counter, {"n": Counter({CLAIM: 1})}))
    past.undo([LaterChange(CLAIM, "n", True, False, {}), LaterChange(CLAIM, "n", False, True, {})])
    assert past.uses["n"][CLAIM] == 1


def test_node_appears_and_disappears_with_the_changes_that_are_undone() -> None:
    past = PastNodes({"new": dict(FREE)}, defaultdict(Counter))
    past.undo(
        [
            LaterChange(NODE, "other", True, True, {"maintenance": True}),
            LaterChange(NODE, "new", False, True, {}),
            LaterChange(NODE, "gone", True, False, {**FREE, "maintenance": True}),
            LaterChange(NODE, "gone", True, True, {"maintenance": False}),
        ]
    )
    assert past.attributes == {"gone": {**FREE, "maintenance": False}}


def test_project_has_nodes_that_it_owns_or_leases() -> None:
    required = Requirements(resource_class="gold", owner="p1")
    for attributes, expected in (({"owner": "p1"}, True), ({"lessee": "p1"}, True), ({"owner": "p2"}, False)):
        assert is_concerned("n", {**FREE, **attributes}, required) is expected
    assert not is_concerned("n", {**FREE, "resource_class": "silver", "owner": "p1"}, required)
