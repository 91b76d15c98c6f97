"""Every URL of the dialect: method, path, handler, first version.

A row also has the response to a version that is too old for it, which differs between Ironic's resources. Its ``query``
lists every parameter; any other is 400. To add a URL: write a handler, a row, and an exchange in
``tests/contracts/baremetal``, which a test requires.
"""

from dibs.dialects.baremetal import discovery, part_routes, responses, schemas
from dibs.dialects.baremetal.documents.filters import NODE_LIST
from dibs.dialects.baremetal.documents.paging import LIST_QUERY
from dibs.dialects.baremetal.endpoints import ACCEPTED, CREATED, DETAIL, DONE, FIELDS, NODE, Endpoint, TooOld, row
from dibs.dialects.baremetal.handlers import (
    allocations,
    conductors,
    drivers,
    management,
    nodes,
    provision,
    reservations,
    states,
    traits,
)
from dibs.http.routing import Route
from dibs.machines.model.patching.node_attributes import NEW_NODE

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
        query={**NODE_LIST, **FIELDS, **DETAIL},
        answer=responses.NODES,
    ),
    row("POST", "/v1/nodes", nodes.create_node, "Enrol a node", body=NEW_NODE, statuses=CREATED, answer=responses.NODE),
    row(
        "GET",
        "/v1/nodes/detail",
        nodes.list_nodes_in_detail,
        "List nodes with all attributes",
        query=NODE_LIST,
        answer=responses.NODES,
    ),
    row(
        "GET",
        "/v1/nodes/validate",
        management.validate_named_node,
        "Validate the settings of a node",
        query={"node": {"type": "string"}, "node_uuid": {"type": "string"}},
        answer=responses.VALIDATION,
    ),
    row("GET", NODE, nodes.show_node, "Show a node", query=FIELDS, answer=responses.NODE),
    row(
        "PATCH",
        NODE,
        nodes.update_node,
        "Update a node",
        query={"reset_interfaces": {"type": "boolean"}},
        body=schemas.PATCH,
        answer=responses.NODE,
    ),
    row("DELETE", NODE, nodes.delete_node, "Delete a node", statuses=DONE),
    row(
        "GET",
        f"{NODE}/validate",
        management.validate_node,
        "Validate the settings of a node",
        answer=responses.VALIDATION,
    ),
    row(
        "PUT",
        f"{NODE}/maintenance",
        nodes.set_maintenance,
        "Set maintenance mode",
        body=schemas.MAINTENANCE,
        statuses=ACCEPTED,
    ),
    row("DELETE", f"{NODE}/maintenance", nodes.clear_maintenance, "Clear maintenance mode", statuses=ACCEPTED),
]

_STATES = [
    row("GET", f"{NODE}/states", states.show_states, "Show the states of a node", answer=responses.STATES),
    row(
        "PUT",
        f"{NODE}/states/power",
        states.set_power,
        "Change the power state of a node",
        body=schemas.POWER,
        statuses=ACCEPTED,
    ),
    row(
        "PUT",
        f"{NODE}/states/provision",
        provision.set_provision_state,
        "Change the provision state of a node",
        body=schemas.PROVISION,
        statuses=ACCEPTED,
    ),
    row(
        "GET",
        f"{NODE}/management/boot_device",
        management.show_boot_device,
        "Show the boot device of a node",
        answer=responses.BOOT_DEVICE,
    ),
    row(
        "PUT",
        f"{NODE}/management/boot_device",
        management.set_boot_device,
        "Set the boot device of a node",
        body=schemas.BOOT_DEVICE,
        statuses=DONE,
    ),
    row(
        "GET",
        f"{NODE}/management/boot_device/supported",
        management.list_boot_devices,
        "List the boot devices that a node supports",
        answer=responses.BOOT_DEVICES,
    ),
]

_TRAITS = [
    row(
        "GET",
        f"{NODE}/traits",
        traits.list_traits,
        "List traits",
        since=37,
        too_old=TooOld.NOT_ACCEPTABLE,
        answer=responses.TRAITS,
    ),
    row(
        "PUT",
        f"{NODE}/traits",
        traits.set_traits,
        "Replace all traits",
        since=37,
        body=schemas.TRAITS,
        too_old=TooOld.NOT_ALLOWED,
        answer=responses.TRAITS,
    ),
    row("DELETE", f"{NODE}/traits", traits.remove_all_traits, "Remove all traits", since=37, statuses=DONE),
    row(
        "PUT",
        f"{NODE}/traits/{{trait}}",
        traits.add_trait,
        "Add a trait",
        since=37,
        statuses=DONE,
        too_old=TooOld.NOT_ALLOWED,
    ),
    row("DELETE", f"{NODE}/traits/{{trait}}", traits.remove_trait, "Remove a trait", since=37, statuses=DONE),
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
        statuses=CREATED,
        answer=responses.RESERVATION,
    ),
    row(
        "GET", _RESERVATION, reservations.show_reservation, "Show a reservation", since=37, answer=responses.RESERVATION
    ),
    row("DELETE", _RESERVATION, reservations.delete_reservation, "Delete a reservation", since=37, statuses=DONE),
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
        query={**allocations.QUERY, **FIELDS},
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
        statuses=CREATED,
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
        query=FIELDS,
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
        statuses=DONE,
        too_old=TooOld.NOT_ALLOWED,
        too_old_message=_NO_ALLOCATIONS,
    ),
    row(
        "GET",
        f"{NODE}/allocation",
        allocations.show_allocation_of_node,
        "Show the allocation of a node",
        since=52,
        query=FIELDS,
        answer=allocations.SCHEMA,
    ),
    row(
        "DELETE",
        f"{NODE}/allocation",
        allocations.delete_allocation_of_node,
        "Delete the allocation of a node and release the node",
        since=52,
        statuses=DONE,
    ),
]

_SERVICE = [
    row(
        "GET",
        "/v1/drivers",
        drivers.list_drivers,
        "List drivers",
        query={"type": {"enum": ["classic", "dynamic"]}, **FIELDS, **DETAIL},
        answer=responses.DRIVERS,
    ),
    row("GET", "/v1/drivers/{driver}", drivers.show_driver, "Show a driver", query=FIELDS, answer=responses.DRIVER),
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
        query={**LIST_QUERY, **FIELDS, **DETAIL},
        too_old=TooOld.NOT_SUPPORTED,
        answer=_CONDUCTORS_PAGE,
    ),
    row(
        "GET",
        "/v1/conductors/{conductor}",
        conductors.show_conductor,
        "Show a conductor",
        since=49,
        query=FIELDS,
        too_old=TooOld.NOT_SUPPORTED,
        answer=responses.CONDUCTOR,
    ),
]

ROUTES: tuple[Route[Endpoint], ...] = (
    *_ROOT,
    *_NODES,
    *_STATES,
    *_TRAITS,
    *part_routes.ROUTES,
    *_ALLOCATIONS,
    *_RESERVATIONS,
    *_SERVICE,
)
