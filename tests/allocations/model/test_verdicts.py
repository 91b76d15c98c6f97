"""The verdict about one node: free, later or never, by one reason."""

import pytest

from dibs.allocations.model.schedules import ALLOCATION, HOLD, LEASE, Occupation
from dibs.allocations.model.verdicts import NodeState, Prospect, Verdict, judge

NOW = 100
FREE = {
    "id": 1, "uuid": "u", "name": "n", "lacks": (), "provision_state": "available", "powered": True,
    "maintenance": False, "retired": False, "protected": False, "instance_uuid": None, "instance_until": None,
    "claimed": False, "locked": False,
}  # fmt: skip
IN_USE = {"instance_uuid": "i", "provision_state": "active", "claimed": True}


def occupied(kind: str, start: int = 50, end: int | None = 200) -> Occupation:
    return Occupation(node_id=1, kind=kind, start=start, end=end)


def verdict(*occupations: Occupation, promised: bool = False, **changes) -> Verdict:
    return judge(NodeState(**{**FREE, **changes}), occupations, promised, NOW)


@pytest.mark.parametrize(
    ("changes", "prospect", "reason"),
    [
        ({}, Prospect.FREE, None),
        ({"lacks": ("CUSTOM_A", "CUSTOM_B")}, Prospect.NEVER, "lacks:CUSTOM_A"),
        ({"lacks": ("CUSTOM_A",), **IN_USE}, Prospect.NEVER, "lacks:CUSTOM_A"),
        ({"retired": True, **IN_USE}, Prospect.NEVER, "retired"),
        ({"maintenance": True}, Prospect.NEVER, "in_maintenance"),
        ({"provision_state": "manageable"}, Prospect.NEVER, "not_available"),
        ({"provision_state": "clean failed"}, Prospect.NEVER, "not_available"),
        ({"powered": False}, Prospect.NEVER, "power_unknown"),
        ({"provision_state": "cleaning", "powered": False}, Prospect.LATER, "not_available"),
        ({"provision_state": "clean wait"}, Prospect.LATER, "not_available"),
        (IN_USE, Prospect.LATER, "in_use"),
        ({"claimed": True}, Prospect.LATER, "in_use"),
        ({"locked": True}, Prospect.LATER, "locked"),
        ({"promised": True}, Prospect.LATER, "promised"),
    ],
)
def test_reasons_that_no_wait_ends_come_first(changes, prospect, reason):
    found = verdict(**changes)
    assert (found.prospect, found.reason, found.until) == (prospect, reason, None)


def test_the_object_in_the_way_is_named_with_its_end():
    hold, allocation = occupied(HOLD), occupied(ALLOCATION, end=190)
    assert verdict(hold, claimed=True)[2:] == ("held", 200, hold)
    assert verdict(allocation, **IN_USE, instance_until=195)[2:] == ("in_use", 195, allocation)
    assert verdict(allocation, **IN_USE, instance_until=195, protected=True)[2:] == ("in_use", None, allocation)
    running, later = occupied(LEASE), occupied(LEASE, start=300, end=400)
    assert verdict(running, later, **IN_USE)[2:] == ("in_use", 400, running)
    assert verdict(later)[2:] == ("booked", 400, later)
    assert verdict(later, **IN_USE)[2:] == ("in_use", None, later), "its user came without the lease, and has no end"
