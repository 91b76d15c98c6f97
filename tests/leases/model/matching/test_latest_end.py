"""The latest end of what a user has."""

from dibs.leases.model.matching.latest_end import LatestEnd


def test_the_earliest_limit_counts_and_none_is_before_the_end():
    found = LatestEnd(10, None, "")
    assert found.limited_to(None, "a") == found
    assert found.limited_to(30, "a").limited_to(20, "b").limited_to(25, "c") == LatestEnd(10, 20, "b")
    assert found.limited_to(5, "a") == LatestEnd(10, 10, "a")
    assert LatestEnd(None, None, "").limited_to(5, "a") == LatestEnd(None, 5, "a")
