"""Inventories of a resource provider."""

from collections.abc import Mapping
from typing import Any

from dibs.dialects.placement.errors import bad_request, refusal_of
from dibs.dialects.placement.exchange import Exchange, empty_answer, json_answer
from dibs.dialects.placement.handlers.resource_providers import body_about_provider
from dibs.dialects.placement.schemas import GENERATION, INTEGER_MAX, RESOURCE_CLASS, Schema, closed
from dibs.documents.json_schema import ITEMS_MAX
from dibs.http.messages import Response
from dibs.ledger.model.errors import (
    InvalidCapacity,
    InventoryExists,
    InventoryInUse,
    InventoryNotFound,
    ResourceClassNotFound,
)
from dibs.ledger.model.inventories import Inventory
from dibs.ledger.operations.inventories import (
    GetInventory,
    ProviderInventories,
    PutInventory,
    SetInventories,
    Sizes,
    add_inventory,
    change_inventory,
    get_inventory,
    list_inventories,
    remove_inventories,
    remove_inventory,
    set_inventories,
)

ALL_RESERVED_SINCE = 26

_LARGEST_RATIO = 3.40282e38
_FROM_ZERO: Schema = {"type": "integer", "minimum": 0, "maximum": INTEGER_MAX}
_FROM_ONE: Schema = {"type": "integer", "minimum": 1, "maximum": INTEGER_MAX}
_SIZES: Mapping[str, Schema] = {
    "resource_provider_generation": GENERATION,
    "total": _FROM_ONE,
    "reserved": _FROM_ZERO,
    "min_unit": _FROM_ONE,
    "max_unit": _FROM_ONE,
    "step_size": _FROM_ONE,
    "allocation_ratio": {"type": "number", "minimum": -_LARGEST_RATIO, "maximum": _LARGEST_RATIO},
}
CHANGE: Schema = closed(_SIZES, "total", "resource_provider_generation")
_CLASS: Schema = {"type": "string", "pattern": RESOURCE_CLASS, "maxLength": 255}
CREATE: Schema = closed({**_SIZES, "resource_class": _CLASS}, "total", "resource_class")
INVENTORIES: Schema = {
    "type": "object",
    "patternProperties": {RESOURCE_CLASS: closed(_SIZES, "total")},
    "maxProperties": ITEMS_MAX,
    "additionalProperties": False,
}
REPLACE: Schema = closed(
    {"resource_provider_generation": GENERATION, "inventories": INVENTORIES},
    "resource_provider_generation",
    "inventories",
)


def list_all(exchange: Exchange) -> Response:
    """GET /resource_providers/{uuid}/inventories"""
    return _all_answer(exchange, exchange.read(list_inventories, exchange.arguments["uuid"]))


def create(exchange: Exchange) -> Response:
    """POST /resource_providers/{uuid}/inventories

    Quirk: a generation is accepted and ignored.
    """
    body = body_about_provider(exchange, CREATE)
    command = _put(exchange, body["resource_class"], body, generation=None)
    try:
        found = exchange.write(add_inventory, command)
    except InventoryExists as error:
        raise refusal_of(error, "Update conflict: ") from None
    except (InvalidCapacity, ResourceClassNotFound) as error:
        raise refusal_of(error, f"Unable to create inventory for resource provider {command.provider}: ") from None
    location = exchange.location("resource_providers", command.provider, "inventories", command.resource_class)
    return _one_answer(exchange, found, command.resource_class, status=201, headers=location)


def replace_all(exchange: Exchange) -> Response:
    """PUT /resource_providers/{uuid}/inventories"""
    body = body_about_provider(exchange, REPLACE)
    command = SetInventories(
        provider=exchange.arguments["uuid"],
        generation=body["resource_provider_generation"],
        sizes=read_sizes(body["inventories"]),
        all_may_be_reserved=exchange.minor >= ALL_RESERVED_SINCE,
    )
    try:
        found = exchange.write(set_inventories, command)
    except ResourceClassNotFound as error:
        unknown = f"Unknown resource class in inventory for resource provider {command.provider}: "
        raise refusal_of(error, unknown) from None
    except InventoryInUse as error:
        raise refusal_of(error, "update conflict: ") from None
    except InvalidCapacity as error:
        raise refusal_of(error, _unable_to_update(command.provider)) from None
    return _all_answer(exchange, found)


def delete_all(exchange: Exchange) -> Response:
    """DELETE /resource_providers/{uuid}/inventories"""
    exchange.write(remove_inventories, exchange.arguments["uuid"])
    return empty_answer(exchange)


def show(exchange: Exchange) -> Response:
    """GET /resource_providers/{uuid}/inventories/{resource_class}"""
    resource_class = exchange.arguments["resource_class"]
    return _one_answer(exchange, exchange.read(get_inventory, _one(exchange)), resource_class)


def change(exchange: Exchange) -> Response:
    """PUT /resource_providers/{uuid}/inventories/{resource_class}"""
    body = body_about_provider(exchange, CHANGE)
    resource_class = exchange.arguments["resource_class"]
    command = _put(exchange, resource_class, body, generation=body["resource_provider_generation"])
    try:
        found = exchange.write(change_inventory, command)
    except InventoryNotFound as error:
        missing = f"No inventory record with resource class for resource provider {command.provider}: "
        raise bad_request(missing + str(error)) from None
    except InvalidCapacity as error:
        raise refusal_of(error, _unable_to_update(command.provider)) from None
    return _one_answer(exchange, found, resource_class)


def delete(exchange: Exchange) -> Response:
    """DELETE /resource_providers/{uuid}/inventories/{resource_class}"""
    command = _one(exchange)
    try:
        exchange.write(remove_inventory, command)
    except InventoryInUse as error:
        raise refusal_of(error, f"Unable to delete inventory of class {command.resource_class}: ") from None
    except InventoryNotFound as error:
        missing = f"No inventory of class {command.resource_class} found for delete: "
        raise refusal_of(error, missing) from None
    return empty_answer(exchange)


def read_sizes(documents: Mapping[str, Mapping[str, Any]]) -> dict[str, Sizes]:
    """Read inventories by class from a body that matches ``INVENTORIES``."""
    return {name: _sizes(document) for name, document in documents.items()}


def _sizes(document: Mapping[str, Any]) -> Sizes:
    # For JSON Schema, 5.0 is an integer too.
    counts = {name: int(document[name]) for name in ("reserved", "min_unit", "step_size") if name in document}
    return Sizes(
        total=int(document["total"]),
        max_unit=int(document.get("max_unit", INTEGER_MAX)),
        allocation_ratio=float(document.get("allocation_ratio", 1.0)),
        **counts,
    )


def _put(exchange: Exchange, resource_class: str, body: Mapping[str, Any], *, generation: int | None) -> PutInventory:
    return PutInventory(
        provider=exchange.arguments["uuid"],
        generation=generation,
        resource_class=resource_class,
        sizes=_sizes(body),
        all_may_be_reserved=exchange.minor >= ALL_RESERVED_SINCE,
    )


def _one(exchange: Exchange) -> GetInventory:
    return GetInventory(provider=exchange.arguments["uuid"], resource_class=exchange.arguments["resource_class"])


def _unable_to_update(provider: str) -> str:
    return f"Unable to update inventory for resource provider {provider}: "


def _all_answer(exchange: Exchange, found: ProviderInventories) -> Response:
    """Render all inventories. Quirk: a provider without inventories has no modification time."""
    present = found.inventories
    document = {
        "resource_provider_generation": found.generation,
        "inventories": {name: _shown(inventory) for name, inventory in present.items()},
    }
    modified = max((inventory.updated_at or inventory.created_at for inventory in present.values()), default=None)
    return json_answer(exchange, document, modified=modified)


def _one_answer(exchange: Exchange, found: ProviderInventories, resource_class: str, **options: Any) -> Response:
    inventory = found.inventories[resource_class]
    document = {**_shown(inventory), "resource_provider_generation": found.generation}
    return json_answer(exchange, document, modified=inventory.updated_at or inventory.created_at, **options)


def _shown(inventory: Inventory) -> dict[str, Any]:
    return {name: getattr(inventory, name) for name in _SIZES if name != "resource_provider_generation"}
