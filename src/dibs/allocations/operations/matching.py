"""Find nodes for a queue entry, or decide what happens to it without one; and find a node for a new allocation.

The conductor's path of an entry is queue → match → grant → outcome. A match is a read: it may look at every node of a
class, and no lock is held meanwhile. Its nodes are a hint that ``granting`` checks again under their locks, and
``creating`` the one for a new allocation.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import NamedTuple

from msgspec import Struct

from dibs.access.access import Access
from dibs.allocations.model.allocations import Allocation, Requirements
from dibs.allocations.model.outcomes import Outcome
from dibs.allocations.model.queue import QueueEntry, entry_of
from dibs.allocations.model.shortages import LACKS, LOCKED, PROMISED, explain_shortage, explain_wanted
from dibs.allocations.operations.creating import CreateAllocation
from dibs.allocations.operations.granting import Choice
from dibs.allocations.operations.queue import choose_nodes, promised_nodes
from dibs.allocations.queries import free_nodes, queue
from dibs.allocations.queries.free_nodes import FOUND_MAX
from dibs.allocations.queries.verdicts import count_reasons
from dibs.database.transaction import Transaction
from dibs.machines.queries import nodes
from dibs.quotas.model.rooms import Room
from dibs.quotas.operations.shares import half_life_of
from dibs.quotas.operations.sources import read_rooms


class MatchEntry(Struct, frozen=True, kw_only=True):
    """Find nodes for an entry; the seed decides which are tried first."""

    entry: QueueEntry
    seed: int = 0
    retry: bool = True
    """False fails the entry when its only nodes are locked or promised: it has been retried often enough."""


class MatchTogether(Struct, frozen=True, kw_only=True):
    """Find nodes for many entries at once; the seed decides where the search begins."""

    entries: tuple[QueueEntry, ...]
    seed: int = 0


class FindNode(Struct, frozen=True, kw_only=True):
    """Find a node for an allocation before it is created, from a point (0 to 1) of all nodes on."""

    command: CreateAllocation
    point: float


class Match(NamedTuple):
    """Nodes to try, or the outcome for an entry that found too few."""

    choices: Sequence[tuple[str, ...]] = ()
    """Uuids, one for each allocation of the entry, to be tried in this sequence; each in the order of node ids."""
    outcome: Outcome | None = None
    """None when there are choices."""
    reason: str = ""
    """Why the entry fails."""


def match_entry(tx: Transaction, access: Access, now: int, command: MatchEntry) -> Match:
    """Return free nodes that no entry ahead takes, or whether the entry waits, is retried or fails."""
    wanted = queue.open_allocations(tx, command.entry)
    if not wanted:
        return Match(outcome=Outcome.SETTLED)
    chance = Random(command.seed)  # noqa: S311 - not a secret
    first = wanted[0]
    room = read_room(tx, now, first.owner)
    end = first.lifetime.end_from(now)
    exceeded = room.reason_against(first.resource_class, len(wanted), now, end) if room is not None else None
    if exceeded is not None:
        waits = first.waits(now)
        return Match(outcome=Outcome.WAITING if waits else Outcome.FAILED, reason="" if waits else str(exceeded))
    promised = promised_nodes(tx, now, entry_of(wanted, now))
    # Enough remain even if the entry accepts every promised node. A batch is counted from the first node on.
    found_max = len(promised) + len(wanted) + FOUND_MAX
    found = free_nodes.search(tx, first.requirements, 0.0 if command.entry.batch else chance.random(), found_max)
    available = [uuid for uuid in found if uuid not in promised]
    if len(available) < len(wanted):
        return _too_few(tx, now, command, wanted, len(available))
    if command.entry.batch:
        # In the order of node ids, in which they are locked.
        chosen = sorted(chance.sample(range(len(available)), len(wanted)))
        return Match(choices=[tuple(available[index] for index in chosen)])
    chance.shuffle(available)
    # "db-1" gets the machine "db-1" when it is available.
    preferred = [uuid for uuid in _namesakes(tx, wanted).values() if uuid not in promised]
    return Match(choices=[(uuid,) for uuid in dict.fromkeys([*preferred, *available])])


def match_together(tx: Transaction, access: Access, now: int, command: MatchTogether) -> tuple[Choice, ...]:
    """Return a free node for each of many entries; those that find none, and batches, are matched one by one.

    Where fair share orders the queue, all are: each grant changes the order.
    """
    if half_life_of(tx) is not None:
        return ()
    singles = {entry.key: entry for entry in command.entries if not entry.batch}
    wanted = {key: found[0] for key, found in queue.open_of_entries(tx, list(singles.values())).items()}
    if not wanted:
        return ()
    chance = Random(command.seed)  # noqa: S311 - not a secret
    entries = [entry_of([each], now) for each in wanted.values()]
    chosen = choose_nodes(tx, now, entries, _namesakes(tx, wanted.values()), chance.random())
    return tuple(Choice(singles[key], nodes) for key, nodes in chosen.items())


def find_node(tx: Transaction, access: Access, now: int, command: FindNode) -> str | None:
    """Return the uuid of a free node; None leaves the allocation to the queue.

    ``create_allocation`` checks the rights and the values of the client, and whether an entry ahead takes the node.
    """
    asked = command.command
    known = nodes.get_many(tx, asked.candidate_nodes)
    # With fair share, the grant must lock the share of the project before it looks at the order of the queue.
    if asked.node or asked.hold or len(known) < len(asked.candidate_nodes) or half_life_of(tx) is not None:
        return None
    candidates = tuple(node.uuid for node in known.values())
    required = Requirements(
        resource_class=asked.resource_class, traits=asked.traits, candidate_nodes=candidates, owner=asked.owner
    )
    room = read_room(tx, now, required.owner)
    end = asked.lifetime.end_from(now)
    if room is not None and room.reason_against(required.resource_class, 1, now, end) is not None:
        return None
    # "db-1" gets the machine "db-1" when it is available.
    named = free_nodes.named(tx, required, [asked.name]).values() if asked.name is not None else ()
    found = [*named] or free_nodes.search(tx, required, command.point, 1)
    return found[0] if found else None


def _namesakes(tx: Transaction, wanted: Iterable[Allocation]) -> dict[str, str]:
    """Return the free node with the name of each allocation, by the allocation's uuid."""
    named = defaultdict[Requirements, dict[str, str]](dict)
    for each in wanted:
        if each.name is not None:
            named[each.requirements][each.name] = each.uuid
    return {
        uuids[name]: node
        for required, uuids in named.items()
        for name, node in free_nodes.named(tx, required, list(uuids)).items()
    }


def read_room(tx: Transaction, now: int, project: str | None) -> Room | None:
    """Return what the quota of a project leaves to it; None without a project or a quota."""
    return read_rooms(tx, now, [project]).get(project) if project is not None else None


def _too_few(tx: Transaction, now: int, command: MatchEntry, wanted: Sequence[Allocation], available: int) -> Match:
    reasons = count_reasons(tx, wanted[0].requirements)
    possible = sum(count for reason, count in reasons.items() if not reason.startswith(LACKS))
    # Waiting adds no nodes of the right kind, and a batch that waits in vain would keep its nodes from others.
    if wanted[0].waits(now) and not (command.entry.batch and possible < len(wanted)):
        return Match(outcome=Outcome.WAITING)
    passing = LOCKED in reasons or reasons.get(PROMISED, 0) > available
    if passing and command.retry and possible >= len(wanted):
        return Match(outcome=Outcome.RETRY)
    return Match(outcome=Outcome.FAILED, reason=_explain(command.entry, wanted, reasons, available))


def _explain(entry: QueueEntry, wanted: Sequence[Allocation], reasons: Mapping[str, int], available: int) -> str:
    required = wanted[0].requirements
    if not entry.batch:
        return explain_shortage(required, reasons)
    others = {name: count for name, count in reasons.items() if name != PROMISED}
    return explain_wanted(required, others, len(wanted), available)
