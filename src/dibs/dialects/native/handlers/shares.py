"""Shares of projects: the weight of each in the order of the queue, and what it had of the nodes."""

from typing import Any

from dibs.dialects.native.exchange import Exchange, json_answer, next_url
from dibs.dialects.native.handlers.quotas import PAGE_MAX, QUERY, project_of
from dibs.documents.json_schema import Schema
from dibs.http.exchange import empty_answer
from dibs.http.messages import Response
from dibs.quotas.model.access import require_to_update
from dibs.quotas.model.shares import WEIGHT_DEFAULT, WEIGHT_MAX, Share
from dibs.quotas.operations import shares
from dibs.quotas.operations.shares import ListShares, SetWeight

WEIGHT: Schema = {
    "type": "object",
    "properties": {
        "weight": {
            "type": "integer",
            "minimum": 1,
            "maximum": WEIGHT_MAX,
            "description": "How much the project gets, compared with the weights of the others.",
        },
    },
    "required": ["weight"],
    "additionalProperties": False,
}


def list_shares(exchange: Exchange) -> Response:
    """GET /v1/shares"""
    asked = exchange.query(QUERY)
    limit = min(int(asked.get("limit", PAGE_MAX)), PAGE_MAX)
    found = exchange.read(shares.list_shares, ListShares(limit=limit, marker=asked.get("marker", "")))
    document: dict[str, Any] = {"shares": [_render(share) for share in found]}
    if len(found) == limit:
        document["next"] = next_url(exchange, asked, limit, found[-1].project)
    return json_answer(document)


def set_weight(exchange: Exchange) -> Response:
    """PUT /v1/shares/{project}"""
    require_to_update(exchange.access)
    weight = int(exchange.body(WEIGHT)["weight"])  # In JSON, 4.0 is an integer too.
    return json_answer(
        _render(exchange.write(shares.set_weight, SetWeight(project=project_of(exchange), weight=weight)))
    )


def remove_weight(exchange: Exchange) -> Response:
    """DELETE /v1/shares/{project}"""
    require_to_update(exchange.access)
    exchange.write(shares.set_weight, SetWeight(project=project_of(exchange), weight=None))
    return empty_answer(204)


def _render(share: Share) -> dict[str, Any]:
    return {
        "project": share.project,
        "weight": share.weight or WEIGHT_DEFAULT,
        "average": round(share.average, 3),
        "nodes": share.nodes,
    }
