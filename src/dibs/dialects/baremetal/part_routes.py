"""URLs of the parts of nodes (ports, port groups, volumes, virtual interfaces), of their history, and of chassis."""

from collections.abc import Iterator
from typing import Any

from dibs.dialects.baremetal import responses, schemas
from dibs.dialects.baremetal.documents.filters import NODE_LIST
from dibs.dialects.baremetal.documents.paging import LIST_QUERY
from dibs.dialects.baremetal.endpoints import CREATED, DETAIL, DONE, FIELDS, NODE, Endpoint, QuerySchema, row
from dibs.dialects.baremetal.handlers import chassis, history, nodes, vifs, volumes
from dibs.dialects.baremetal.handlers.parts import NODE_QUERY, PartHandlers
from dibs.dialects.baremetal.handlers.ports import PORT_QUERY, PORTGROUP_QUERY, PORTGROUPS, PORTS
from dibs.dialects.baremetal.handlers.volumes import CONNECTORS, TARGETS
from dibs.http.routing import Route
from dibs.machines.model.chassis import CHASSIS
from dibs.machines.model.parts.documents import DOCUMENTS

PORTGROUPS_SINCE = 23
GROUPED_SINCE = 24
VIFS_SINCE = 28
VOLUMES_SINCE = volumes.SINCE


def _resource(path: str, handlers: PartHandlers, query: QuerySchema, **options: Any) -> Iterator[Route[Endpoint]]:
    """Yield the rows of one kind of part: list, create, show, update and delete."""
    noun = handlers.kind.value
    one = f"{path}/{{{handlers.argument}}}"
    schema = DOCUMENTS[handlers.kind].schema
    page, part = handlers.page_schema, {**options, "answer": handlers.schema}
    yield row("GET", path, handlers.list, f"List {noun}s", query={**query, **FIELDS, **DETAIL}, answer=page, **options)
    yield row("POST", path, handlers.create, f"Create a {noun}", body=schema, statuses=CREATED, **part)
    yield row("GET", one, handlers.show, f"Show a {noun}", query=FIELDS, **part)
    yield row("PATCH", one, handlers.update, f"Update a {noun}", body=schemas.PATCH, **part)
    yield row("DELETE", one, handlers.delete, f"Delete a {noun}", statuses=DONE, **options)


def _lists(path: str, handlers: PartHandlers, query: QuerySchema, of: str, since: int) -> Iterator[Route[Endpoint]]:
    """Yield the rows that list parts of a node or of a port group."""
    without = {name: schema for name, schema in query.items() if name not in (of, f"{of}_uuid")}
    what = f"{handlers.kind.value}s of a {'node' if of == 'node' else 'port group'}"
    options: dict[str, Any] = {"since": since, "answer": handlers.page_schema}
    yield row("GET", path, handlers.list, f"List the {what}", query={**without, **FIELDS, **DETAIL}, **options)
    if handlers in (PORTS, PORTGROUPS):
        summary = f"List the {what} with all attributes"
        yield row("GET", f"{path}/detail", handlers.list_in_detail, summary, query=without, **options)


_PORTS = [
    *_resource("/v1/ports", PORTS, PORT_QUERY),
    row(
        "GET",
        "/v1/ports/detail",
        PORTS.list_in_detail,
        "List ports with all attributes",
        query=PORT_QUERY,
        answer=PORTS.page_schema,
    ),
    *_lists(f"{NODE}/ports", PORTS, PORT_QUERY, "node", 1),
    *_lists("/v1/portgroups/{portgroup}/ports", PORTS, PORT_QUERY, "portgroup", GROUPED_SINCE),
    *_resource("/v1/portgroups", PORTGROUPS, PORTGROUP_QUERY, since=PORTGROUPS_SINCE),
    row(
        "GET",
        "/v1/portgroups/detail",
        PORTGROUPS.list_in_detail,
        "List portgroups with all attributes",
        query=PORTGROUP_QUERY,
        since=PORTGROUPS_SINCE,
        answer=PORTGROUPS.page_schema,
    ),
    *_lists(f"{NODE}/portgroups", PORTGROUPS, PORTGROUP_QUERY, "node", GROUPED_SINCE),
]

_VOLUMES = [
    row(
        "GET",
        "/v1/volume",
        volumes.show_volumes,
        "Show the links to volume connectors and targets",
        since=VOLUMES_SINCE,
        answer=responses.VOLUMES,
    ),
    *_resource("/v1/volume/connectors", CONNECTORS, NODE_QUERY, since=VOLUMES_SINCE),
    *_resource("/v1/volume/targets", TARGETS, NODE_QUERY, since=VOLUMES_SINCE),
    row(
        "GET",
        f"{NODE}/volume",
        volumes.show_volumes_of_node,
        "Show the links to the volume connectors and targets of a node",
        since=VOLUMES_SINCE,
        answer=responses.VOLUMES,
    ),
    *_lists(f"{NODE}/volume/connectors", CONNECTORS, NODE_QUERY, "node", VOLUMES_SINCE),
    *_lists(f"{NODE}/volume/targets", TARGETS, NODE_QUERY, "node", VOLUMES_SINCE),
]

_VIFS = [
    row(
        "GET",
        f"{NODE}/vifs",
        vifs.list_vifs,
        "List the virtual interfaces of a node",
        since=VIFS_SINCE,
        answer=responses.VIFS,
    ),
    row(
        "POST",
        f"{NODE}/vifs",
        vifs.attach_vif,
        "Attach a virtual interface to a node",
        since=VIFS_SINCE,
        body=schemas.VIF,
        statuses=DONE,
    ),
    row(
        "DELETE",
        f"{NODE}/vifs/{{vif}}",
        vifs.detach_vif,
        "Detach a virtual interface from a node",
        since=VIFS_SINCE,
        statuses=DONE,
    ),
]

_HISTORY = [
    row(
        "GET",
        f"{NODE}/history",
        history.list_history,
        "List the changes of a node",
        since=history.SINCE,
        query=history.QUERY,
        answer=responses.page_of("history", responses.HISTORY_ENTRY),
    ),
    row(
        "GET",
        f"{NODE}/history/{{event}}",
        history.show_entry,
        "Show a change of a node",
        since=history.SINCE,
        answer=responses.HISTORY_ENTRY,
    ),
]

_CHASSIS = "/v1/chassis/{chassis}"
_CHASSIS_PAGE = responses.page_of("chassis", chassis.SCHEMA)

_CHASSIS_ROWS = [
    row(
        "GET",
        "/v1/chassis",
        chassis.list_chassis,
        "List chassis",
        query={**LIST_QUERY, **FIELDS, **DETAIL},
        answer=_CHASSIS_PAGE,
    ),
    row(
        "POST",
        "/v1/chassis",
        chassis.create_chassis,
        "Create a chassis",
        body=CHASSIS,
        statuses=CREATED,
        answer=chassis.SCHEMA,
    ),
    row(
        "GET",
        "/v1/chassis/detail",
        chassis.list_chassis_in_detail,
        "List chassis with all attributes",
        query=LIST_QUERY,
        answer=_CHASSIS_PAGE,
    ),
    row("GET", _CHASSIS, chassis.show_chassis, "Show a chassis", query=FIELDS, answer=chassis.SCHEMA),
    row("PATCH", _CHASSIS, chassis.update_chassis, "Update a chassis", body=schemas.PATCH, answer=chassis.SCHEMA),
    row("DELETE", _CHASSIS, chassis.delete_chassis, "Delete a chassis", statuses=DONE),
    row(
        "GET",
        f"{_CHASSIS}/nodes",
        nodes.list_nodes,
        "List the nodes of a chassis",
        query={**NODE_LIST, **FIELDS, **DETAIL},
        answer=responses.NODES,
    ),
    row(
        "GET",
        f"{_CHASSIS}/nodes/detail",
        nodes.list_nodes_in_detail,
        "List the nodes of a chassis with all attributes",
        query=NODE_LIST,
        answer=responses.NODES,
    ),
]

ROUTES: tuple[Route[Endpoint], ...] = (*_PORTS, *_VOLUMES, *_VIFS, *_HISTORY, *_CHASSIS_ROWS)
