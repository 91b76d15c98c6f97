"""Values that a table shows in a form for people, and ``-f json`` and ``yaml`` as data. Ages and times left."""

import datetime
from typing import Any

from cliff.columns import FormattableColumn

_UNITS = ((86_400, "d"), (3_600, "h"), (60, "m"), (1, "s"))


class Pairs(FormattableColumn[dict[str, Any]]):
    """An object: ``key=value`` in lines."""

    def human_readable(self) -> str:
        """Return the text for tables."""
        return "\n".join(f"{key}={value}" for key, value in sorted(self._value.items()))


class Counts(FormattableColumn[dict[str, int]]):
    """Numbers by reason: one line each, such as ``2 in use``."""

    def human_readable(self) -> str:
        """Return the text for tables."""
        return "\n".join(f"{count} {_in_words(reason)}" for reason, count in self._value.items())


class NodeReasons(FormattableColumn[list[dict[str, Any]]]):
    """Nodes with the reason why they are not free, one line each: ``n1 in use until 2026-11-17T18:00, lease x``."""

    def human_readable(self) -> str:
        """Return the text for tables."""
        return "\n".join(_reason_line(each) for each in self._value)


class Offers(FormattableColumn[list[dict[str, Any]]]):
    """Offers: the change and the command, in two lines each."""

    def human_readable(self) -> str:
        """Return the text for tables."""
        return "\n".join(f"{each['text']}\n  {each['command']}" for each in self._value)


class Reservations(FormattableColumn[list[dict[str, Any]]]):
    """The reservations of a lease: what is reserved, the status, and the id, in two lines each."""

    def human_readable(self) -> str:
        """Return the text for tables."""
        return "\n".join(f"{_amount(each)}, {each.get('status')}\n  {each.get('id')}" for each in self._value)


class Events(FormattableColumn[list[dict[str, Any]]]):
    """The events of a lease, one line each in the order of time."""

    def human_readable(self) -> str:
        """Return the text for tables."""
        ordered = sorted(self._value, key=lambda event: str(event.get("time")))
        return "\n".join(
            f"{str(each.get('time'))[:16]} {each.get('event_type')} {each.get('status')}" for each in ordered
        )


class Changes(FormattableColumn[dict[str, Any]]):
    """The attributes that changed: ``key: before -> after`` in lines."""

    def human_readable(self) -> str:
        """Return the text for tables."""
        before, after = self._value["before"], self._value["after"]
        if before is None or after is None:
            return "\n".join(f"{key}: {value}" for key, value in (after or before or {}).items())
        return "\n".join(f"{key}: {before.get(key)} -> {value}" for key, value in after.items())


def age(since: str | None) -> str | None:
    """Return the time since a moment, such as ``3d 4h``; None without one."""
    return None if since is None else span((_now() - _moment(since)).total_seconds())


def left(until: str | None) -> str | None:
    """Return the time until a moment, such as ``1h 20m``; ``0s`` if it has passed."""
    return None if until is None else span((_moment(until) - _now()).total_seconds())


def span(seconds: float) -> str:
    """Return a duration in its two largest units."""
    rest = max(int(seconds), 0)
    parts: list[str] = []
    for size, unit in _UNITS:
        amount, rest = divmod(rest, size)
        if amount or (unit == "s" and not parts):
            parts.append(f"{amount}{unit}")
        if len(parts) == 2:
            break
    return " ".join(parts)


def _now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC)


def _moment(text: str) -> datetime.datetime:
    """Parse a time of a server, which is UTC."""
    found = datetime.datetime.fromisoformat(text)
    return found if found.tzinfo else found.replace(tzinfo=datetime.UTC)


def _reason_line(node: dict[str, Any]) -> str:
    words = [node["name"] or node["uuid"], *([_in_words(node["reason"])] if node["reason"] else [])]
    words += [f"until {node['until'][:16]}"] if node["until"] else []
    blocked_by = node["blocked_by"]
    if blocked_by is None:
        return " ".join(words)
    known = blocked_by["name"] or blocked_by["id"] or "of another project"
    return f"{' '.join(words)}, {blocked_by['kind']} {known}"


def _in_words(reason: str) -> str:
    """Return the words for a code such as in_use or lacks:CUSTOM_GPU."""
    return reason.replace(":", " ", 1) if ":" in reason else reason.replace("_", " ")


def _amount(reservation: dict[str, Any]) -> str:
    if reservation.get("resource_type") == "physical:host":
        low, high = reservation.get("min"), reservation.get("max")
        return f"hosts: {low}" if low == high else f"hosts: {low} to {high}"
    return (
        f"instances: {reservation.get('amount')} of {reservation.get('vcpus')} VCPU, {reservation.get('memory_mb')} MB"
    )
