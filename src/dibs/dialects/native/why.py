"""Explain why nodes are not available, when they will be, and what is available instead."""

from collections.abc import Mapping
from typing import Any

from dibs.access.access import EVERY_PROJECT, Access
from dibs.allocations.model.access import owner_of_new_allocation, visible_projects
from dibs.allocations.model.verdicts import Prospect, Verdict
from dibs.allocations.operations.batches import COUNT_MAX
from dibs.allocations.operations.why import ExplainNodes, JudgeNodes, explain_nodes, judge_nodes
from dibs.dialects.native.errors import Refusal
from dibs.dialects.native.exchange import Exchange, json_answer, next_url, read_moment
from dibs.dialects.native.offers import render_allocation_offer
from dibs.dialects.native.times import render_time
from dibs.documents.json_schema import Schema
from dibs.errors import Forbidden
from dibs.http.messages import Response
from dibs.leases.model.access import visible_leases
from dibs.machines.model.node_traits import TRAITS_PER_NODE_MAX
from dibs.reports.operations.past_why import ExplainNodesAt, explain_nodes_at

CANDIDATES_MAX = 1_000
LIMIT_MAX = 400
"""The nodes of one page: what occupies them is read in statements that take this many."""

QUERY: Mapping[str, Schema] = {
    "resource_class": {"type": "string", "minLength": 1, "maxLength": 80, "description": "Required."},
    "traits": {"type": "string", "description": "Required traits, separated by commas."},
    "candidate_nodes": {"type": "string", "description": "Only these nodes, by name or UUID, separated by commas."},
    "count": {
        "type": "string",
        "pattern": "^[1-9][0-9]{0,2}$",
        "description": f"Number of nodes; at most {COUNT_MAX}.",
    },
    "at": {
        "type": "string",
        "maxLength": 64,
        "description": "A moment in the past: what was true then. ISO 8601 timestamp, in UTC unless it has an offset.",
    },
}

NODES_QUERY: Mapping[str, Schema] = {
    **{name: schema for name, schema in QUERY.items() if name not in ("count", "at")},
    "limit": {"type": "string", "pattern": "^[1-9][0-9]{0,3}$", "description": f"Page size; at most {LIMIT_MAX}."},
    "marker": {"type": "string", "maxLength": 255, "description": "Start after this node, by name or UUID."},
}


def explain(exchange: Exchange) -> Response:
    """GET /v1/why"""
    asked = exchange.query(QUERY)
    command, moment = _read_explain(exchange, asked), read_moment(asked, "at")
    if moment is None:
        found = exchange.read(explain_nodes, command)
    else:
        found = exchange.read(explain_nodes_at, ExplainNodesAt(asked=command, moment=moment))
    rendered = (render_allocation_offer(command, offer) for offer in found.offers)
    return json_answer(
        {
            "fits": found.fits,
            "free": found.free,
            "reasons": dict(found.reasons),
            "text": found.text,
            "quota": found.quota,
            "earliest": render_time(found.earliest),
            "offers": [offer for offer in rendered if offer is not None],
        }
    )


def _read_explain(exchange: Exchange, asked: Mapping[str, str]) -> ExplainNodes:
    _require_class(asked)
    count = int(asked.get("count", 1))
    if count > COUNT_MAX:
        raise Refusal(400, f"The query parameter count must be from 1 to {COUNT_MAX}.")
    projects = visible_projects(exchange.access)
    owner = None if projects is EVERY_PROJECT else exchange.actor.project
    return ExplainNodes(
        resource_class=asked["resource_class"],
        traits=_names(asked, "traits", TRAITS_PER_NODE_MAX),
        candidate_nodes=_names(asked, "candidate_nodes", CANDIDATES_MAX),
        owner=owner,
        count=count,
        with_offers=_could_allocate(exchange.access, owner),
        turnover_seconds=exchange.services.lifetime_rules.turnover_seconds,
    )


def explain_each(exchange: Exchange) -> Response:
    """GET /v1/why/nodes"""
    asked = exchange.query(NODES_QUERY)
    _require_class(asked)
    projects = visible_projects(exchange.access)
    limit = min(int(asked.get("limit", LIMIT_MAX)), LIMIT_MAX)
    command = JudgeNodes(
        resource_class=asked["resource_class"],
        traits=_names(asked, "traits", TRAITS_PER_NODE_MAX),
        candidate_nodes=_names(asked, "candidate_nodes", CANDIDATES_MAX),
        owner=None if projects is EVERY_PROJECT else exchange.actor.project,
        allocation_projects=projects,
        lease_projects=visible_leases(exchange.services.lease_policy.access(exchange.actor)),
        limit=limit,
        marker=asked.get("marker"),
    )
    found = exchange.read(judge_nodes, command)
    document: dict[str, Any] = {
        prospect.value: [_render_verdict(each) for each in found if each.prospect is prospect] for prospect in Prospect
    }
    if len(found) == limit:
        document["next"] = next_url(exchange, asked, limit, found[-1].node.uuid)
    return json_answer(document)


def _render_verdict(verdict: Verdict) -> dict[str, Any]:
    blocked_by = verdict.blocked_by
    return {
        "uuid": verdict.node.uuid,
        "name": verdict.node.name,
        "reason": verdict.reason,
        "until": render_time(verdict.until),
        "blocked_by": None
        if blocked_by is None
        else {
            "kind": blocked_by.kind,
            "id": blocked_by.uuid,
            "name": blocked_by.name,
            "project": blocked_by.project,
            "until": render_time(blocked_by.end),
        },
    }


def _require_class(asked: Mapping[str, str]) -> None:
    if "resource_class" not in asked:
        raise Refusal(400, "The query parameter resource_class is required.")


def _could_allocate(access: Access, owner: str | None) -> bool:
    """Return True when an allocation of the caller would get the nodes that the answer counts."""
    try:
        return owner_of_new_allocation(access, None) == owner
    except Forbidden:
        return False


def _names(asked: Mapping[str, str], name: str, count_max: int) -> tuple[str, ...]:
    names = tuple(part for part in asked.get(name, "").split(",") if part)
    if len(names) > count_max:
        raise Refusal(400, f"The query parameter {name} takes at most {count_max} names, not {len(names)}.")
    return names
