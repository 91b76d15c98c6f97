"""The reshaper: replace inventories of several providers and the allocations on them in one transaction."""

from collections.abc import Mapping
from typing import Any

from dibs.dialects.placement.errors import Code, Refusal, conflict, refusal_of
from dibs.dialects.placement.exchange import Exchange, empty_answer
from dibs.dialects.placement.handlers.allocations import ONE_CONSUMER, consumers_schema, read_requests, refusals
from dibs.dialects.placement.handlers.inventories import ALL_RESERVED_SINCE, REPLACE, read_sizes
from dibs.dialects.placement.schemas import Schema, by_uuid, closed, in_version
from dibs.documents.json_schema import ITEMS_MAX
from dibs.http.messages import Response
from dibs.ledger.model.errors import InventoryInUse, ProviderGenerationConflict, ProviderNotFound
from dibs.ledger.operations.inventories import SetInventories
from dibs.ledger.operations.reshaping import Reshape, reshape

FIRST_VERSION = 30

_INVENTORIES: Schema = {
    "type": "object",
    "minProperties": 1,
    "patternProperties": {"^[0-9a-fA-F-]{36}$": REPLACE},
    "maxProperties": ITEMS_MAX,
    "additionalProperties": False,
}
BODY: Mapping[int, Schema] = {
    since: closed(
        {"inventories": _INVENTORIES, "allocations": consumers_schema(ONE_CONSUMER[of], 0)},
        "inventories",
        "allocations",
    )
    for since, of in ((FIRST_VERSION, 28), (34, 34), (38, 38))
}
"""The schema of the body, by first version."""


def post(exchange: Exchange) -> Response:
    """POST /reshaper"""
    body = exchange.body(in_version(BODY, exchange.minor))
    command = Reshape(
        inventories=tuple(
            _set_inventories(exchange, provider, wanted)
            for provider, wanted in by_uuid(body["inventories"].items(), "resource provider").items()
        ),
        requests=read_requests(exchange, body["allocations"]),
    )
    try:
        with refusals("malformed reshaper data: "):
            exchange.write(reshape, command)
    except ProviderNotFound as error:
        message = f"Resource provider {error.details['provider']} in inventories not found: {error}"
        raise Refusal(400, message, Code.PROVIDER_NOT_FOUND) from None
    except ProviderGenerationConflict as error:
        raise conflict(
            "resource provider generation conflict for provider {provider}: actual: {current}, given: {sent}".format(
                **error.details
            ),
            Code.CONCURRENT_UPDATE,
        ) from None
    except InventoryInUse as error:
        raise refusal_of(error, "update conflict: ") from None
    return empty_answer(exchange)


def _set_inventories(exchange: Exchange, provider: str, wanted: Mapping[str, Any]) -> SetInventories:
    return SetInventories(
        provider=provider,
        generation=wanted["resource_provider_generation"],
        sizes=read_sizes(wanted["inventories"]),
        all_may_be_reserved=exchange.minor >= ALL_RESERVED_SINCE,
    )
