"""Why there is no node: reasons, as the queries count them, and how they read."""

from collections.abc import Mapping, Sequence

from dibs.allocations.model.allocations import Requirements

HELD, IN_USE, IN_MAINTENANCE, NOT_AVAILABLE = "held", "in use", "in maintenance", "not available"
RETIRED, POWER_UNKNOWN, LOCKED, PROMISED = "retired", "power unknown", "locked", "promised"
FREE, BOOKED, MISSING = "free", "booked", "missing"
LACKS = "lacks "
"""The prefix of the reason of nodes without a trait; the index of the trait follows."""

WORDS = {
    FREE: "free",
    IN_USE: "in use",
    HELD: "held by a reservation",
    BOOKED: "booked by a lease",
    IN_MAINTENANCE: "in maintenance",
    NOT_AVAILABLE: "not available",
    RETIRED: "retired",
    POWER_UNKNOWN: "with unknown power state",
    LOCKED: "locked",
    PROMISED: "promised to allocations ahead in the queue",
}


def explain_shortage(required: Requirements, counts: Mapping[str, int]) -> str:
    """Return the number of nodes per reason as a sentence: "3 nodes of class gold: 2 in use, 1 locked"."""
    total = sum(counts.values())
    noun = "candidate node" if required.candidate_nodes else "node"
    text = f"{total or 'no'} {noun}{'' if total == 1 else 's'} of class {required.resource_class}"
    if required.owner is not None:
        text += f" of project {required.owner}"
    reasons = [f"{count} {_words(reason, count, required.traits)}" for reason, count in _most_first(counts)]
    return f"{text}: {', '.join(reasons)}" if reasons else text


def explain_wanted(required: Requirements, counts: Mapping[str, int], wanted: int, free: int) -> str:
    """Return why this many nodes are not available together; ``counts`` has the nodes that are not free."""
    if wanted == 1:
        return explain_shortage(required, counts)
    text = f"{wanted} nodes wanted together, {free} free"
    return f"{text}; {explain_shortage(required, counts)}" if counts else text


def reason_codes(required: Requirements, counts: Mapping[str, int], missing: int = 0) -> dict[str, int]:
    """Return the number of nodes per code (``in_use``, ``lacks:CUSTOM_GPU`` …), most frequent first.

    ``missing`` is how many more nodes a client wants than there are, free or not.
    """
    codes = {_code(reason, required.traits): count for reason, count in _most_first(counts)}
    return {**codes, MISSING: missing} if missing > 0 else codes


def _most_first(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _code(reason: str, traits: Sequence[str]) -> str:
    if reason.startswith(LACKS):
        return f"lacks:{traits[int(reason.removeprefix(LACKS))]}"
    return reason.replace(" ", "_")


def _words(reason: str, count: int, traits: Sequence[str]) -> str:
    if reason.startswith(LACKS):
        return f"{'lacks' if count == 1 else 'lack'} {traits[int(reason.removeprefix(LACKS))]}"
    return WORDS[reason]
