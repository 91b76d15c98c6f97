"""Handlers of bookable hosts, their bookings, and the properties that operators give to them."""

from typing import Any

from dibs.dialects.reservation.documents.host_rendering import (
    render_allocation,
    render_host,
    render_property,
    render_property_name,
)
from dibs.dialects.reservation.errors import Refusal, bad_request, malformed, missing
from dibs.dialects.reservation.exchange import Exchange, empty_answer, json_answer
from dibs.documents.json_schema import ITEMS_MAX, Schema
from dibs.http.messages import Response
from dibs.leases.operations.hosts import (
    ListHostBookings,
    RegisterHost,
    SetPropertyPrivacy,
    UpdateHost,
    delete_host,
    get_host,
    list_host_bookings,
    list_hosts,
    list_property_names,
    register_host,
    set_property_privacy,
    update_host,
)

NAME_LENGTH_MAX = 255
_TRUE = frozenset({"1", "t", "true", "on", "y", "yes"})

_TEXT: Schema = {"type": ["string", "null"], "maxLength": 255}
_NAME: Schema = {"type": "string", "maxLength": 255}
NEW: Schema = {
    "type": "object",
    "properties": {
        "name": {
            **_NAME,
            "description": "Name or uuid of the compute provider, or of the node.",
        },
        "id": {**_NAME, "description": "The same; ignored when there is a name."},
    },
    "additionalProperties": {**_TEXT, "description": "An extra capability."},
    "maxProperties": ITEMS_MAX,
}
CHANGED: Schema = {
    "type": "object",
    "minProperties": 1,
    "additionalProperties": {**_TEXT, "description": "An extra capability; null removes it."},
    "maxProperties": ITEMS_MAX,
}
PRIVACY: Schema = {
    "type": "object",
    "properties": {"private": {"type": "boolean"}},
    "required": ["private"],
    "maxProperties": ITEMS_MAX,
}
OF_LEASE = {"lease_id": {"type": "string"}, "reservation_id": {"type": "string"}}
OF_PROPERTIES = {
    "detail": {"type": "string", "description": "True: include the values, and whether the property is private."},
    "all": {"type": "string", "description": "True: include private properties, for admins only."},
}


def list_all(exchange: Exchange) -> Response:
    """GET /v1/os-hosts"""
    found = exchange.read(list_hosts, None)
    return json_answer({"hosts": [render_host(host) for host in found]})


def create(exchange: Exchange) -> Response:
    """POST /v1/os-hosts"""
    values = exchange.body()
    properties = {key: value for key, value in values.items() if key not in ("name", "id")}
    name = values.get("name") or values.get("id")
    if name is None:
        # Quirk: 403 rather than 400.
        raise Refusal(403, f"Invalid values for host {values}")
    if not isinstance(name, str) or len(name) > NAME_LENGTH_MAX:
        raise malformed("name")
    if None in properties.values():
        raise bad_request("An extra capability of a new host must have a value.")
    host = exchange.write(register_host, RegisterHost(name=name, properties=properties))
    return json_answer({"host": render_host(host)}, 201)


def show(exchange: Exchange) -> Response:
    """GET /v1/os-hosts/{host}"""
    return json_answer({"host": render_host(exchange.read(get_host, exchange.arguments["host"]))})


def change(exchange: Exchange) -> Response:
    """PUT /v1/os-hosts/{host}"""
    values = exchange.body()
    if not values:
        raise bad_request("No data to update")
    host = exchange.write(update_host, UpdateHost(id=exchange.arguments["host"], properties=values))
    return json_answer({"host": render_host(host)})


def delete(exchange: Exchange) -> Response:
    """DELETE /v1/os-hosts/{host}"""
    exchange.write(delete_host, exchange.arguments["host"])
    return empty_answer(204)


def list_allocations(exchange: Exchange) -> Response:
    """GET /v1/os-hosts/allocations"""
    found = exchange.read(list_host_bookings, _bookings(exchange))
    return json_answer({"allocations": [render_allocation(each) for each in found]})


def show_allocation(exchange: Exchange) -> Response:
    """GET /v1/os-hosts/{host}/allocation"""
    (found,) = exchange.read(list_host_bookings, _bookings(exchange, exchange.arguments["host"]))
    return json_answer({"allocation": render_allocation(found)})


def list_properties(exchange: Exchange) -> Response:
    """GET /v1/os-hosts/properties

    Quirk: a caller who may not see private properties and asks for all gets the public ones, not an error.
    """
    found = exchange.read(list_property_names, _is_true(exchange, "all"))
    detail = _is_true(exchange, "detail")
    return json_answer({"resource_properties": [render_property(each, detail=detail) for each in found]})


def change_property(exchange: Exchange) -> Response:
    """PATCH /v1/os-hosts/properties/{name}"""
    values = exchange.body()
    private: Any = values.get("private")
    if private is None:
        raise missing("private")
    if not isinstance(private, bool):
        raise malformed("private")
    command = SetPropertyPrivacy(name=exchange.arguments["name"], private=private)
    return json_answer({"resource_property": render_property_name(exchange.write(set_property_privacy, command))})


def _bookings(exchange: Exchange, host: str | None = None) -> ListHostBookings:
    query = exchange.query
    return ListHostBookings(host=host, lease=query.get("lease_id"), reservation=query.get("reservation_id"))


def _is_true(exchange: Exchange, name: str) -> bool:
    return exchange.query.get(name, "").lower() in _TRUE
