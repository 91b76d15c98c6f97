import pytest

from dibs.leases.model.dates import CURRENT_MINUTE, LeaseRules, before_end, check_length, check_new, moment
from dibs.leases.model.errors import BadLease, LeaseTooLong, OutsideLease
from dibs.leases.model.windows import MINUTE, SECOND, Window

NOW = 100 * MINUTE + 5 * SECOND
HOUR = 60 * MINUTE


def test_current_minute_is_known_only_to_the_operation() -> None:
    assert moment(CURRENT_MINUTE, NOW) == 100 * MINUTE
    assert moment(7, NOW) == 7


def test_lease_may_begin_in_the_current_minute_but_not_before() -> None:
    check_new(Window(100 * MINUTE, 101 * MINUTE), NOW)
    with pytest.raises(BadLease, match="Start date must be later than current date"):
        check_new(Window(99 * MINUTE, 101 * MINUTE), NOW)


def test_lease_without_duration_is_refused() -> None:
    with pytest.raises(BadLease, match="End date must be later than start date"):
        check_new(Window(200 * MINUTE, 200 * MINUTE), NOW)


def test_duration_is_limited_except_for_exempt_projects() -> None:
    rules = LeaseRules(seconds_max=3600, exempt_projects=frozenset({"vip"}))
    check_length(Window(0, HOUR), "p", rules)
    check_length(Window(0, 2 * HOUR), "vip", rules)
    check_length(Window(0, 2 * HOUR), "p", LeaseRules())
    with pytest.raises(LeaseTooLong):
        check_length(Window(0, HOUR + SECOND), "p", rules)


def test_before_end_is_due_within_the_lease() -> None:
    window = Window(HOUR, 3 * HOUR)
    assert before_end(window, None, 60) == 2 * HOUR
    assert before_end(window, None, 600) == HOUR
    assert before_end(window, None, 0) is None
    assert before_end(window, 2 * HOUR + MINUTE, 0) == 2 * HOUR + MINUTE
    for outside in (HOUR, 3 * HOUR):
        with pytest.raises(OutsideLease):
            before_end(window, outside, 60)
