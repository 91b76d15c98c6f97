"""Times in the time zone of the browser."""

import pytest

from dibs.console.errors import Refusal
from dibs.console.times import DAY, HOUR, MINUTE, Zone, duration, utc

MOMENT = 1_800_000_000_000_000  # 2027-01-15 08:00 UTC, a Friday


def test_moments_are_shown_and_read_in_the_zone() -> None:
    zone = Zone.named("Asia/Tokyo")
    assert zone.short(MOMENT, MOMENT) == "17:00"
    assert zone.short(MOMENT + 2 * DAY, MOMENT) == "Sun 17:00"
    assert zone.short(MOMENT + 30 * DAY, MOMENT) == "14 Feb 17:00"
    assert zone.short(MOMENT + 400 * DAY, MOMENT) == "19 Feb 2028 17:00"
    assert zone.read(zone.form(MOMENT), "x") == MOMENT
    assert zone.read("2027-01-15T08:00+00:00", "x") == MOMENT
    assert utc(MOMENT) == "2027-01-15 08:00 UTC"


@pytest.mark.parametrize("name", ["", "Nowhere/City", "../etc/passwd", "x" * 100, "/etc/localtime"])
def test_unknown_zone_is_utc(name: str) -> None:
    assert Zone.named(name).name == "UTC"


def test_day_with_a_clock_change_has_its_own_length() -> None:
    zone = Zone.named("Europe/Berlin")
    start = zone.read("2027-03-28T00:00", "x")
    assert zone.days_later(start, 1) - start == 23 * HOUR


@pytest.mark.parametrize("text", ["", "tomorrow", "2027-13-01T00:00", "99999-01-01"])
def test_bad_dates_are_refused(text: str) -> None:
    with pytest.raises(Refusal):
        Zone.named("UTC").read(text, "the start")


@pytest.mark.parametrize(
    ("length", "words"),
    [
        (30_000_000, "less than a minute"),
        (90 * MINUTE, "1 h 30 min"),
        (DAY, "1 d"),
        (DAY + 2 * HOUR + MINUTE, "1 d 2 h"),
    ],
)
def test_durations_have_two_units_at_most(length: int, words: str) -> None:
    assert duration(length) == words
