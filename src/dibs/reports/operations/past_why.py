"""Explain why nodes were not available at an earlier moment."""

from msgspec import Struct

from dibs.access.access import Access
from dibs.allocations.model.allocations import Requirements, check_resource_class
from dibs.allocations.model.shortages import FREE, explain_shortage, explain_wanted, reason_codes
from dibs.allocations.operations.why import ExplainNodes, Explanation
from dibs.database.transaction import Transaction
from dibs.errors import BadValue
from dibs.events.model.documents import format_time
from dibs.events.queries import histories
from dibs.events.queries.histories import Reach
from dibs.ledger.model.traits import check_traits
from dibs.machines.model.access import SEE_NODE, node_target
from dibs.machines.model.nodes import is_uuid
from dibs.reports.model.past_nodes import NODE, PastNodes, is_concerned
from dibs.reports.queries import past_nodes

EVENTS_MAX = 100_000
"""The latest events that are undone; a longer way back would take a request too long."""


class ExplainNodesAt(Struct, frozen=True, kw_only=True):
    """The nodes that an allocation would have asked for."""

    asked: ExplainNodes
    """Candidates are given by their uuids, or by the names that they had then."""
    moment: int


def explain_nodes_at(tx: Transaction, access: Access, now: int, command: ExplainNodesAt) -> Explanation:
    """Count the nodes that were free at a moment, and the others by the first reason against them. A read.

    Quotas, ends and offers are those of the present, so there are none of the past. The number of statements depends
    on nothing but how many nodes changed their class since.
    """
    asked = command.asked
    check_traits(asked.traits)
    check_resource_class(asked.resource_class)
    required = Requirements(
        resource_class=asked.resource_class,
        traits=tuple(dict.fromkeys(asked.traits)),
        candidate_nodes=tuple(ident.lower() if is_uuid(ident) else ident for ident in asked.candidate_nodes),
        owner=asked.owner,
    )
    past = _nodes_at(tx, _reach(tx, command.moment, now), required)
    reasons = past.count_reasons(required, _visible(access, past, required))
    free = reasons.pop(FREE, 0)
    fits = free >= asked.count
    return Explanation(
        fits=fits,
        free=free,
        reasons=reason_codes(required, reasons, missing=asked.count - free - sum(reasons.values())),
        text=explain_shortage(required, {FREE: free, **reasons})
        if fits
        else explain_wanted(required, reasons, asked.count, free),
        quota=None,
        earliest=None,
        offers=(),
    )


def _reach(tx: Transaction, moment: int, now: int) -> Reach:
    """Return where the changes after a moment begin; raise BadValue for one that the latest events do not reach."""
    if moment > now:
        raise BadValue(reason=f"The time {format_time(moment)} is in the future.")
    reach = histories.reach_back(tx, 0, EVENTS_MAX)
    if not 0 < reach.since <= moment:
        known = f"from {format_time(reach.since)} on" if reach.since else "for no time"
        raise BadValue(
            reason=f"The time {format_time(moment)} is too long ago: the past of nodes is known {known}. There are no "
            f"older events among the latest {EVENTS_MAX}, which are all that is read."
        )
    return Reach(reach.after_id, moment)


def _nodes_at(tx: Transaction, reach: Reach, required: Requirements) -> PastNodes:
    later = past_nodes.later(tx, reach)
    moved = {change.node for change in later if change.kind == NODE and "resource_class" in change.before}
    found = past_nodes.present(tx, required, moved)
    found.undo(later)
    return found


def _visible(access: Access, past: PastNodes, required: Requirements) -> list[str]:
    """Return the nodes that the request is about; a caller that names nodes learns only about those that it saw."""
    return [
        uuid
        for uuid, node in past.attributes.items()
        if is_concerned(uuid, node, required)
        and (
            not required.candidate_nodes or access.allows(SEE_NODE, node_target(node.get("owner"), node.get("lessee")))
        )
    ]
