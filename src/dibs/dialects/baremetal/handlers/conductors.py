"""Conductors: show and list."""

from typing import Any

from dibs.dialects.baremetal.documents.paging import page_answer
from dibs.dialects.baremetal.documents.rendering import render_time
from dibs.dialects.baremetal.documents.selection import asks_for_detail
from dibs.dialects.baremetal.errors import bad_request
from dibs.dialects.baremetal.exchange import Exchange, json_answer
from dibs.http.messages import Response
from dibs.machines.model.errors import ConductorNotFound
from dibs.machines.operations import conductors as operations

_FIELDS = ("created_at", "updated_at", "hostname", "conductor_group", "drivers", "links", "alive")
_IN_LIST = frozenset({"hostname", "conductor_group", "alive"})
_SORT_KEYS = ("hostname", "conductor_group", "created_at", "updated_at")


def list_conductors(exchange: Exchange) -> Response:
    """GET /v1/conductors"""
    exchange.access.require("baremetal:conductor:get", {})
    wanted = _wanted(exchange)
    if asks_for_detail(exchange.query, exchange.minor):
        wanted = frozenset(_FIELDS)
    views = _in_order(exchange, exchange.read(operations.list_conductors, None))
    limit = exchange.query.limit()
    page = views[:limit]
    entries = [_render(exchange, view, _IN_LIST if wanted is None else wanted) for view in page]
    return page_answer(exchange, "conductors", entries, page[-1].conductor.hostname if page else None, limit)


def show_conductor(exchange: Exchange) -> Response:
    """GET /v1/conductors/{conductor}"""
    exchange.access.require("baremetal:conductor:get", {})
    wanted = _wanted(exchange)
    view = exchange.read(operations.get_conductor, exchange.arguments["conductor"])
    return json_answer(_render(exchange, view, frozenset(_FIELDS) if wanted is None else wanted))


def _wanted(exchange: Exchange) -> frozenset[str] | None:
    names = exchange.query.names("fields")
    unknown = [name for name in names or () if name not in _FIELDS]
    if unknown:
        raise bad_request(f'Field(s) "{", ".join(unknown)}" are not valid')
    return None if names is None else frozenset(names)


def _in_order(exchange: Exchange, views: list[operations.ConductorView]) -> list[operations.ConductorView]:
    """Return the views in order, after the marker. All conductors are read, because there are few."""
    key = exchange.query.text("sort_key") or "id"
    if key != "id" and key not in _SORT_KEYS:
        raise bad_request(f"The sort_key value {key} is an invalid field for sorting")
    values = {view.conductor.hostname: _attributes(view) | {"id": view.conductor.id} for view in views}
    ordered = sorted(
        views,
        key=lambda view: (values[view.conductor.hostname][key], view.conductor.id),
        reverse=exchange.query.descending(),
    )
    marker = exchange.query.text("marker")
    if marker is None:
        return ordered
    names = [view.conductor.hostname for view in ordered]
    if marker not in names:
        raise ConductorNotFound(conductor=marker)
    return ordered[names.index(marker) + 1 :]


def _attributes(view: operations.ConductorView) -> dict[str, Any]:
    conductor = view.conductor
    return {
        "created_at": conductor.created_at,
        "updated_at": conductor.heartbeat_at,
        "hostname": conductor.hostname,
        "conductor_group": conductor.conductor_group,
        "drivers": list(conductor.drivers),
        "alive": view.alive,
    }


def _render(exchange: Exchange, view: operations.ConductorView, wanted: frozenset[str]) -> dict[str, Any]:
    attributes = _attributes(view)
    for name in ("created_at", "updated_at"):
        attributes[name] = render_time(attributes[name])
    attributes["links"] = exchange.links("conductors", view.conductor.hostname)
    return {name: attributes[name] for name in _FIELDS if name in wanted or name == "links"}
