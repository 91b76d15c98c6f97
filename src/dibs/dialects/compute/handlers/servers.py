"""Servers: list, show, launch, change, delete."""

from collections.abc import Callable, Mapping
from typing import Any

from dibs.access.access import EVERY_PROJECT, VisibleProjects, visible_projects
from dibs.access.compute_policy import ALL_FILTERS, LIST_EVERY_PROJECT, LIST_EVERY_PROJECT_IN_DETAIL
from dibs.dialects.compute.errors import bad_request
from dibs.dialects.compute.exchange import Exchange, empty_answer, json_answer
from dibs.dialects.compute.handlers.server_requests import CHANGE, CREATE, read_launch
from dibs.dialects.compute.handlers.server_views import details, summary
from dibs.dialects.compute.microversions import STRICT_STATUS_SINCE
from dibs.dialects.compute.paging import QUERY as PAGE_QUERY
from dibs.dialects.compute.paging import page_document, read_limit
from dibs.dialects.compute.schemas import Schema, in_version, is_true
from dibs.http.messages import Response
from dibs.servers.model.servers import STATUSES, ServerQuery, ServerView
from dibs.servers.operations.deleting import delete_server
from dibs.servers.operations.launching import TooFewHosts, fail_servers, launch_servers
from dibs.servers.operations.servers import (
    ChangeServer,
    OneServer,
    change_server,
    get_server,
    list_servers,
)

_TEXT: Schema = {"type": "string"}
QUERY: Mapping[str, Schema] = {
    **PAGE_QUERY,
    "all_tenants": {"type": "string", "description": "List the servers of all projects; admins only."},
    "name": {"type": "string", "description": "Filter by a part of the name."},
    "status": _TEXT,
    "flavor": _TEXT,
    "image": _TEXT,
    "host": {"type": "string", "description": "Filter by host; admins only."},
    "project_id": {"type": "string", "description": "Filter by project; only with all_tenants."},
    "user_id": {"type": "string", "description": "Filter by user; admins only."},
    "sort_key": _TEXT,
    "sort_dir": {"enum": ["asc", "desc"]},
}

_OTHER_STATUSES = frozenset(
    {
        "DELETED", "HARD_REBOOT", "MIGRATING", "PASSWORD", "PAUSED", "REBOOT", "REBUILD", "RESIZE", "REVERT_RESIZE",
        "SHELVED", "SHELVED_OFFLOADED", "SOFT_DELETED", "SUSPENDED", "UNKNOWN", "VERIFY_RESIZE",
    }
)  # fmt: skip
"""Statuses of Nova that a server of Dibs never has."""
_SORT_KEYS = {
    "created_at": "id",
    "display_name": "name",
    "uuid": "uuid",
    "updated_at": "updated_at",
    "launched_at": "launched_at",
    "project_id": "project_id",
    "user_id": "user_id",
}


def list_all(exchange: Exchange) -> Response:
    """GET /servers"""
    return _list(exchange, summary, LIST_EVERY_PROJECT)


def list_details(exchange: Exchange) -> Response:
    """GET /servers/detail"""
    return _list(exchange, details, LIST_EVERY_PROJECT_IN_DETAIL)


def show(exchange: Exchange) -> Response:
    """GET /servers/{server}"""
    return json_answer({"server": details(exchange, exchange.read(get_server, OneServer(uuid=server_uuid(exchange))))})


def create(exchange: Exchange) -> Response:
    """POST /servers

    Dibs decides at once: the next GET shows the server ACTIVE, BUILD on a node, or ERROR with the reason.
    """
    body = exchange.body(in_version(CREATE, exchange.minor))
    command = read_launch(exchange, body)
    try:
        made = exchange.write(launch_servers, command)
    except TooFewHosts:
        # Like Nova: the request is accepted, no server of it has a host, and nothing stays claimed.
        made = exchange.write(fail_servers, command)
    exchange.services.wake()
    asked = body["server"]
    if is_true(asked.get("return_reservation_id", False)):
        return json_answer({"reservation_id": f"r-{made[0].server.uuid[:8]}"}, 202)
    uuid = made[0].server.uuid
    document = {
        "id": uuid,
        "links": exchange.links("servers", uuid),
        "OS-DCF:diskConfig": "MANUAL",
        "security_groups": asked.get("security_groups", [{"name": "default"}]),
    }
    return json_answer({"server": document}, 202, (("Location", exchange.url("servers", uuid)),))


def change(exchange: Exchange) -> Response:
    """PUT /servers/{server}"""
    asked = exchange.body(in_version(CHANGE, exchange.minor))["server"]
    command = ChangeServer(
        uuid=server_uuid(exchange),
        rules=("os_compute_api:servers:update",),
        name=asked.get("name"),
        properties={"description": asked["description"]} if "description" in asked else {},
    )
    return json_answer({"server": details(exchange, exchange.write(change_server, command))})


def delete(exchange: Exchange) -> Response:
    """DELETE /servers/{server}"""
    exchange.write(delete_server, OneServer(uuid=server_uuid(exchange), rules=("os_compute_api:servers:delete",)))
    exchange.services.wake()
    return empty_answer(204)


def server_uuid(exchange: Exchange) -> str:
    """Return the uuid of the server in the path."""
    return exchange.arguments["server"].lower()


def _list(exchange: Exchange, render: Callable[[Exchange, ServerView], dict[str, Any]], every_project: str) -> Response:
    """List servers; ``every_project`` is the rule for all_tenants, which differs between the two lists."""
    limit = read_limit(exchange)
    statuses, impossible = _read_statuses(exchange)
    if impossible or is_true(exchange.query("deleted") or False):
        return json_answer({"servers": []})
    found = exchange.read(list_servers, _read_query(exchange, statuses, limit, every_project))
    entries = [render(exchange, view) for view in found]
    last = found[-1].server.uuid if found else None
    return json_answer(page_document(exchange, "servers", entries, last, limit, cut=found.cut))


def _read_query(exchange: Exchange, statuses: tuple[str, ...], limit: int, every_project: str) -> ServerQuery:
    sort_key = exchange.query("sort_key") or "created_at"
    if sort_key not in _SORT_KEYS:
        raise bad_request(f"Invalid input for query parameters sort_key. Value: {sort_key}.")
    admin = exchange.allows(ALL_FILTERS)
    return ServerQuery(
        visibility=_read_projects(exchange, every_project),
        name=exchange.query("name") or None,
        statuses=statuses,
        flavor=exchange.query("flavor"),
        image=exchange.query("image"),
        # Quirk: Nova ignores a filter that the caller may not use.
        host=exchange.query("host") if admin else None,
        user=exchange.query("user_id") if admin else None,
        sort_key=_SORT_KEYS[sort_key],
        descending=exchange.query("sort_dir") != "asc",
        limit=limit,
        marker=exchange.query("marker"),
    )


def _read_projects(exchange: Exchange, every_project: str) -> VisibleProjects:
    """Return the projects whose servers are listed: the caller's own, or those of all_tenants and project_id."""
    text = exchange.query("all_tenants")
    wanted = text is not None and (text == "" or text.lower() in ("1", "true", "t", "yes", "on"))
    if not wanted:
        return visible_projects(exchange.actor, every=False)
    exchange.require(every_project)
    project = exchange.query("project_id") or exchange.query("tenant_id")
    return EVERY_PROJECT if project is None else frozenset({project})


def _read_statuses(exchange: Exchange) -> tuple[tuple[str, ...], bool]:
    """Return the statuses to list, and True when no server can have any of them."""
    asked = tuple(dict.fromkeys(status.upper() for status in exchange.queries("status")))
    known = tuple(status for status in asked if status in STATUSES)
    if exchange.minor >= STRICT_STATUS_SINCE and set(asked) - set(STATUSES) - _OTHER_STATUSES:
        raise bad_request(f"Invalid status value {', '.join(asked)}")
    return known, bool(asked) and not known
