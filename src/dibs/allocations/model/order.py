"""The order of the queue by fair share: the project that had least for its weight comes next.

Each entry has a *turn*, and the lowest comes first:

    (average + PRESENT x (nodes that the project has + nodes of its equal entries ahead + 1/2)) / weight

The average number of nodes that a project had lately decides in the long run. What it has now, and what its entries
ahead will take, let projects alternate while the average has not changed yet. Entries with other requirements do not
count as ahead: one that no node suits must not hold up the rest of its project.

No entry waits for ever: after PATIENCE half-lives its turn is halved with each further half-life. A turn is bounded by
the number of nodes and the weights, so an entry is overtaken only by those that come within a bounded time after it.
"""

from collections import Counter
from collections.abc import Iterable, Mapping

from dibs.allocations.model.allocations import Requirements
from dibs.allocations.model.queue import WaitingEntry
from dibs.quotas.model.shares import NO_PROJECT, Standing

PRESENT = 0.05
"""What a node that a project has now counts, compared with one that it had on the average. A large value rounds the
shares of a small fleet to whole nodes."""

PATIENCE = 2
"""The number of half-lives after which an entry that waits rises."""


def in_fair_order(
    entries: Iterable[WaitingEntry], standings: Mapping[str, Standing], now: int, half_life: int
) -> list[WaitingEntry]:
    """Return entries in the order of their turns; those of equal turns, and of one project, by their age.

    An entry of a project without a standing is left out: it came after the standings were read.
    """
    ahead: Counter[Requirements] = Counter()
    turns: list[tuple[float, int, WaitingEntry]] = []
    for entry in sorted(entries, key=lambda each: each.id):
        standing = standings.get(entry.requirements.owner or NO_PROJECT)
        if standing is not None:
            held = standing.nodes + ahead[entry.requirements] + 0.5
            share = (standing.average + PRESENT * held) / standing.weight
            turns.append((share * _impatience(entry, now, half_life), entry.id, entry))
            ahead[entry.requirements] += entry.count
    return [entry for _, _, entry in sorted(turns, key=lambda each: each[:2])]


def _impatience(entry: WaitingEntry, now: int, half_life: int) -> float:
    """Return the factor of an entry's turn, which falls while the entry waits too long."""
    waited = max(now - entry.created_at, 0) / half_life
    return float(0.5 ** max(waited - PATIENCE, 0.0))
