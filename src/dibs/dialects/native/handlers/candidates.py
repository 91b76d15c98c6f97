"""Explain which condition of a query leaves no allocation candidates."""

from collections.abc import Mapping

from dibs.candidates.operations.funnel import explain_candidates
from dibs.dialects.native.exchange import Exchange, json_answer
from dibs.documents.json_schema import Schema
from dibs.http.messages import Response

QUERY: Mapping[str, Schema] = {
    name: {"type": "string", "description": f"{what} As in Placement 1.39; may have the suffix of a group."}
    for name, what in (
        ("resources", "Amounts by class, such as VCPU:4,MEMORY_MB:8192."),
        ("required", "Traits."),
        ("member_of", "Aggregates."),
        ("in_tree", "A provider whose tree supplies the group."),
    )
} | {
    name: {"type": "string", "description": f"{what} As in Placement 1.39."}
    for name, what in (
        ("group_policy", "none or isolate."),
        ("root_required", "Traits of the root."),
        ("same_subtree", "Suffixes of groups."),
    )
}


def explain(exchange: Exchange) -> Response:
    """GET /v1/why/candidates"""
    query = exchange.services.read_candidates(exchange.actor, exchange.request.query)
    funnel = exchange.read(explain_candidates, query)
    emptied = next((stage for stage in funnel.stages if stage.remaining == 0), None)
    return json_answer(
        {
            "total": funnel.total,
            "stages": [
                {
                    "parameter": stage.condition.parameter,
                    "value": stage.condition.value,
                    "remaining": stage.remaining,
                }
                for stage in funnel.stages
            ],
            "emptied_by": None if emptied is None else str(emptied.condition),
            "complete": funnel.complete,
        }
    )
