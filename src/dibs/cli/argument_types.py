"""Types of command-line arguments for argparse: durations, timestamps and KEY=VALUE pairs."""

import argparse
import datetime
import json
import re
from typing import Any

_DURATION = re.compile(r"(\d+)\s*([smhdw]?)")
_AGO = re.compile(r"(\d+\s*)(s|m|h|d|w|seconds?|minutes?|hours?|days?|weeks?)\s+ago")
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}

SEVERAL: dict[str, Any] = {"action": "extend", "nargs": "+", "default": []}
"""Arguments of ``add_argument`` for an option with one or more values that can be repeated."""


def seconds(text: str) -> int:
    """Parse a duration such as 90, 90s, 15m, 2h or 1d."""
    found = _DURATION.fullmatch(text.strip())
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not a valid duration such as 90s, 15m, 2h or 1d.")
    return int(found[1]) * _SECONDS[found[2]]


def timestamp(text: str) -> "datetime.datetime | str":
    """Parse ``now``, a duration from now, a day with a time, or an ISO 8601 timestamp, in UTC unless it has an offset.

    A day is ``today``, ``tomorrow`` or the next day of that name, which is never today.
    """
    words = text.lower().split()
    if words == ["now"]:
        return "now"
    if text.startswith("+"):
        return datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=seconds(text[1:]))
    try:
        if len(words) == 2 and (days := _days_until(words[0])) is not None:
            day = datetime.datetime.now(datetime.UTC).date() + datetime.timedelta(days=days)
            return datetime.datetime.combine(day, datetime.time.fromisoformat(words[1]), datetime.UTC)
        return datetime.datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a valid time. Accepted forms, in UTC: now, +2h, 'today 18:00', 'tomorrow 09:00',"
            " 'monday 09:00', 2026-11-17T18:00, 2026-11-17T18:00+01:00."
        ) from None


def moment(text: str) -> datetime.datetime:
    """Parse a timestamp and return it as a moment, also when it is ``now``."""
    found = timestamp(text)
    if isinstance(found, str):
        return datetime.datetime.now(datetime.UTC)
    return found if found.tzinfo else found.replace(tzinfo=datetime.UTC)


def past_moment(text: str) -> datetime.datetime:
    """Parse a duration before now such as 1w or "2 days ago", or a timestamp."""
    if ago := _AGO.fullmatch(text.strip().lower()):
        text = ago[1] + ago[2][0]
    if _DURATION.fullmatch(text.strip()):
        return datetime.datetime.now(datetime.UTC) - datetime.timedelta(seconds=seconds(text))
    return moment(text)


def _days_until(word: str) -> int | None:
    """Return the number of days until a day such as tomorrow or monday; None for another word."""
    if word in ("today", "tomorrow"):
        return int(word == "tomorrow")
    if word not in _WEEKDAYS:
        return None
    return (_WEEKDAYS.index(word) - datetime.datetime.now(datetime.UTC).weekday() - 1) % 7 + 1


def key_value(text: str) -> str:
    """Check that the argument is a KEY=VALUE pair."""
    if "=" not in text:
        raise argparse.ArgumentTypeError(f"{text!r} is not a KEY=VALUE pair.")
    return text


def json_object(text: str) -> dict[str, Any]:
    """Parse a JSON object."""
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise argparse.ArgumentTypeError(f"{text!r} is not a JSON object.")
    return found


def pairs(texts: list[str]) -> dict[str, Any]:
    """Return the values of repeated KEY=VALUE arguments by key."""
    return dict(text.partition("=")[::2] for text in texts)
