"""Drivers: show and list, with their conductors, interfaces and properties."""

from typing import Any

from dibs.dialects.baremetal.documents.fields import BY_NAME
from dibs.dialects.baremetal.errors import bad_request, not_acceptable
from dibs.dialects.baremetal.exchange import Exchange, json_answer
from dibs.http.messages import Response
from dibs.machines.model.errors import DriverNotFound
from dibs.machines.operations import conductors as operations

PROPERTIES_LINK_SINCE = 14
DYNAMIC_SINCE = 30
FIELDS_SINCE = 77

_LATER_INTERFACES = ("storage", "rescue", "bios", "firmware")
"""Kinds of interface that drivers show only in versions in which nodes have them; the others are from 1.30."""


def list_drivers(exchange: Exchange) -> Response:
    """GET /v1/drivers"""
    exchange.access.require("baremetal:driver:get", {})
    query, minor = exchange.query, exchange.minor
    detail, kind = query.flag("detail"), query.text("type")
    if (detail is not None or kind is not None) and minor < DYNAMIC_SINCE:
        raise not_acceptable(DYNAMIC_SINCE)
    if detail and "fields" in query:
        raise bad_request("Can not specify ?detail=True and fields in the same request.")
    if kind not in (None, "classic", "dynamic"):
        raise bad_request('"type" filter must be one of "classic" or "dynamic", if specified.')
    fields = _wanted(exchange)
    found = exchange.read(operations.list_drivers, None) if kind != "classic" else []
    whole = bool(detail) or fields is not None
    return json_answer({"drivers": [_render(exchange, driver, whole, fields) for driver in found]})


def show_driver(exchange: Exchange) -> Response:
    """GET /v1/drivers/{driver}"""
    exchange.access.require("baremetal:driver:get", {})
    fields = _wanted(exchange)
    driver = exchange.read(operations.get_driver, exchange.arguments["driver"])
    return json_answer(_render(exchange, driver, True, fields))


def show_properties(exchange: Exchange) -> Response:
    """GET /v1/drivers/{driver}/properties"""
    exchange.access.require("baremetal:driver:get_properties", {})
    name = exchange.arguments["driver"]
    driver = exchange.services.drivers.get(name)
    if driver is None:
        raise DriverNotFound(driver=name)
    return json_answer(dict(driver.properties))


def _wanted(exchange: Exchange) -> frozenset[str] | None:
    names = exchange.query.names("fields")
    if names is not None and exchange.minor < FIELDS_SINCE:
        raise not_acceptable()
    return None if names is None else frozenset(names)


def _render(
    exchange: Exchange, view: operations.DriverView, whole: bool, fields: frozenset[str] | None
) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "name": view.name,
        "hosts": list(view.hosts),
        "links": exchange.links("drivers", view.name),
    }
    if exchange.minor >= PROPERTIES_LINK_SINCE:
        shown["properties"] = exchange.links("drivers", view.name, "properties")
    if exchange.minor >= DYNAMIC_SINCE:
        shown["type"] = "dynamic"
        if whole:
            shown |= _interfaces(exchange, view.name)
    if fields is None:
        return shown
    unknown = sorted(fields - shown.keys())
    if unknown:
        raise bad_request(f'Field(s) "{", ".join(unknown)}" are not valid')
    return {name: value for name, value in shown.items() if name in fields or name == "links"}


def _interfaces(exchange: Exchange, name: str) -> dict[str, Any]:
    driver = exchange.services.drivers.get(name)
    shown: dict[str, Any] = {}
    for kind, interfaces in driver.interfaces.items() if driver else ():
        if kind in _LATER_INTERFACES and BY_NAME[f"{kind}_interface"].since > exchange.minor:
            continue
        shown[f"default_{kind}_interface"] = interfaces.default
        shown[f"enabled_{kind}_interfaces"] = list(interfaces.enabled)
    return shown
