"""Every URL of the dialect: method, path, handler, first version.

A row also has the response to a version that is too old for it, which differs between Ironic's resources. Its ``query``
lists every parameter; any other is 400. To add a URL: write a handler, a row, and an exchange in
``tests/contracts/baremetal``, which a test requires.
"""

from dibs.dialects.baremetal import discovery, responses, schemas
from dibs.dialects.baremetal.documents.filters import FILTERS
from dibs.dialects.baremetal.documents.paging import LIST_QUERY
from dibs.dialects.baremetal.endpoints import Endpoint, QuerySchema, TooOld, row
from dibs.dialects.baremetal.handlers import (
    allocations,
    conductors,
    drivers,
    management,
    nodes,
    ports,
    provision,
    reservations,
    states,
    traits,
)
from dibs.http.routing import Route
from dibs.machines.model.patching.node_attributes import NEW_NODE
from dibs.machines.model.patching.port_patches import PORT

_FIELDS: QuerySchema = {"fields": {"type": "string", "description": "Attributes to show, separated by commas."}}
_DETAIL: QuerySchema = {"detail": {"type": "boolean", "description": "Show all attributes."}}
_NODE_FILTERS: QuerySchema = {each.name: {**each.schema, "x-since": f"1.{each.since}"} for each in FILTERS}
_NODE_LIST: QuerySchema = {**LIST_QUERY, **_NODE_FILTERS}
_CREATED = {201: "Created; the Location header has its URL."}
_ACCEPTED = {202: "Accepted; the states of the node show the progress."}
_DONE = {204: "Done; no content."}
_NODE = "/v1/nodes/{node}"
_NODES_PAGE = responses.page_of("nodes", responses.NODE)
_PORTS_PAGE = responses.page_of("ports", ports.SCHEMA)
_ALLOCATIONS_PAGE = responses.page_of("allocations", allocations.SCHEMA)
_CONDUCTORS_PAGE = responses.page_of("conductors", responses.CONDUCTOR)


_ROOT = [
    row("GET", "/", discovery.show_versions, "List the API versions", answer=responses.VERSIONS),
    row("GET", "/v1", discovery.show_version, "Show the API version and its resources", answer=responses.VERSION),
]

_NODES = [
    row(
        "GET",
        "/v1/nodes",
        nodes.list_nodes,
        "List nodes",
        query={**_NODE_LIST, **_FIELDS, **_DETAIL},
        answer=_NODES_PAGE,
    ),
    row(
        "POST", "/v1/nodes", nodes.create_node, "Enrol a node", body=NEW_NODE, statuses=_CREATED, answer=responses.NODE
    ),
    row(
        "GET",
        "/v1/nodes/detail",
        nodes.list_nodes_in_detail,
        "List nodes with all attributes",
        query=_NODE_LIST,
        answer=_NODES_PAGE,
    ),
    row(
        "GET",
        "/v1/nodes/validate",
        management.validate_named_node,
        "Validate the settings of a node",
        query={"node": {"type": "string"}, "node_uuid": {"type": "string"}},
        answer=responses.VALIDATION,
    ),
    row("GET", _NODE, nodes.show_node, "Show a node", query=_FIELDS, answer=responses.NODE),
    row(
        "PATCH",
        _NODE,
        nodes.update_node,
        "Update a node",
        query={"reset_interfaces": {"type": "boolean"}},
        body=schemas.PATCH,
        answer=responses.NODE,
    ),
    row("DELETE", _NODE, nodes.delete_node, "Delete a node", statuses=_DONE),
    row(
        "GET",
        f"{_NODE}/validate",
        management.validate_node,
        "Validate the settings of a node",
        answer=responses.VALIDATION,
    ),
    row(
        "PUT",
        f"{_NODE}/maintenance",
        nodes.set_maintenance,
        "Set maintenance mode",
        body=schemas.MAINTENANCE,
        statuses=_ACCEPTED,
    ),
    row("DELETE", f"{_NODE}/maintenance", nodes.clear_maintenance, "Clear maintenance mode", statuses=_ACCEPTED),
]

_STATES = [
    row("GET", f"{_NODE}/states", states.show_states, "Show the states of a node", answer=responses.STATES),
    row(
        "PUT",
        f"{_NODE}/states/power",
        states.set_power,
        "Change the power state of a node",
        body=schemas.POWER,
        statuses=_ACCEPTED,
    ),
    row(
        "PUT",
        f"{_NODE}/states/provision",
        provision.set_provision_state,
        "Change the provision state of a node",
        body=schemas.PROVISION,
        statuses=_ACCEPTED,
    ),
    row(
        "GET",
        f"{_NODE}/management/boot_device",
        management.show_boot_device,
        "Show the boot device of a node",
        answer=responses.BOOT_DEVICE,
    ),
    row(
        "PUT",
        f"{_NODE}/management/boot_device",
        management.set_boot_device,
        "Set the boot device of a node",
        body=schemas.BOOT_DEVICE,
        statuses=_DONE,
    ),
    row(
        "GET",
        f"{_NODE}/management/boot_device/supported",
        management.list_boot_devices,
        "List the boot devices that a node supports",
        answer=responses.BOOT_DEVICES,
    ),
]

_TRAITS = [
    row(
        "GET",
        f"{_NODE}/traits",
        traits.list_traits,
        "List traits",
        since=37,
        too_old=TooOld.NOT_ACCEPTABLE,
        answer=responses.TRAITS,
    ),
    row(
        "PUT",
        f"{_NODE}/traits",
        traits.set_traits,
        "Replace all traits",
        since=37,
        body=schemas.TRAITS,
        too_old=TooOld.NOT_ALLOWED,
        answer=responses.TRAITS,
    ),
    row("DELETE", f"{_NODE}/traits", traits.remove_all_traits, "Remove all traits", since=37, statuses=_DONE),
    row(
        "PUT",
        f"{_NODE}/traits/{{trait}}",
        traits.add_trait,
        "Add a trait",
        since=37,
        statuses=_DONE,
        too_old=TooOld.NOT_ALLOWED,
    ),
    row("DELETE", f"{_NODE}/traits/{{trait}}", traits.remove_trait, "Remove a trait", since=37, statuses=_DONE),
]

_PORT_LIST = {**ports.QUERY, **_FIELDS, **_DETAIL}
_NODE_PORT_LIST = {name: schema for name, schema in _PORT_LIST.items() if name not in ("node", "node_uuid")}

_PORTS = [
    row("GET", "/v1/ports", ports.list_ports, "List ports", query=_PORT_LIST, answer=_PORTS_PAGE),
    row("POST", "/v1/ports", ports.create_port, "Create a port", body=PORT, statuses=_CREATED, answer=ports.SCHEMA),
    row(
        "GET",
        "/v1/ports/detail",
        ports.list_ports_in_detail,
        "List ports with all attributes",
        query=ports.QUERY,
        answer=_PORTS_PAGE,
    ),
    row("GET", "/v1/ports/{port}", ports.show_port, "Show a port", query=_FIELDS, answer=ports.SCHEMA),
    row("PATCH", "/v1/ports/{port}", ports.update_port, "Update a port", body=schemas.PATCH, answer=ports.SCHEMA),
    row("DELETE", "/v1/ports/{port}", ports.delete_port, "Delete a port", statuses=_DONE),
    row(
        "GET", f"{_NODE}/ports", ports.list_ports, "List the ports of a node", query=_NODE_PORT_LIST, answer=_PORTS_PAGE
    ),
    row(
        "GET",
        f"{_NODE}/ports/detail",
        ports.list_ports_in_detail,
        "List the ports of a node with all attributes",
        query={name: schema for name, schema in _NODE_PORT_LIST.items() if name not in ("fields", "detail")},
        answer=_PORTS_PAGE,
    ),
]

_RESERVATION = "/v1/reservations/{reservation}"

_RESERVATIONS = [
    row(
        "GET",
        "/v1/reservations",
        reservations.list_reservations,
        "List reservations",
        since=37,
        query={name: LIST_QUERY[name] for name in ("limit", "marker")},
        answer=responses.RESERVATIONS,
    ),
    row(
        "POST",
        "/v1/reservations",
        reservations.create_reservation,
        "Reserve the first free node of a list",
        since=37,
        body=schemas.RESERVATION,
        statuses=_CREATED,
        answer=responses.RESERVATION,
    ),
    row(
        "GET", _RESERVATION, reservations.show_reservation, "Show a reservation", since=37, answer=responses.RESERVATION
    ),
    row("DELETE", _RESERVATION, reservations.delete_reservation, "Delete a reservation", since=37, statuses=_DONE),
    row(
        "POST",
        f"{_RESERVATION}/renew",
        reservations.renew_reservation,
        "Renew a reservation",
        since=37,
        body=schemas.RENEWAL,
        answer=responses.RESERVATION,
    ),
]

_ALLOCATION = "/v1/allocations/{allocation}"
_NO_ALLOCATIONS = "The API version does not allow allocations"

_ALLOCATIONS = [
    row(
        "GET",
        "/v1/allocations",
        allocations.list_allocations,
        "List allocations",
        since=52,
        query={**allocations.QUERY, **_FIELDS},
        too_old_message=_NO_ALLOCATIONS,
        answer=_ALLOCATIONS_PAGE,
    ),
    row(
        "POST",
        "/v1/allocations",
        allocations.create_allocation,
        "Create an allocation",
        since=52,
        body=schemas.ALLOCATION,
        statuses=_CREATED,
        too_old=TooOld.NOT_ALLOWED,
        too_old_message=_NO_ALLOCATIONS,
        answer=allocations.SCHEMA,
    ),
    row(
        "GET",
        _ALLOCATION,
        allocations.show_allocation,
        "Show an allocation",
        since=52,
        query=_FIELDS,
        too_old_message=_NO_ALLOCATIONS,
        answer=allocations.SCHEMA,
    ),
    row(
        "PATCH",
        _ALLOCATION,
        allocations.update_allocation,
        "Update the name or extra of an allocation",
        since=57,
        body=schemas.PATCH,
        too_old=TooOld.NOT_ALLOWED,
        too_old_message="The API version does not allow updating allocations",
        answer=allocations.SCHEMA,
    ),
    row(
        "DELETE",
        _ALLOCATION,
        allocations.delete_allocation,
        "Delete an allocation and release its node",
        since=52,
        statuses=_DONE,
        too_old=TooOld.NOT_ALLOWED,
        too_old_message=_NO_ALLOCATIONS,
    ),
    row(
        "GET",
        f"{_NODE}/allocation",
        allocations.show_allocation_of_node,
        "Show the allocation of a node",
        since=52,
        query=_FIELDS,
        answer=allocations.SCHEMA,
    ),
    row(
        "DELETE",
        f"{_NODE}/allocation",
        allocations.delete_allocation_of_node,
        "Delete the allocation of a node and release the node",
        since=52,
        statuses=_DONE,
    ),
]

_SERVICE = [
    row(
        "GET",
        "/v1/drivers",
        drivers.list_drivers,
        "List drivers",
        query={"type": {"enum": ["classic", "dynamic"]}, **_FIELDS, **_DETAIL},
        answer=responses.DRIVERS,
    ),
    row("GET", "/v1/drivers/{driver}", drivers.show_driver, "Show a driver", query=_FIELDS, answer=responses.DRIVER),
    row(
        "GET",
        "/v1/drivers/{driver}/properties",
        drivers.show_properties,
        "Show the properties of a driver",
        answer=responses.DRIVER_PROPERTIES,
    ),
    row(
        "GET",
        "/v1/conductors",
        conductors.list_conductors,
        "List conductors",
        since=49,
        query={**LIST_QUERY, **_FIELDS, **_DETAIL},
        too_old=TooOld.NOT_SUPPORTED,
        answer=_CONDUCTORS_PAGE,
    ),
    row(
        "GET",
        "/v1/conductors/{conductor}",
        conductors.show_conductor,
        "Show a conductor",
        since=49,
        query=_FIELDS,
        too_old=TooOld.NOT_SUPPORTED,
        answer=responses.CONDUCTOR,
    ),
]

ROUTES: tuple[Route[Endpoint], ...] = (
    *_ROOT,
    *_NODES,
    *_STATES,
    *_TRAITS,
    *_PORTS,
    *_ALLOCATIONS,
    *_RESERVATIONS,
    *_SERVICE,
)
