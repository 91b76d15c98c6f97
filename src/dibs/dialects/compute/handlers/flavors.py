"""Flavors: list, show, create, describe, delete."""

import uuid
from collections.abc import Mapping
from typing import Any

from dibs.access.access import EVERY_PROJECT
from dibs.dialects.compute.errors import bad_request
from dibs.dialects.compute.exchange import Exchange, empty_answer, json_answer
from dibs.dialects.compute.microversions import FLAVOR_DESCRIPTION_SINCE, FLAVOR_SPECS_SINCE
from dibs.dialects.compute.paging import QUERY as PAGE_QUERY
from dibs.dialects.compute.paging import page_document, read_limit, read_number
from dibs.dialects.compute.schemas import (
    BOOLEAN,
    LONG_DESCRIPTION,
    NAME,
    NOT_NEGATIVE,
    POSITIVE,
    Schema,
    closed,
    in_version,
    is_true,
    read_amount,
)
from dibs.flavors.model.flavors import Flavor
from dibs.flavors.operations.flavors import (
    FlavorReference,
    ListFlavors,
    UpdateFlavor,
    create_flavor,
    delete_flavor,
    get_flavor,
    list_flavors,
    update_flavor,
)
from dibs.http.messages import Response

QUERY: Mapping[str, Schema] = {
    **PAGE_QUERY,
    "is_public": {"type": "string", "description": "True, False, or None for both; admins only."},
    "minRam": {"type": "integer"},
    "minDisk": {"type": "integer"},
    "sort_key": {"type": "string"},
    "sort_dir": {"enum": ["asc", "desc"]},
}
_FLAVOR: Mapping[str, Schema] = {
    "name": NAME,
    "id": {
        "type": ["string", "number", "null"],
        "minLength": 1,
        "maxLength": 255,
        "pattern": "^(?! )[a-zA-Z0-9. _-]+(?<! )$",
        # A number is stored as text, and minLength and maxLength do not apply to numbers.
        "minimum": -(2**63),
        "maximum": 2**63 - 1,
    },
    "ram": POSITIVE,
    "vcpus": POSITIVE,
    "disk": NOT_NEGATIVE,
    "OS-FLV-EXT-DATA:ephemeral": NOT_NEGATIVE,
    "swap": NOT_NEGATIVE,
    "rxtx_factor": {
        "type": ["number", "string"],
        "pattern": r"^(?!0+(\.0+)?$)[0-9]+(\.[0-9]+)?$",
        "maxLength": 30,
        "exclusiveMinimum": 0,
        "maximum": 3.40282e38,
    },
    "os-flavor-access:is_public": BOOLEAN,
}
_REQUIRED = ("name", "ram", "vcpus", "disk")
CREATE: Mapping[int, Schema] = {
    1: closed({"flavor": closed(_FLAVOR, *_REQUIRED)}, "flavor"),
    FLAVOR_DESCRIPTION_SINCE: closed(
        {"flavor": closed({**_FLAVOR, "description": LONG_DESCRIPTION}, *_REQUIRED)}, "flavor"
    ),
}
CHANGE: Schema = closed({"flavor": closed({"description": LONG_DESCRIPTION}, "description")}, "flavor")

_SORT_KEYS = {
    "flavorid": "flavor",
    "id": "id",
    "name": "name",
    "memory_mb": "memory_mb",
    "vcpus": "vcpus",
    "root_gb": "disk_gb",
    "ephemeral_gb": "ephemeral_gb",
    "swap": "swap_mb",
    "created_at": "created_at",
    "updated_at": "updated_at",
}
_NUMBERS: Mapping[str, tuple[str, int]] = {
    "ram": ("memory_mb", 1),
    "vcpus": ("vcpus", 1),
    "disk": ("disk_gb", 0),
    "OS-FLV-EXT-DATA:ephemeral": ("ephemeral_gb", 0),
    "swap": ("swap_mb", 0),
}


def list_all(exchange: Exchange) -> Response:
    """GET /flavors"""
    return _list(exchange, _summary)


def list_details(exchange: Exchange) -> Response:
    """GET /flavors/detail"""
    return _list(exchange, details)


def show(exchange: Exchange) -> Response:
    """GET /flavors/{flavor}"""
    return json_answer({"flavor": details(exchange, exchange.read(get_flavor, flavor_of_path(exchange)))})


def create(exchange: Exchange) -> Response:
    """POST /flavors"""
    asked = exchange.body(in_version(CREATE, exchange.minor))["flavor"]
    ident = asked.get("id")
    values: dict[str, Any] = {
        column: read_amount(asked, name, least=least) for name, (column, least) in _NUMBERS.items() if name in asked
    }
    values |= {
        # Quirk: the openstack command sends "auto" when the user names no id.
        "flavor": str(uuid.uuid4()) if ident in (None, "auto") else str(ident),
        "name": asked["name"],
        "description": asked.get("description"),
        "rxtx_factor": float(asked.get("rxtx_factor", 1.0)),
        "public": is_true(asked.get("os-flavor-access:is_public", True)),
    }
    return json_answer({"flavor": details(exchange, exchange.write(create_flavor, values))})


def change(exchange: Exchange) -> Response:
    """PUT /flavors/{flavor}"""
    description = exchange.body(CHANGE)["flavor"]["description"]
    command = UpdateFlavor(flavor=exchange.arguments["flavor"], visibility=exchange.visibility, description=description)
    return json_answer({"flavor": details(exchange, exchange.write(update_flavor, command))})


def delete(exchange: Exchange) -> Response:
    """DELETE /flavors/{flavor}"""
    exchange.write(delete_flavor, flavor_of_path(exchange))
    return empty_answer(202)


def flavor_of_path(exchange: Exchange) -> FlavorReference:
    """Return the command for the flavor in the path."""
    return FlavorReference(flavor=exchange.arguments["flavor"], visibility=exchange.visibility)


def details(exchange: Exchange, flavor: Flavor) -> dict[str, Any]:
    """Return a flavor in detail."""
    document = _summary(exchange, flavor) | {
        "ram": flavor.memory_mb,
        "disk": flavor.disk_gb,
        # Quirk: Nova writes "" for a flavor without swap.
        "swap": flavor.swap_mb or "",
        "OS-FLV-EXT-DATA:ephemeral": flavor.ephemeral_gb,
        "OS-FLV-DISABLED:disabled": False,
        "vcpus": flavor.vcpus,
        "os-flavor-access:is_public": flavor.public,
        "rxtx_factor": flavor.rxtx_factor,
    }
    if exchange.minor >= FLAVOR_SPECS_SINCE:
        document["extra_specs"] = dict(flavor.extra_specs)
    return document


def _summary(exchange: Exchange, flavor: Flavor) -> dict[str, Any]:
    document: dict[str, Any] = {
        "id": flavor.flavor,
        "name": flavor.name,
        "links": exchange.links("flavors", flavor.flavor),
    }
    if exchange.minor >= FLAVOR_DESCRIPTION_SINCE:
        document["description"] = flavor.description
    return document


def _list(exchange: Exchange, render: Any) -> Response:
    limit = read_limit(exchange)
    sort_key = exchange.query("sort_key") or "flavorid"
    if sort_key not in _SORT_KEYS:
        raise bad_request(f"Invalid input for query parameters sort_key. Value: {sort_key}.")
    command = ListFlavors(
        visibility=exchange.visibility,
        public=_read_public(exchange),
        memory_mb_min=read_number(exchange, "minRam"),
        disk_gb_min=read_number(exchange, "minDisk"),
        sort_key=_SORT_KEYS[sort_key],
        descending=exchange.query("sort_dir") == "desc",
        limit=limit,
        marker=exchange.query("marker"),
    )
    found = exchange.read(list_flavors, command)
    entries = [render(exchange, flavor) for flavor in found]
    return json_answer(page_document(exchange, "flavors", entries, found[-1].flavor if found else None, limit))


def _read_public(exchange: Exchange) -> bool | None:
    """Return the filter by is_public.

    Quirk: Nova shows admins only public flavors unless they ask for all with is_public=None, and ignores the filter
    for every other caller.
    """
    text = exchange.query("is_public")
    if exchange.visibility is not EVERY_PROJECT:
        return None
    if text is None:
        return True
    if text.lower() == "none":
        return None
    if text.lower() in ("1", "t", "true", "on", "y", "yes"):
        return True
    if text.lower() in ("0", "f", "false", "off", "n", "no"):
        return False
    raise bad_request(f"Invalid is_public filter [{text}]")
