"""Allocations, which the ledger calls claims."""

import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from dibs.dialects.placement.errors import bad_request, not_found, refusal_of
from dibs.dialects.placement.exchange import Exchange, empty_answer, json_answer
from dibs.dialects.placement.schemas import RESOURCE_CLASS, UUID, Schema, by_uuid, closed, in_version
from dibs.documents.json_schema import ITEMS_MAX
from dibs.http.messages import Response
from dibs.ledger.model.access import MANAGE_CLAIMS
from dibs.ledger.model.claims import ANY_GENERATION, ClaimRequest
from dibs.ledger.model.errors import (
    CapacityExceeded,
    ConstraintsViolated,
    NoSuchInventory,
    ProviderNotFound,
    ResourceClassNotFound,
)
from dibs.ledger.operations.claims import (
    ReplaceClaims,
    list_claims_of_consumer,
    list_claims_on_provider,
    release_claims,
    replace_claims,
)

DICTIONARIES_SINCE = 12
OWNER_SINCE = 12
GENERATION_SINCE = 28
TYPE_SINCE = 38

UNKNOWN_OWNER = "00000000-0000-0000-0000-000000000000"
"""The project and user that are shown for a consumer without them, as for one created before version 1.8."""
NO_TYPE = "unknown"
"""The type that is shown for a consumer without one."""

_UUID_KEY = "^[0-9a-fA-F-]{36}$"
_NAME: Schema = {"type": "string", "minLength": 1, "maxLength": 255}
_AMOUNTS: Schema = {
    "type": "object",
    "minProperties": 1,
    "patternProperties": {RESOURCE_CLASS: {"type": "integer", "minimum": 1}},
    "maxProperties": ITEMS_MAX,
    "additionalProperties": False,
}
_LIST: Schema = {
    "type": "array",
    "minItems": 1,
    "items": closed(
        {"resource_provider": closed({"uuid": UUID}, "uuid"), "resources": _AMOUNTS}, "resource_provider", "resources"
    ),
    "maxItems": ITEMS_MAX,
}
_MAPPINGS: Schema = {
    "type": "object",
    "minProperties": 1,
    "patternProperties": {
        "[a-zA-Z0-9_-]{1,64}": {"type": "array", "minItems": 1, "items": UUID, "maxItems": ITEMS_MAX}
    },
    "maxProperties": ITEMS_MAX,
}


def _dictionary(least: int) -> Schema:
    return {
        "type": "object",
        "minProperties": least,
        "patternProperties": {
            _UUID_KEY: closed({"generation": {"type": "integer"}, "resources": _AMOUNTS}, "resources")
        },
        "maxProperties": ITEMS_MAX,
        "additionalProperties": False,
    }


_OWNED = {"project_id": _NAME, "user_id": _NAME}
_GUARDED = {**_OWNED, "consumer_generation": {"type": ["integer", "null"]}}
_MAPPED = {**_GUARDED, "mappings": _MAPPINGS}
_TYPED = {**_MAPPED, "consumer_type": {**_NAME, "pattern": "^[A-Z0-9_]+$"}}
_GUARDED_NAMES = ("allocations", "project_id", "user_id", "consumer_generation")

ONE_CONSUMER: Mapping[int, Schema] = {
    0: closed({"allocations": _LIST}, "allocations"),
    8: closed({"allocations": _LIST, **_OWNED}, "allocations", *_OWNED),
    12: closed({"allocations": _dictionary(1), **_OWNED}, "allocations", *_OWNED),
    28: closed({"allocations": _dictionary(0), **_GUARDED}, *_GUARDED_NAMES),
    34: closed({"allocations": _dictionary(0), **_MAPPED}, *_GUARDED_NAMES),
    38: closed({"allocations": _dictionary(0), **_TYPED}, *_GUARDED_NAMES, "consumer_type"),
}
"""The body of PUT, by first version."""


def consumers_schema(one: Schema, least: int) -> Schema:
    """Return the schema of several consumers by uuid; ``least`` is their smallest number."""
    return {
        "type": "object",
        "minProperties": least,
        "patternProperties": {_UUID_KEY: one},
        "maxProperties": ITEMS_MAX,
        "additionalProperties": False,
    }


MANY_CONSUMERS: Mapping[int, Schema] = {
    13: consumers_schema(closed({"allocations": _dictionary(0), **_OWNED}, "allocations", *_OWNED), 1),
    **{since: consumers_schema(one, 1) for since, one in ONE_CONSUMER.items() if since >= GENERATION_SINCE},
}
"""The body of POST, by first version."""


def set_allocations_of_consumer(exchange: Exchange) -> Response:
    """PUT /allocations/{consumer}"""
    consumer = _consumer_in_path(exchange)
    body = exchange.body(in_version(ONE_CONSUMER, exchange.minor))
    with refusals(f"Unable to allocate inventory for consumer {consumer}: "):
        exchange.write(replace_claims, ReplaceClaims(requests=(read_request(exchange, consumer, body),)))
    return empty_answer(exchange)


def set_allocations(exchange: Exchange) -> Response:
    """POST /allocations"""
    body = exchange.body(in_version(MANY_CONSUMERS, exchange.minor))
    with refusals("Unable to allocate inventory "):
        exchange.write(replace_claims, ReplaceClaims(requests=read_requests(exchange, body), rule=MANAGE_CLAIMS))
    return empty_answer(exchange)


def delete_allocations_of_consumer(exchange: Exchange) -> Response:
    """DELETE /allocations/{consumer}"""
    exchange.write(release_claims, exchange.arguments["consumer"].lower())
    return empty_answer(exchange)


def list_allocations_of_consumer(exchange: Exchange) -> Response:
    """GET /allocations/{consumer}

    Quirk: a consumer that does not exist has no allocations; it is not a 404.
    """
    command = exchange.arguments["consumer"].lower()
    rows = exchange.read(list_claims_of_consumer, command)
    shown: dict[str, dict[str, Any]] = {}
    for row in rows:
        provider = shown.setdefault(row["provider"], {"resources": {}, "generation": row["provider_generation"]})
        provider["resources"][row["resource_class"]] = row["amount"]
    document: dict[str, Any] = {"allocations": shown}
    if rows:
        document |= _consumer_shown(rows[0], exchange.minor)
    return json_answer(exchange, document, modified=_modified(exchange, rows))


def list_allocations_of_provider(exchange: Exchange) -> Response:
    """GET /resource_providers/{uuid}/allocations"""
    provider = exchange.arguments["uuid"]
    try:
        found = exchange.read(list_claims_on_provider, provider)
    except ProviderNotFound as error:
        raise not_found(f"Resource provider '{provider}' not found: {error}") from None
    shown: dict[str, dict[str, Any]] = {}
    for row in found.claims:
        consumer = shown.setdefault(row["consumer"], {"resources": {}})
        consumer["resources"][row["resource_class"]] = row["amount"]
        if exchange.minor >= GENERATION_SINCE:
            consumer["consumer_generation"] = row["consumer_generation"]
    document = {"allocations": shown, "resource_provider_generation": found.generation}
    return json_answer(exchange, document, modified=_modified(exchange, found.claims))


def read_requests(exchange: Exchange, body: Mapping[str, Any]) -> tuple[ClaimRequest, ...]:
    """Read the requests of several consumers, by uuid."""
    requests = by_uuid(body.items(), "consumer")
    return tuple(read_request(exchange, consumer, request) for consumer, request in requests.items())


def read_request(exchange: Exchange, consumer: str, body: Mapping[str, Any]) -> ClaimRequest:
    """Read the request of one consumer.

    Quirk: a provider's ``generation`` in it is accepted and ignored.
    """
    if exchange.minor < DICTIONARIES_SINCE:
        entries = [(each["resource_provider"]["uuid"], each) for each in body["allocations"]]
    else:
        entries = list(body["allocations"].items())
    allocations = by_uuid(entries, "resource provider")
    return ClaimRequest(
        consumer=consumer,
        resources={provider: each["resources"] for provider, each in allocations.items()},
        generation=body["consumer_generation"] if exchange.minor >= GENERATION_SINCE else ANY_GENERATION,
        project_id=body.get("project_id", UNKNOWN_OWNER),
        user_id=body.get("user_id", UNKNOWN_OWNER),
        consumer_type=body.get("consumer_type"),
    )


@contextmanager
def refusals(unknown_class: str) -> Iterator[None]:
    """Put the original's prefix before a refusal; ``unknown_class`` is the prefix for an unknown resource class."""
    try:
        yield
    except (NoSuchInventory, ConstraintsViolated, CapacityExceeded) as error:
        raise refusal_of(error, "Unable to allocate inventory: ") from error
    except ResourceClassNotFound as error:
        raise bad_request(f"{unknown_class}{error}") from error


def _consumer_in_path(exchange: Exchange) -> str:
    text = exchange.arguments["consumer"]
    try:
        return str(uuid.UUID(text))
    except ValueError:
        raise bad_request(f"Malformed consumer_uuid: {text}") from None


def _consumer_shown(row: Mapping[str, Any], minor: int) -> dict[str, Any]:
    shown: dict[str, Any] = {}
    if minor >= OWNER_SINCE:
        shown |= {"project_id": row["project_id"] or UNKNOWN_OWNER, "user_id": row["user_id"] or UNKNOWN_OWNER}
    if minor >= GENERATION_SINCE:
        shown["consumer_generation"] = row["consumer_generation"]
    if minor >= TYPE_SINCE:
        shown["consumer_type"] = row["consumer_type"] or NO_TYPE
    return shown


def _modified(exchange: Exchange, rows: list[dict[str, Any]]) -> int:
    return max((row["created_at"] for row in rows), default=exchange.now())
