"""Aggregates of a resource provider."""

from collections.abc import Mapping
from typing import Any

from dibs.dialects.placement.errors import refusal_of
from dibs.dialects.placement.exchange import Exchange, json_answer
from dibs.dialects.placement.handlers.resource_providers import body_about_provider
from dibs.dialects.placement.schemas import GENERATION, UUID, Schema, by_uuid, closed, in_version
from dibs.documents.json_schema import ITEMS_MAX
from dibs.http.messages import Response
from dibs.ledger.model.errors import ProviderGenerationConflict
from dibs.ledger.operations.aggregates import ProviderAggregates, SetAggregates, list_aggregates, set_aggregates

GENERATION_SINCE = 19
STALE = "Resource provider's generation already changed. Please update the generation and try again. "

_AGGREGATES: Schema = {"type": "array", "items": {**UUID, "maxLength": 36}, "maxItems": ITEMS_MAX, "uniqueItems": True}
REPLACE: Mapping[int, Schema] = {
    1: _AGGREGATES,
    GENERATION_SINCE: closed(
        {"aggregates": _AGGREGATES, "resource_provider_generation": GENERATION},
        "aggregates",
        "resource_provider_generation",
    ),
}


def list_all(exchange: Exchange) -> Response:
    """GET /resource_providers/{uuid}/aggregates"""
    return _answer(exchange, exchange.read(list_aggregates, exchange.arguments["uuid"]))


def replace_all(exchange: Exchange) -> Response:
    """PUT /resource_providers/{uuid}/aggregates"""
    body = body_about_provider(exchange, in_version(REPLACE, exchange.minor))
    guarded = exchange.minor >= GENERATION_SINCE
    written = by_uuid(((each, each) for each in (body["aggregates"] if guarded else body)), "aggregate")
    command = SetAggregates(
        provider=exchange.arguments["uuid"],
        generation=body["resource_provider_generation"] if guarded else None,
        aggregates=tuple(written),
        written=written,
    )
    try:
        return _answer(exchange, exchange.write(set_aggregates, command))
    except ProviderGenerationConflict as error:
        raise refusal_of(error, STALE) from None


def _answer(exchange: Exchange, memberships: ProviderAggregates) -> Response:
    """Quirk: the time of a membership is not stored, so the response says that it was modified now."""
    document: dict[str, Any] = {"aggregates": list(memberships.aggregates)}
    if exchange.minor >= GENERATION_SINCE:
        document["resource_provider_generation"] = memberships.generation
    return json_answer(exchange, document, modified=exchange.now())
