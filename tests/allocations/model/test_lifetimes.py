"""When an allocation ends, and what happens then."""

import pytest
from msgspec.structs import replace

from dibs.allocations.model.allocations import Allocation, Lifetime
from dibs.allocations.model.lifetimes import (
    End,
    LifetimeRules,
    Step,
    begin,
    choose_lifetime,
    next_step,
)
from dibs.errors import BadValue

SECOND = 1_000_000
NOW = 1_000 * SECOND
HOUR = LifetimeRules(seconds_max=3_600)
STRICT = LifetimeRules(default_seconds=60, seconds_max=3_600, notice_seconds=10, grace_seconds=5)


@pytest.mark.parametrize(
    ("rules", "asked", "chosen"),
    [
        (LifetimeRules(), Lifetime(), Lifetime()),
        (LifetimeRules(), Lifetime(seconds=9), Lifetime(seconds=9)),
        (LifetimeRules(default_seconds=60), Lifetime(), Lifetime(seconds=60)),
        (HOUR, Lifetime(), Lifetime(seconds=3_600)),
        (STRICT, Lifetime(), Lifetime(seconds=60)),
        (STRICT, Lifetime(seconds=3_600), Lifetime(seconds=3_600)),
        (STRICT, Lifetime(until=NOW + 3_600 * SECOND), Lifetime(until=NOW + 3_600 * SECOND)),
    ],
)
def test_the_lifetime_is_the_requested_one_or_the_default(rules, asked, chosen):
    assert choose_lifetime(rules, NOW, asked) == chosen


@pytest.mark.parametrize(
    "asked",
    [
        Lifetime(seconds=3_601),
        Lifetime(until=NOW + 3_601 * SECOND),
        Lifetime(until=NOW),
        Lifetime(seconds=60, until=NOW + 60 * SECOND),
    ],
)
def test_an_end_too_late_or_in_the_past_or_given_twice_is_refused(asked):
    with pytest.raises(BadValue):
        choose_lifetime(STRICT, NOW, asked)


def test_an_allocation_without_a_lifetime_has_no_end():
    assert begin(STRICT, Lifetime(), NOW) == End(None, None, None)


@pytest.mark.parametrize(
    ("rules", "due", "release"),
    [
        (LifetimeRules(), 100, 100),
        (LifetimeRules(notice_seconds=30), 70, 100),
        (LifetimeRules(notice_seconds=300), 0, 100),
        (LifetimeRules(notice_seconds=30, grace_seconds=5), 70, 105),
        (LifetimeRules(notice_seconds=30, grace_seconds=5, releases=False), 70, None),
    ],
)
def test_the_end_is_due_at_the_notice_and_the_node_is_released_after_the_grace_period(rules, due, release):
    end = begin(rules, Lifetime(seconds=100), NOW)
    assert end.ends_at == NOW + 100 * SECOND
    assert end.due_at == NOW + due * SECOND
    assert end.release_at == (None if release is None else NOW + release * SECOND)


def test_an_allocation_gets_a_notice_a_grace_period_and_its_end():
    end = begin(STRICT, Lifetime(seconds=60), NOW)
    allocation = Allocation(id=1, uuid="a", node_id=1, created_at=NOW, ends_at=end.ends_at, end_due_at=end.due_at)

    def step(seconds, **changes):
        return next_step(replace(allocation, **changes), end.release_at, NOW + seconds * SECOND)

    assert step(49) is Step.NOTHING
    assert step(50) is Step.NOTICE
    noticed = {"noticed_at": NOW + 50 * SECOND}
    assert step(60, **noticed) is Step.WAIT
    assert step(64) is Step.WAIT, "the notice comes too late"
    assert step(65, **noticed) is Step.END
    assert step(65, end_due_at=None) is Step.NOTHING
    assert step(65, node_id=None) is Step.END, "in the queue"
    assert next_step(allocation, None, NOW + 60 * SECOND) is Step.REPORT
