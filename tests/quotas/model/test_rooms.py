"""What a quota leaves to its project."""

import pytest

from dibs.quotas.model.errors import QuotaExceeded
from dibs.quotas.model.quotas import Limits, Quota
from dibs.quotas.model.rooms import Room
from dibs.quotas.model.uses import NEVER, Queued, Use

HOUR = 3_600_000_000


def use(provider_id: int, end: int = NEVER, holder: str = "other", start: int = 0, **options: bool) -> Use:
    return Use("p", holder, provider_id, "gold", start, end, **options)


def room(*uses: Use, queued: int = 0, resource_class: str = "", **limits: int) -> Room:
    quota = Quota(project="p", limits={resource_class: Limits(**limits)})
    return Room(quota, uses, [Queued("p", "gold", queued)], now=0)


def test_refusal_names_quota_limit_used_and_asked() -> None:
    with pytest.raises(QuotaExceeded) as refused:
        room(use(1), use(2, holder="a"), use(3, holder="a"), nodes=2, resource_class="gold").check({"a"}, {})
    assert str(refused.value) == ("Quota exceeded for nodes of class gold of project p: limit 2, used 1, asked 2.")


def test_limit_itself_is_allowed() -> None:
    room(use(1), use(2, holder="a"), nodes=2).check({"a"}, {})


def test_limit_of_another_class_does_not_count() -> None:
    room(use(1), use(2, holder="a"), nodes=0, resource_class="silver").check({"a"}, {})


def test_project_over_its_quota_may_change_what_adds_nothing() -> None:
    room(use(1), use(2), use(3), nodes=1).check(set(), {})


def test_part_of_an_hour_counts_as_an_hour() -> None:
    room(use(1, end=HOUR, holder="a"), node_hours=1).check({"a"}, {})
    with pytest.raises(QuotaExceeded, match=r"node-hours booked ahead of project p: limit 1, used 0, asked 2\."):
        room(use(1, end=HOUR + 1, holder="a"), node_hours=1).check({"a"}, {})


def test_duration_counts_for_leases_only_and_from_their_start() -> None:
    room(use(1, end=2 * HOUR, holder="a"), lease_seconds=3_600).check({"a"}, {})
    with pytest.raises(QuotaExceeded, match="seconds of a lease of project p: limit 3600, used 0, asked 7200"):
        room(use(1, start=-HOUR, end=HOUR, holder="a", leased=True), lease_seconds=3_600).check({"a"}, {})


def test_allocations_in_the_queue_are_counted_by_class() -> None:
    room(queued=2, resource_class="gold").check(set(), {"gold": 1})
    full = Room(Quota(project="p", limits={"gold": Limits(queued=2)}), [], [Queued("p", "gold", 3)], now=0)
    with pytest.raises(QuotaExceeded, match="queued allocations of class gold of project p: limit 2, used 2, asked 1"):
        full.check(set(), {"gold": 1})
    full.check(set(), {"silver": 1})


def test_added_nodes_leave_less_room() -> None:
    left = room(use(1), nodes=3)
    assert left.reason_against("gold", 2, 0, NEVER) is None
    left.add("gold", 1, 0, NEVER)
    assert left.reason_against("gold", 1, 0, NEVER) is None
    assert "used 2, asked 2" in str(left.reason_against("gold", 2, 0, NEVER))
    left.add("gold", 1, 0, NEVER)
    assert left.reason_against("gold", 1, 0, NEVER) is not None


def test_room_depends_on_the_window() -> None:
    left = room(use(1, start=10, end=20, leased=True), nodes=1)
    assert left.reason_against("gold", 1, 0, 10) is None
    assert left.reason_against("gold", 1, 0, 11) is not None


def test_used_shows_each_limit() -> None:
    left = room(use(1, end=90 * HOUR, leased=True), use(2), queued=4, nodes=9)
    assert left.used("") == Limits(nodes=2, node_hours=90, lease_seconds=90 * 3_600, queued=4)
