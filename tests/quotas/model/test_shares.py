"""The decay of what projects had."""

import pytest

from dibs.quotas.model.shares import FORGOTTEN_AFTER, Share, standing_of

HOUR = 3_600_000_000


def test_what_a_project_had_counts_half_after_each_half_life() -> None:
    share = Share(project="p", average=8.0, counted_at=HOUR)
    assert [share.average_at((1 + hours) * HOUR, HOUR) for hours in (0, 1, 3)] == [8.0, 4.0, 1.0]


def test_average_of_a_project_approaches_the_nodes_that_it_has() -> None:
    share = Share(project="p", nodes=8, counted_at=0)
    assert [share.average_at(hours * HOUR, HOUR) for hours in (0, 1, 2)] == [0.0, 4.0, 6.0]
    assert share.average_at(FORGOTTEN_AFTER * HOUR, HOUR) == pytest.approx(8.0, rel=1e-6)


def test_counting_in_steps_is_counting_at_once() -> None:
    at_once = Share(project="p", weight=3, average=2.0, nodes=5, counted_at=0)
    in_steps = at_once
    for minute in range(1, 61):
        in_steps = in_steps.counted(minute * HOUR // 60, HOUR, 5)
    assert in_steps.average == pytest.approx(at_once.average_at(HOUR, HOUR))
    assert (in_steps.weight, in_steps.nodes, in_steps.counted_at) == (3, 5, HOUR)


def test_average_is_the_node_seconds_with_decay() -> None:
    """Four nodes for one hour, an hour ago, with a half-life of an hour: a numeric integral says the same."""
    share = Share(project="p", counted_at=0).counted(0, HOUR, 4).counted(HOUR, HOUR, 0)
    steps = 10_000
    decayed = sum(4 * 0.5 ** (2 - step / steps) for step in range(steps)) / steps
    always = sum(0.5 ** (step / steps) for step in range(60 * steps)) / steps
    assert share.average_at(2 * HOUR, HOUR) == pytest.approx(decayed / always, rel=1e-3)


def test_project_without_a_share_has_had_its_nodes_for_long() -> None:
    found = standing_of(None, "p", 3, HOUR, HOUR)
    assert (found.weight, found.average, found.nodes) == (1, 3.0, 3)
    assert standing_of(Share(project="p", weight=4, counted_at=0), "p", 3, HOUR, HOUR).weight == 4


def test_clock_that_goes_back_changes_nothing() -> None:
    assert Share(project="p", average=2.0, nodes=1, counted_at=HOUR).average_at(0, HOUR) == 2.0
