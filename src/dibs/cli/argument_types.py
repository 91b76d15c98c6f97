"""Types of command-line arguments for argparse: durations, timestamps and KEY=VALUE pairs."""

import argparse
import datetime
import re
from typing import Any

_DURATION = re.compile(r"(\d+)\s*([smhd]?)")
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3_600, "d": 86_400}

SEVERAL: dict[str, Any] = {"action": "extend", "nargs": "+", "default": []}
"""Arguments of ``add_argument`` for an option with one or more values that can be repeated."""


def seconds(text: str) -> int:
    """Parse a duration such as 90, 90s, 15m, 2h or 1d."""
    found = _DURATION.fullmatch(text.strip())
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not a valid duration such as 90s, 15m, 2h or 1d.")
    return int(found[1]) * _SECONDS[found[2]]


def timestamp(text: str) -> "datetime.datetime | str":
    """Parse ``now``, a duration from now such as ``+2h``, or an ISO 8601 timestamp, in UTC unless it has an offset."""
    if text == "now":
        return text
    if text.startswith("+"):
        return datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=seconds(text[1:]))
    try:
        return datetime.datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a valid ISO 8601 timestamp. Use now, +2h, or a time such as 2026-11-17T18:00."
        ) from None


def key_value(text: str) -> str:
    """Check that the argument is a KEY=VALUE pair."""
    if "=" not in text:
        raise argparse.ArgumentTypeError(f"{text!r} is not a KEY=VALUE pair.")
    return text


def pairs(texts: list[str]) -> dict[str, Any]:
    """Return the values of repeated KEY=VALUE arguments by key."""
    return dict(text.partition("=")[::2] for text in texts)
