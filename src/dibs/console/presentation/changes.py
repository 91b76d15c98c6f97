"""Events as lines: what changed from which value to which."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from msgspec import Struct

from dibs.console.times import Zone
from dibs.events.model.stored import StoredEvent

VALUE_LENGTH_MAX = 80


class Change(Struct, frozen=True, kw_only=True):
    """One event."""

    event: StoredEvent
    object_url: str | None
    """The page of the object; None when there is none, or no longer."""
    words: list[str]
    """What changed, for each attribute."""


def change_of(event: StoredEvent, zone: Zone, attributes: Collection[str] | None = None) -> Change:
    """Return an event as a line, which tells of these attributes only; None: of all."""
    urls = {"node": f"/console/nodes/{event.object_id}", "lease": f"/console/leases/{event.object_id}"}
    gone = event.type.endswith(".deleted")
    before, after = event.before or {}, event.after or {}
    names = [name for name in dict.fromkeys((*before, *after)) if attributes is None or name in attributes]
    return Change(
        event=event,
        object_url=None if gone else urls.get(event.kind),
        words=list(_words(names, before, after, zone)),
    )


def _words(names: Collection[str], before: Mapping[str, Any], after: Mapping[str, Any], zone: Zone) -> Iterator[str]:
    for name in names:
        old, new = _text(name, before.get(name), zone), _text(name, after.get(name), zone)
        if old != new:
            title = name if name.isupper() else name.replace("_", " ")
            yield f"{title}: {old} → {new}" if old and new else f"{title}: {new}" if new else f"{title} removed"


def _text(name: str, value: Any, zone: Zone) -> str:
    if value is None or value in ("", [], {}):
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int) and name.endswith(("_at", "_until")):
        return f"{zone.local(value):%Y-%m-%d %H:%M}"
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return text if len(text) <= VALUE_LENGTH_MAX else f"{text[:VALUE_LENGTH_MAX]}…"
