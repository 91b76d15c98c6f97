"""Feeds in the form of RFC 5545: text in lines of at most 75 bytes, with times in UTC.

The text depends on the entries alone, not on the moment at which it is made, so an unchanged feed has an unchanged
digest. A lease that moved keeps its UID, and one that was deleted is absent: programs that subscribe replace all they
have with what they get.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from dibs.calendars.model.calendars import Entry, Feed

CONTENT_TYPE = "text/calendar; charset=utf-8"
REFRESH = "PT15M"
LINE_BYTES_MAX = 75

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LATEST = int((datetime(9999, 12, 31, tzinfo=UTC) - _EPOCH).total_seconds())
_SECOND = 1_000_000
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_ESCAPED = re.compile(r"[\\;,]")
_LINE_BREAK = re.compile(r"\r\n|\r|\n")


def encode(feed: Feed) -> bytes:
    """Return a feed as a file that calendar programs read."""
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Dibs//Dibs//EN",
        "CALSCALE:GREGORIAN",
        "METHOD:PUBLISH",
        f"NAME:{escape(feed.title)}",
        f"X-WR-CALNAME:{escape(feed.title)}",
        f"REFRESH-INTERVAL;VALUE=DURATION:{REFRESH}",
        f"X-PUBLISHED-TTL:{REFRESH}",
    ]
    for entry in feed.entries:
        lines += _event(entry)
    lines.append("END:VCALENDAR")
    return b"".join(fold(line) for line in lines)


def _event(entry: Entry) -> Iterator[str]:
    nodes = ", ".join(entry.nodes)
    detail = [f"{entry.kind} {entry.uuid}", f"status: {entry.status}"]
    detail += [f"project: {entry.project}"] if entry.project else []
    detail += [f"nodes: {nodes}"] if nodes else []
    start = min(entry.start // _SECOND, _LATEST - 1)
    # An end must be later than the start, and both are whole seconds here.
    end = max(entry.end // _SECOND, start + 1)
    yield "BEGIN:VEVENT"
    yield f"UID:{entry.uuid}@dibs"
    yield f"DTSTAMP:{_time(entry.changed_at // _SECOND)}"
    yield f"DTSTART:{_time(start)}"
    yield f"DTEND:{_time(end)}"
    yield f"SUMMARY:{escape(entry.name)}"
    if nodes:
        yield f"LOCATION:{escape(nodes)}"
    yield f"DESCRIPTION:{escape(chr(10).join(detail))}"
    yield f"CATEGORIES:{escape(entry.kind)}"
    # A machine is booked, not the person who subscribes.
    yield "TRANSP:TRANSPARENT"
    yield "END:VEVENT"


def escape(text: str) -> str:
    r"""Return a text value: commas, semicolons and backslashes after a backslash, line breaks as ``\n``."""
    escaped = _ESCAPED.sub(r"\\\g<0>", text)
    return _CONTROL.sub("", _LINE_BREAK.sub(r"\\n", escaped))


def fold(line: str) -> bytes:
    """Return a line with its end: continued after a space where it is too long, and never within a character."""
    pieces, size = [b""], 0
    for character in line:
        encoded = character.encode()
        if size + len(encoded) > LINE_BYTES_MAX:
            pieces.append(b" ")
            size = 1
        pieces[-1] += encoded
        size += len(encoded)
    return b"\r\n".join(pieces) + b"\r\n"


def _time(seconds: int) -> str:
    return f"{_EPOCH + timedelta(seconds=min(seconds, _LATEST)):%Y%m%dT%H%M%SZ}"
