"""Node hours from the beginnings and ends of uses, compared with a count of every hour."""

import random

from dibs.reports.model.utilisation import HOUR, WEEK, UseChange, UseKey, week_of, weekly, windows_of

MONDAY = 1_800_230_400_000_000
"""Monday, 18 January 2027, 0:00 UTC."""


def test_week_begins_on_monday() -> None:
    assert week_of(MONDAY) == MONDAY
    assert week_of(MONDAY - 1) == MONDAY - WEEK
    assert week_of(MONDAY + WEEK - 1) == MONDAY


def test_use_over_a_weekend_counts_in_both_weeks() -> None:
    key = UseKey("allocation", "a", "n1")
    since, now = MONDAY - WEEK, MONDAY + 10 * HOUR
    changes = [
        UseChange(key, "p1", MONDAY + 2 * HOUR, begins=False),
        UseChange(key, "p1", MONDAY - 3 * HOUR, begins=True),
    ]
    rows = weekly(windows_of({}, changes, since, now), {"n1": "gold"}, {"gold": 2}, since, now)
    assert [(row.week, row.resource_class, row.project, row.node_hours, row.share) for row in rows] == [
        (MONDAY - WEEK, "gold", "p1", 3.0, round(3 / (2 * 168), 4)),
        (MONDAY, "gold", "p1", 2.0, 0.1),
    ]


def test_use_that_goes_on_and_began_before_all_events_counts_from_there() -> None:
    present = {UseKey("booking", "l", "n1"): "p1"}
    rows = weekly(windows_of(present, [], MONDAY, MONDAY + HOUR), {}, None, MONDAY, MONDAY + HOUR)
    assert [(row.resource_class, row.node_hours, row.nodes, row.share) for row in rows] == [("", 1.0, None, None)]


def test_random_histories_have_the_hours_that_a_simulation_counts() -> None:
    for seed in range(50):
        chance = random.Random(seed)
        keys = [
            (UseKey(kind, f"{kind}-{number}", f"n{chance.randrange(3)}"), chance.choice(("p1", "p2")))
            for kind in ("allocation", "booking")
            for number in range(4)
        ]
        hours, since = 24 * 14, 24 * 3
        using: set[UseKey] = set()
        changes: list[UseChange] = []
        counted: dict[tuple[int, str], int] = {}
        projects = dict(keys)
        for hour in range(hours):
            for key, project in keys:
                if chance.random() < 0.05:
                    changes.append(UseChange(key, project, MONDAY + hour * HOUR, begins=key not in using))
                    using ^= {key}
            if hour >= since:
                week = week_of(MONDAY + hour * HOUR)
                for project, _ in {(projects[key], key.node) for key in using}:
                    counted[week, project] = counted.get((week, project), 0) + 1
        first, now = MONDAY + since * HOUR, MONDAY + hours * HOUR
        known = [change for change in reversed(changes) if change.moment >= first]
        windows = windows_of({key: projects[key] for key in using}, known, first, now)
        found = {(row.week, row.project): row.node_hours for row in weekly(windows, {}, None, first, now)}
        assert found == counted, seed
