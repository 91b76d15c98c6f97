"""The audit: which object was changed, when, by whom, and what it was before."""

import shlex
from collections.abc import Mapping

from dibs.console.exchange import Exchange
from dibs.console.presentation.changes import change_of
from dibs.console.times import command_form
from dibs.events.model.access import visible_events
from dibs.events.model.stored import EventQuery
from dibs.events.operations.listing import list_events
from dibs.http.messages import Response
from dibs.machines.model.nodes import is_uuid
from dibs.machines.operations.nodes import GetNode, get_node

PAGE_ROWS = 60
KINDS = ("node", "allocation", "lease", "hold", "host", "claim")


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
        since=exchange.zone.read(asked["since"], "the start of the period") if asked.get("since") else None,
        until=exchange.zone.read(asked["until"], "the end of the period") if asked.get("until") else None,
        marker=int(marker) if marker.isascii() and marker.isdigit() and len(marker) <= 18 else None,
        limit=PAGE_ROWS,
    )
    found = exchange.read(list_events, exchange.machines, query)
    given = {name: asked.get(name, "") for name in ("type", "node", "project", "since", "until")}
    more = exchange.url("/audit", **given, after=found[-1].id) if len(found) == PAGE_ROWS else None
    is_rest = exchange.is_part and "after" in asked
    return exchange.page(
        "audit_rows.html" if is_rest else "audit.html",
        rows=[change_of(event, exchange.zone) for event in found],
        more=more,
        given=given,
        kinds=KINDS,
        command=_command(given, query),
    )


def _find_node(exchange: Exchange, ident: str) -> str:
    """Return the uuid of a node; a uuid may be that of a node that was deleted."""
    if is_uuid(ident):
        return ident.lower()
    return exchange.read(get_node, exchange.machines, GetNode(ident=ident, rules=())).node.uuid


def _command(given: Mapping[str, str], query: EventQuery) -> str:
    """Return the command with the same filters; its times are in UTC."""
    options = {name: given[name] for name in ("type", "node", "project")}
    times = {"since": query.since, "until": query.until}
    options |= {name: command_form(moment) for name, moment in times.items() if moment is not None}
    return " ".join(["dibs audit", *(f"--{name} {shlex.quote(value)}" for name, value in options.items() if value)])
