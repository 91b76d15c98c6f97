"""The history of a node: its events, in the form of Ironic."""

from collections.abc import Mapping
from typing import Any

from dibs.dialects.baremetal.documents.idents import node_in_path
from dibs.dialects.baremetal.documents.paging import LIST_QUERY, page_answer
from dibs.dialects.baremetal.documents.rendering import render_time
from dibs.dialects.baremetal.documents.selection import asks_for_detail
from dibs.dialects.baremetal.endpoints import DETAIL
from dibs.dialects.baremetal.errors import Refusal, bad_request
from dibs.dialects.baremetal.exchange import Exchange, json_answer
from dibs.http.messages import Response
from dibs.machines.model.patching.values import read_uuid
from dibs.reports.model.node_history import HistoryEntry, event_id
from dibs.reports.operations.node_history import (
    GetHistoryEntry,
    ListNodeHistory,
    get_history_entry,
    list_node_history,
)

SINCE = 78
QUERY: Mapping[str, Mapping[str, Any]] = {
    **LIST_QUERY,
    "sort_key": {"enum": ["created_at"]},
    **DETAIL,
}

_IN_LIST = ("uuid", "created_at", "severity", "event")
_DETAILS = ("event_type", "conductor", "user", "project", "state", "target_provision_state", "duration_seconds")
_DETAILS_SINCE = {"project": 113, "state": 115, "target_provision_state": 115, "duration_seconds": 115}
_EVENT_LENGTH = 255


def list_history(exchange: Exchange) -> Response:
    """GET /v1/nodes/{node}/history"""
    query = exchange.query
    detail = asks_for_detail(query, exchange.minor)
    sort_key = query.text("sort_key") or "created_at"
    if sort_key != "created_at":
        raise bad_request(f'The sort_key value "{sort_key}" is an invalid field for sorting')
    marker = query.uuid("marker")
    command = ListNodeHistory(
        ident=node_in_path(exchange),
        limit=query.limit(),
        newest_first=query.descending(),
        marker=None if marker is None else _read_id(marker),
    )
    found = exchange.read(list_node_history, command)
    entries = [_render(exchange, found.node, entry, detail=detail) for entry in found.entries]
    return page_answer(exchange, "history", entries, entries[-1]["uuid"] if entries else None, command.limit)


def show_entry(exchange: Exchange) -> Response:
    """GET /v1/nodes/{node}/history/{event}"""
    uuid = read_uuid("event", exchange.arguments["event"])
    command = GetHistoryEntry(ident=node_in_path(exchange), event_id=_read_id(uuid))
    found = exchange.read(get_history_entry, command)
    if not found.entries:
        raise _not_found(uuid)
    return json_answer(_render(exchange, found.node, found.entries[0], detail=True))


def _render(exchange: Exchange, node: str, entry: HistoryEntry, *, detail: bool) -> dict[str, Any]:
    shown = [name for name in _DETAILS if _DETAILS_SINCE.get(name, SINCE) <= exchange.minor] if detail else []
    document = {name: getattr(entry, name) for name in (*_IN_LIST, *shown)}
    document["created_at"] = render_time(entry.created_at)
    if not detail and len(entry.event) > _EVENT_LENGTH:
        document["event"] = entry.event[: _EVENT_LENGTH - 4] + "..."
    href = exchange.url("nodes", node, "history", entry.uuid)
    return {**document, "links": [{"href": href, "rel": "self"}]}


def _read_id(uuid: str) -> int:
    found = event_id(uuid)
    if found is None:
        raise _not_found(uuid)
    return found


def _not_found(uuid: str) -> Refusal:
    return Refusal(404, f"Node history record {uuid} could not be found.")
