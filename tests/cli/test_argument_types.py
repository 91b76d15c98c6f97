"""Durations, timestamps and pairs on the command line."""

import argparse
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from dibs.cli.argument_types import key_value, pairs, past_moment, seconds, timestamp


@pytest.mark.parametrize(("text", "parsed"), [("90", 90), ("90s", 90), ("15m", 900), ("2h", 7200), ("1d", 86_400)])
def test_a_duration_is_parsed_to_seconds(text: str, parsed: int) -> None:
    assert seconds(text) == parsed


def test_a_timestamp_is_now_relative_or_iso_8601() -> None:
    assert timestamp("now") == "now"
    assert timestamp("2026-11-17T18:00") == datetime(2026, 11, 17, 18)
    later = timestamp("+2h")
    assert isinstance(later, datetime)
    assert abs(later - datetime.now(UTC) - timedelta(hours=2)) < timedelta(minutes=1)


def test_a_day_with_a_time_is_the_next_one_in_utc() -> None:
    now = datetime.now(UTC)
    today, tomorrow, monday = (timestamp(f"{day} 09:30") for day in ("today", "Tomorrow", "monday"))
    assert isinstance(today, datetime)
    assert isinstance(monday, datetime)
    assert (today.hour, today.minute, today.tzinfo, today.date()) == (9, 30, UTC, now.date())
    assert tomorrow == today + timedelta(days=1)
    assert monday.weekday() == 0
    assert timedelta(0) < monday.date() - now.date() <= timedelta(days=7)


@pytest.mark.parametrize("text", ["2d", "2 days ago", "48 hours ago", "2d ago", " 2 Days ago"])
def test_a_past_moment_is_a_duration_before_now(text: str) -> None:
    assert abs(datetime.now(UTC) - timedelta(days=2) - past_moment(text)) < timedelta(minutes=1)


def test_a_value_may_contain_equals_signs() -> None:
    assert pairs([key_value("a=1"), key_value("b=c=d")]) == {"a": "1", "b": "c=d"}


@pytest.mark.parametrize(
    ("parse", "text", "message"),
    [
        (seconds, "soon", "'soon' is not a valid duration"),
        (seconds, "-1s", "'-1s' is not a valid duration"),
        (timestamp, "+soon", "'soon' is not a valid duration"),
        (timestamp, "tomorrow-ish", "'tomorrow-ish' is not a valid time. Accepted forms, in UTC: now, .2h"),
        (timestamp, "monday 25:00", "'monday 25:00' is not a valid time"),
        (timestamp, "someday 09:00", "'someday 09:00' is not a valid time"),
        (timestamp, "monday", "'monday' is not a valid time"),
        (past_moment, "2 months ago", "'2 months ago' is not a valid time"),
        (key_value, "a", "'a' is not a KEY=VALUE pair"),
    ],
)
def test_an_invalid_argument_is_named_in_the_error(parse: Callable[[str], object], text: str, message: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match=message):
        parse(text)
