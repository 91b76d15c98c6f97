"""Resource classes."""

from typing import Any

from dibs.dialects.placement.errors import conflict, not_found, refusal_of
from dibs.dialects.placement.exchange import Exchange, empty_answer, json_answer
from dibs.dialects.placement.schemas import Schema, check, closed
from dibs.http.messages import Response
from dibs.ledger.model.errors import (
    ResourceClassExists,
    ResourceClassInUse,
    ResourceClassNotFound,
    StandardResourceClass,
)
from dibs.ledger.operations.resource_classes import (
    RenameClass,
    create_resource_class,
    delete_resource_class,
    ensure_resource_class,
    get_resource_class,
    list_resource_classes,
    rename_resource_class,
)

CUSTOM_NAME: Schema = {"type": "string", "pattern": "^CUSTOM_[A-Z0-9_]+$", "maxLength": 255}
NAMED: Schema = closed({"name": CUSTOM_NAME}, "name")


def list_all(exchange: Exchange) -> Response:
    """GET /resource_classes"""
    found = exchange.read(list_resource_classes, None)
    times = [one.changed_at for one in found if one.changed_at is not None]
    document = {"resource_classes": [_shown(exchange, one.name) for one in found]}
    return json_answer(exchange, document, modified=max(times, default=exchange.now()))


def create(exchange: Exchange) -> Response:
    """POST /resource_classes"""
    name = exchange.body(NAMED)["name"]
    try:
        exchange.write(create_resource_class, name)
    except ResourceClassExists:
        raise conflict(f"Conflicting resource class already exists: {name}") from None
    return empty_answer(exchange, 201, headers=exchange.location("resource_classes", name))


def show(exchange: Exchange) -> Response:
    """GET /resource_classes/{name}"""
    try:
        found = exchange.read(get_resource_class, exchange.arguments["name"])
    except ResourceClassNotFound as error:
        raise not_found(str(error)) from None
    return json_answer(exchange, _shown(exchange, found.name), modified=found.changed_at or exchange.now())


def rename(exchange: Exchange) -> Response:
    """PUT /resource_classes/{name} until version 1.6"""
    new_name = exchange.body(NAMED)["name"]
    try:
        exchange.write(rename_resource_class, RenameClass(name=exchange.arguments["name"], new_name=new_name))
    except ResourceClassNotFound as error:
        raise not_found(str(error)) from None
    except ResourceClassExists:
        raise conflict(f"Resource class already exists: {new_name}") from None
    return json_answer(exchange, _shown(exchange, new_name), modified=None)


def ensure(exchange: Exchange) -> Response:
    """PUT /resource_classes/{name} since version 1.7"""
    name = exchange.arguments["name"]
    check(NAMED, {"name": name}, "JSON does not validate: ")
    is_new = exchange.write(ensure_resource_class, name)
    return empty_answer(exchange, 201 if is_new else 204, headers=exchange.location("resource_classes", name))


def delete(exchange: Exchange) -> Response:
    """DELETE /resource_classes/{name}"""
    try:
        exchange.write(delete_resource_class, exchange.arguments["name"])
    except ResourceClassNotFound as error:
        raise not_found(str(error)) from None
    except (StandardResourceClass, ResourceClassInUse) as error:
        raise refusal_of(error, "Error in delete resource class: ") from None
    return empty_answer(exchange)


def _shown(exchange: Exchange, name: str) -> dict[str, Any]:
    return {"name": name, "links": [{"rel": "self", "href": exchange.path("resource_classes", name)}]}
