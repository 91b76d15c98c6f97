"""The audit: which object was changed, when, by whom, and what it was before."""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from dibs.console.exchange import Exchange
from dibs.console.times import Zone
from dibs.events.model.access import visible_events
from dibs.events.model.stored import EventQuery, StoredEvent
from dibs.events.operations.listing import list_events
from dibs.http.messages import Response
from dibs.machines.model.nodes import is_uuid
from dibs.machines.operations.nodes import GetNode, get_node

PAGE_ROWS = 60
VALUE_LENGTH_MAX = 80
KINDS = ("node", "allocation", "lease", "hold", "host", "claim")


class Row(Struct, frozen=True, kw_only=True):
    """One event as a line."""

    event: StoredEvent
    object_url: str | None
    changes: list[str]


def show(exchange: Exchange) -> Response:
    """GET /audit"""
    asked = exchange.query
    projects = visible_events(exchange.machines)
    if asked.get("project"):
        projects = visible_events(exchange.machines, asked["project"])
    marker = asked.get("after", "")
    query = EventQuery(
        projects=projects,
        node=_find_node(exchange, asked["node"]) if asked.get("node") else None,
        type=asked.get("type") or None,
        since=exchange.zone.read(asked["since"], "the first moment") if asked.get("since") else None,
        until=exchange.zone.read(asked["until"], "the last moment") if asked.get("until") else None,
        marker=int(marker) if marker.isascii() and marker.isdigit() and len(marker) <= 18 else None,
        limit=PAGE_ROWS,
    )
    found = exchange.read(list_events, exchange.machines, query)
    given = {name: asked.get(name, "") for name in ("type", "node", "project", "since", "until")}
    more = exchange.url("/audit", **given, after=found[-1].id) if len(found) == PAGE_ROWS else None
    is_rest = exchange.is_part and "after" in asked
    return exchange.page(
        "audit_rows.html" if is_rest else "audit.html",
        rows=[_row(event, exchange.zone) for event in found],
        more=more,
        given=given,
        kinds=KINDS,
        command=_command(given),
    )


def _row(event: StoredEvent, zone: Zone) -> Row:
    urls = {"node": f"/console/nodes/{event.object_id}", "lease": f"/console/leases/{event.object_id}"}
    gone = event.type.endswith(".deleted")
    return Row(
        event=event,
        object_url=None if gone else urls.get(event.kind),
        changes=list(_changes(event.before or {}, event.after or {}, zone)),
    )


def _changes(before: Mapping[str, Any], after: Mapping[str, Any], zone: Zone) -> Iterator[str]:
    for name in dict.fromkeys((*before, *after)):
        old, new = _text(name, before.get(name), zone), _text(name, after.get(name), zone)
        if old != new:
            yield f"{name}: {old} → {new}" if old and new else f"{name}: {new}" if new else f"{name} removed"


def _text(name: str, value: Any, zone: Zone) -> str:
    if value is None or value in ("", [], {}):
        return ""
    if isinstance(value, int) and name.endswith(("_at", "_until")):
        return f"{zone.local(value):%Y-%m-%d %H:%M}"
    text = str(value)
    return text if len(text) <= VALUE_LENGTH_MAX else f"{text[:VALUE_LENGTH_MAX]}…"


def _find_node(exchange: Exchange, ident: str) -> str:
    """Return the uuid of a node; a uuid may be that of a node that was deleted."""
    if is_uuid(ident):
        return ident.lower()
    return exchange.read(get_node, exchange.machines, GetNode(ident=ident, rules=())).node.uuid


def _command(given: Mapping[str, str]) -> str:
    return " ".join(["dibs audit", *(f"--{name} {value}" for name, value in given.items() if value)])
