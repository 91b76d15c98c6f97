"""Usages: the used amounts of a provider, and of a project."""

from typing import Any

from dibs.dialects.placement.errors import not_found
from dibs.dialects.placement.exchange import Exchange, json_answer
from dibs.dialects.placement.handlers.allocations import NO_TYPE
from dibs.dialects.placement.schemas import Schema, closed
from dibs.http.messages import Response
from dibs.ledger.model.access import SHOW_PROJECT_USAGE
from dibs.ledger.model.errors import ProviderNotFound
from dibs.ledger.operations.claims import UsageOfProject, get_provider_usage, list_usage_of_project

TYPES_SINCE = 38
ALL_TYPES = "all"

_NAME: Schema = {"type": "string", "minLength": 1, "maxLength": 255}
_QUERY = {"project_id": _NAME, "user_id": _NAME}
_TYPED_QUERY = {**_QUERY, "consumer_type": {**_NAME, "pattern": "^[A-Z0-9_]+$|^all$|^unknown$"}}
_SCHEMA, _TYPED_SCHEMA = closed(_QUERY, "project_id"), closed(_TYPED_QUERY, "project_id")
QUERY = _TYPED_QUERY
"""Every parameter, for the routing table."""


def show_provider_usage(exchange: Exchange) -> Response:
    """GET /resource_providers/{uuid}/usages"""
    provider = exchange.arguments["uuid"]
    try:
        usage = exchange.read(get_provider_usage, provider)
    except ProviderNotFound as error:
        raise not_found(f"No resource provider with uuid {provider} found: {error}") from None
    document = {"resource_provider_generation": usage.generation, "usages": usage.used}
    return json_answer(exchange, document, modified=exchange.now())


def show_usage_of_project(exchange: Exchange) -> Response:
    """GET /usages

    A reader may see the usage of its own project, so the rule is checked with the project; and before the parameters
    are, as for every other path.
    """
    query, typed = exchange.query, exchange.minor >= TYPES_SINCE
    exchange.require(SHOW_PROJECT_USAGE, query.last("project_id"))
    query.check(_TYPED_SCHEMA if typed else _SCHEMA)
    command = UsageOfProject(project_id=query.last("project_id") or "", user_id=query.last("user_id"))
    usage = exchange.read(list_usage_of_project, command)
    by_type = _by_type(usage.used, usage.consumers, query.last("consumer_type"))
    shown: dict[str, Any] = dict(by_type) if typed else dict(_together(usage.used))
    return json_answer(exchange, {"usages": shown}, modified=exchange.now())


def _by_type(
    used: dict[str | None, dict[str, int]], consumers: dict[str | None, int], wanted: str | None
) -> dict[str, dict[str, int]]:
    if wanted == ALL_TYPES:
        return {ALL_TYPES: {**_together(used), "consumer_count": sum(consumers.values())}} if used else {}
    return {
        kind or NO_TYPE: {**amounts, "consumer_count": consumers[kind]}
        for kind, amounts in used.items()
        if wanted in (None, kind or NO_TYPE)
    }


def _together(used: dict[str | None, dict[str, int]]) -> dict[str, int]:
    sums: dict[str, int] = {}
    for amounts in used.values():
        for resource_class, amount in amounts.items():
            sums[resource_class] = sums.get(resource_class, 0) + amount
    return sums
