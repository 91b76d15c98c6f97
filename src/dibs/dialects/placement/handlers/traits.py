"""The catalogue of traits, and the traits of a resource provider."""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from dibs.dialects.placement.errors import bad_request, not_found, refusal_of
from dibs.dialects.placement.exchange import Exchange, empty_answer, json_answer
from dibs.dialects.placement.handlers.aggregates import STALE
from dibs.dialects.placement.schemas import GENERATION, Schema, closed
from dibs.documents.json_schema import ITEMS_MAX, find_mistake
from dibs.http.messages import Response
from dibs.ledger.model.errors import NoSuchTrait, ProviderGenerationConflict
from dibs.ledger.operations.provider_traits import (
    ProviderTraits,
    SetProviderTraits,
    list_provider_traits,
    remove_provider_traits,
    set_provider_traits,
)
from dibs.ledger.operations.traits import ListTraits, delete_trait, ensure_trait, get_trait, list_traits

_TRAIT: Schema = {"type": "string", "minLength": 1, "maxLength": 255}
_CUSTOM: Schema = {**_TRAIT, "pattern": "^CUSTOM_[A-Z0-9_]+$"}
REPLACE: Schema = closed(
    {"traits": {"type": "array", "items": _TRAIT, "maxItems": ITEMS_MAX}, "resource_provider_generation": GENERATION},
    "traits",
    "resource_provider_generation",
)
PARAMETERS: Mapping[str, Schema] = {"name": {"type": "string"}, "associated": {"type": "string"}}
_LIST = closed(PARAMETERS)


def list_all(exchange: Exchange) -> Response:
    """GET /traits"""
    exchange.query.check(_LIST)
    name, associated = exchange.query.last("name"), exchange.query.last("associated")
    command = _read_name(name) if name is not None else ListTraits()
    if associated is not None:
        command = replace(command, has_providers=_read_associated(associated))
    found = exchange.read(list_traits, command)
    times = [trait.created_at for trait in found if trait.created_at is not None]
    document = {"traits": [trait.name for trait in found]}
    return json_answer(exchange, document, modified=max(times, default=exchange.now()))


def show(exchange: Exchange) -> Response:
    """GET /traits/{name}"""
    try:
        trait = exchange.read(get_trait, exchange.arguments["name"])
    except NoSuchTrait as error:
        raise not_found(str(error)) from None
    return empty_answer(exchange, modified=trait.created_at or exchange.now())


def ensure(exchange: Exchange) -> Response:
    """PUT /traits/{name}"""
    name = exchange.arguments["name"]
    if find_mistake(_CUSTOM, name) is not None:
        raise bad_request(
            "The trait is invalid. A valid trait must be no longer than 255 characters, start with the prefix"
            ' "CUSTOM_" and use following characters: "A"-"Z", "0"-"9" and "_"'
        )
    ensured = exchange.write(ensure_trait, name)
    return empty_answer(
        exchange,
        201 if ensured.is_new else 204,
        modified=ensured.trait.created_at,
        headers=exchange.location("traits", name),
    )


def delete(exchange: Exchange) -> Response:
    """DELETE /traits/{name}"""
    try:
        exchange.write(delete_trait, exchange.arguments["name"])
    except NoSuchTrait as error:
        raise not_found(str(error)) from None
    return empty_answer(exchange)


def list_of_provider(exchange: Exchange) -> Response:
    """GET /resource_providers/{uuid}/traits"""
    return _answer(exchange, exchange.read(list_provider_traits, exchange.arguments["uuid"]))


def replace_of_provider(exchange: Exchange) -> Response:
    """PUT /resource_providers/{uuid}/traits"""
    body = exchange.body(REPLACE)
    command = SetProviderTraits(
        provider=exchange.arguments["uuid"],
        generation=body["resource_provider_generation"],
        traits=tuple(body["traits"]),
    )
    try:
        return _answer(exchange, exchange.write(set_provider_traits, command))
    except ProviderGenerationConflict as error:
        raise refusal_of(error, STALE) from None
    except NoSuchTrait as error:
        raise bad_request(f"No such trait {error.details['traits']}") from None


def delete_of_provider(exchange: Exchange) -> Response:
    """DELETE /resource_providers/{uuid}/traits"""
    exchange.write(remove_provider_traits, exchange.arguments["uuid"])
    return empty_answer(exchange)


def _read_name(value: str) -> ListTraits:
    """Read ``in:A,B`` or ``startswith:A``."""
    operator, colon, rest = value.partition(":")
    if not colon:
        raise bad_request(
            "Badly formatted name parameter. Expected name query string parameter in form:"
            f' ?name=[in|startswith]:[name1,name2|prefix]. Got: "{value}"'
        )
    if operator == "in":
        return ListTraits(names=frozenset(rest.split(",")))
    if operator == "startswith":
        return ListTraits(prefix=rest)
    # Quirk: Placement ignores any other operator.
    return ListTraits()


def _read_associated(value: str) -> bool:
    if value.lower() not in ("true", "false"):
        raise bad_request('The query parameter "associated" only accepts "true" or "false"')
    return value.lower() == "true"


def _answer(exchange: Exchange, has: ProviderTraits) -> Response:
    document: dict[str, Any] = {"traits": list(has.traits), "resource_provider_generation": has.generation}
    return json_answer(exchange, document, modified=has.changed_at or exchange.now())
