"""Quotas of projects: limits by resource class, and what a project uses of them."""

from collections.abc import Mapping
from typing import Any

from msgspec import structs

from dibs.dialects.native.errors import Refusal
from dibs.dialects.native.exchange import Exchange, json_answer, next_url
from dibs.documents.json_schema import Schema, find_mistake
from dibs.http.exchange import empty_answer
from dibs.http.messages import Response
from dibs.quotas.model.access import require_to_update
from dibs.quotas.model.quotas import LIMIT_MAX, Limits, Quota
from dibs.quotas.operations import quotas
from dibs.quotas.operations.quotas import ListQuotas, QuotaUsage, RemoveQuota, SetQuota

PAGE_MAX = 1_000

_NAME: Schema = {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[^\\u0000]*$"}
_CLASS: Schema = {"type": "string", "minLength": 1, "maxLength": 80, "pattern": "^[^\\u0000]*$"}
_LIMIT: Schema = {"type": ["integer", "null"], "minimum": 0, "maximum": LIMIT_MAX}

LIMITS: Schema = {
    "type": "object",
    "properties": {
        "resource_class": {
            **_CLASS,
            "type": ["string", "null"],
            "description": "The class of nodes that is limited. Without it, all classes together.",
        },
        "nodes": {**_LIMIT, "description": "Nodes at any one moment. null: no limit."},
        "node_hours": {**_LIMIT, "description": "Node-hours that are booked ahead. null: no limit."},
        "lease_seconds": {**_LIMIT, "description": "Duration of a lease in seconds. null: no limit."},
        "queued": {**_LIMIT, "description": "Allocations that have no node yet. null: no limit."},
    },
    "additionalProperties": False,
}
ONE_CLASS: Mapping[str, Schema] = {
    "resource_class": {
        "type": "string",
        "maxLength": 80,
        "description": "Only the limits of this class; empty: of all classes together. Without it, all limits.",
    }
}
QUERY: Mapping[str, Schema] = {
    "limit": {"type": "string", "pattern": "^[1-9][0-9]{0,3}$", "description": f"Page size; at most {PAGE_MAX}."},
    "marker": {**_NAME, "description": "Start after this project."},
}


def list_quotas(exchange: Exchange) -> Response:
    """GET /v1/quotas"""
    asked = exchange.query(QUERY)
    limit = min(int(asked.get("limit", PAGE_MAX)), PAGE_MAX)
    found = exchange.read(quotas.list_quotas, ListQuotas(limit=limit, marker=asked.get("marker", "")))
    document: dict[str, Any] = {"quotas": [_render(quota) for quota in found]}
    if len(found) == limit:
        document["next"] = next_url(exchange, asked, limit, found[-1].project)
    return json_answer(document)


def show_quota(exchange: Exchange) -> Response:
    """GET /v1/quotas/{project}"""
    return json_answer(_render_usage(exchange.read(quotas.get_quota, project_of(exchange))))


def set_quota(exchange: Exchange) -> Response:
    """PUT /v1/quotas/{project}"""
    require_to_update(exchange.access)
    body = exchange.body(LIMITS)
    resource_class = body.pop("resource_class", None) or ""
    # In JSON, 4.0 is an integer too.
    limits = {name: None if limit is None else int(limit) for name, limit in body.items()}
    command = SetQuota(project=project_of(exchange), resource_class=resource_class, limits=limits)
    return json_answer(_render_usage(exchange.write(quotas.set_quota, command)))


def remove_quota(exchange: Exchange) -> Response:
    """DELETE /v1/quotas/{project}"""
    require_to_update(exchange.access)
    asked = exchange.query(ONE_CLASS)
    command = RemoveQuota(project=project_of(exchange), resource_class=asked.get("resource_class"))
    exchange.write(quotas.remove_quota, command)
    return empty_answer(204)


def project_of(exchange: Exchange) -> str:
    """Return the project in the path; refuse one that no project can have as its id."""
    project = exchange.arguments["project"]
    mistake = find_mistake(_NAME, project)
    if mistake is not None:
        raise Refusal(400, f"Invalid project: {mistake}")
    return project


def _render_usage(found: QuotaUsage) -> dict[str, Any]:
    return _render(found.quota, found.used)


def _render(quota: Quota, used: Mapping[str, Limits] | None = None) -> dict[str, Any]:
    return {
        "project": quota.project,
        "limits": [
            {
                "resource_class": name or None,
                **structs.asdict(limits),
                **({} if used is None else {"used": structs.asdict(used[name])}),
            }
            for name, limits in sorted(quota.limits.items())
        ],
    }
