"""Feeds as text, read by another implementation of RFC 5545."""

from datetime import UTC, datetime
from typing import Any

import icalendar
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from dibs.calendars.model.calendars import Entry, Feed
from dibs.calendars.model.icalendar import encode, escape, fold

NOON = int(datetime(2026, 11, 18, 12, tzinfo=UTC).timestamp()) * 1_000_000
HOUR = 3_600_000_000
ENTRY = Entry(
    kind="lease",
    uuid="0b1f5a3f-6c11-4a0e-9f6a-7c2b0f6e52f5",
    name="training",
    project="p",
    status="pending",
    start=NOON,
    end=NOON + 8 * HOUR,
    changed_at=NOON - HOUR,
    nodes=("rack1-01", "rack1-02"),
)


def read(*entries: Entry, title: str = "Dibs") -> tuple[Any, list[Any]]:
    """Return the calendar and its events as a calendar program reads them."""
    text = encode(Feed(title=title, entries=entries))
    for line in text.removesuffix(b"\r\n").split(b"\r\n"):
        assert len(line) <= 75
        assert b"\n" not in line
        assert line.decode()
    found = icalendar.Calendar.from_ical(text)
    assert not found.errors
    return found, found.walk("VEVENT")


def test_entry_is_an_event_in_utc() -> None:
    calendar, (event,) = read(ENTRY, title="Dibs p")
    assert (str(calendar["VERSION"]), str(calendar["X-WR-CALNAME"])) == ("2.0", "Dibs p")
    assert event["UID"] == f"{ENTRY.uuid}@dibs"
    assert event["DTSTART"].dt == datetime(2026, 11, 18, 12, tzinfo=UTC)
    assert event["DTEND"].dt == datetime(2026, 11, 18, 20, tzinfo=UTC)
    assert event["DTSTAMP"].dt == datetime(2026, 11, 18, 11, tzinfo=UTC)
    assert (event["SUMMARY"], event["LOCATION"]) == ("training", "rack1-01, rack1-02")
    assert event["DESCRIPTION"] == f"lease {ENTRY.uuid}\nstatus: pending\nproject: p\nnodes: rack1-01, rack1-02"
    assert event["TRANSP"] == "TRANSPARENT"


def test_feed_without_entries_is_a_calendar() -> None:
    assert read()[1] == []


def test_moved_entry_keeps_its_uid() -> None:
    moved = replace(ENTRY, start=ENTRY.start + HOUR, end=ENTRY.end + HOUR)
    assert read(moved)[1][0]["UID"] == read(ENTRY)[1][0]["UID"]


@given(st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=300))
def test_any_name_arrives_as_it_is(name: str) -> None:
    assert read(replace(ENTRY, name=name), title=name)[1][0]["SUMMARY"] == name


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("a,b;c\\d", "a\\,b\\;c\\\\d"),
        ("one\r\ntwo\rthree\nfour", "one\\ntwo\\nthree\\nfour"),
        ("bell\x07 and null\x00", "bell and null"),
        ("x\nBEGIN:VEVENT", "x\\nBEGIN:VEVENT"),
    ],
)
def test_text_cannot_begin_a_line_of_its_own(text: str, escaped: str) -> None:
    assert escape(text) == escaped
    assert len(read(replace(ENTRY, name=text))[1]) == 1


def test_long_lines_are_folded_between_characters() -> None:
    folded = fold("SUMMARY:" + "ä" * 100)
    assert folded.replace(b"\r\n ", b"").decode() == "SUMMARY:" + "ä" * 100 + "\r\n"
    assert [len(line) for line in folded.split(b"\r\n")] == [74, 75, 61, 0]


def test_entry_of_less_than_a_second_ends_after_its_start() -> None:
    event = read(replace(ENTRY, end=ENTRY.start + 1))[1][0]
    assert event["DTEND"].dt > event["DTSTART"].dt


def test_end_beyond_the_last_year_is_cut() -> None:
    assert read(replace(ENTRY, end=2**62))[1][0]["DTEND"].dt.year == 9999
