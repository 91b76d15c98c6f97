"""Explain why nodes are not available, and when they will be."""

from collections.abc import Mapping

from dibs.access.access import EVERY_PROJECT
from dibs.allocations.model.access import visible_projects
from dibs.allocations.operations.batches import COUNT_MAX
from dibs.allocations.operations.why import ExplainNodes, explain_nodes
from dibs.dialects.native.errors import Refusal
from dibs.dialects.native.exchange import Exchange, json_answer
from dibs.dialects.native.times import render_time
from dibs.documents.json_schema import Schema
from dibs.http.messages import Response
from dibs.machines.model.node_traits import TRAITS_PER_NODE_MAX

CANDIDATES_MAX = 1_000

QUERY: Mapping[str, Schema] = {
    "resource_class": {"type": "string", "minLength": 1, "maxLength": 80, "description": "Required."},
    "traits": {"type": "string", "description": "Required traits, separated by commas."},
    "candidate_nodes": {"type": "string", "description": "Only these nodes, by name or UUID, separated by commas."},
    "count": {
        "type": "string",
        "pattern": "^[1-9][0-9]{0,2}$",
        "description": f"Number of nodes; at most {COUNT_MAX}.",
    },
}


def explain(exchange: Exchange) -> Response:
    """GET /v1/why"""
    asked = exchange.query(QUERY)
    if "resource_class" not in asked:
        raise Refusal(400, "The query parameter resource_class is required.")
    count = int(asked.get("count", 1))
    if count > COUNT_MAX:
        raise Refusal(400, f"The query parameter count must be from 1 to {COUNT_MAX}.")
    projects = visible_projects(exchange.access)
    command = ExplainNodes(
        resource_class=asked["resource_class"],
        traits=_names(asked, "traits", TRAITS_PER_NODE_MAX),
        candidate_nodes=_names(asked, "candidate_nodes", CANDIDATES_MAX),
        owner=None if projects is EVERY_PROJECT else exchange.actor.project,
        count=count,
    )
    found = exchange.read(explain_nodes, command)
    return json_answer(
        {
            "fits": found.fits,
            "free": found.free,
            "reasons": dict(found.reasons),
            "text": found.text,
            "earliest": render_time(found.earliest),
        }
    )


def _names(asked: Mapping[str, str], name: str, count_max: int) -> tuple[str, ...]:
    names = tuple(part for part in asked.get(name, "").split(",") if part)
    if len(names) > count_max:
        raise Refusal(400, f"The query parameter {name} takes at most {count_max} names, not {len(names)}.")
    return names
