"""Draws the faults of a run from a seed: the same seed gives the same faults at the same times."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from tests.bed.galera import EVICTION_SECONDS
from tests.bed.proxy import At

PROCESS_FAULTS = ("kill-api", "freeze-api", "kill-conductor", "freeze-conductor", "pause-conductor", "jump-clock")
CONNECTION_FAULTS = (
    "cut",
    "delay",
    "truncate",
    "swallow",
    "commit-lost",
    "commit-answer-lost",
    "commit-answer-held",
)
DATABASE_FAULTS = {
    "sqlite": ("read-only", "full-disk"),
    "postgresql": ("kill-database", "freeze-database", *CONNECTION_FAULTS),
    "mariadb": ("kill-database", "freeze-database", *CONNECTION_FAULTS),
    "galera": ("kill-node", "freeze-node", "evict-node", "isolate-node", "restart-cluster", *CONNECTION_FAULTS),
    "patroni": (
        "kill-leader",
        "freeze-leader",
        "isolate-leader",
        "switch-over",
        "kill-member",
        "freeze-member",
        *CONNECTION_FAULTS,
    ),
}
ENGINES = tuple(DATABASE_FAULTS)

AT_COMMIT = {
    "commit-lost": At.LOSE_STATEMENT,
    "commit-answer-lost": At.LOSE_ANSWER,
    "commit-answer-held": At.HOLD_ANSWER,
}
"""What the proxy does to the connection that sends the next COMMIT."""

CONDUCTOR_TIMEOUT_SECONDS = 5.0
LENGTHS = {
    "freeze-api": (0.3, 3.0),
    "freeze-conductor": (0.3, 3.0),
    # Other conductors take over its work, and it goes on afterwards.
    "pause-conductor": (CONDUCTOR_TIMEOUT_SECONDS + 1, CONDUCTOR_TIMEOUT_SECONDS + 4),
    # Longer than the interval at which processes read the time of the database.
    "jump-clock": (1.0, 12.0),
    "kill-database": (0.0, 1.5),
    "freeze-database": (0.3, 4.0),
    "delay": (0.5, 3.0),
    "swallow": (0.3, 4.0),
    "read-only": (0.5, 2.0),
    "full-disk": (0.5, 2.0),
    "kill-node": (0.0, 1.5),
    "freeze-node": (0.3, EVICTION_SECONDS / 4),
    # The others exclude the node, and it has to join again.
    "evict-node": (EVICTION_SECONDS + 1, EVICTION_SECONDS + 4),
    "isolate-node": (1.0, EVICTION_SECONDS + 4),
    "restart-cluster": (0.0, 1.5),
    "kill-member": (0.0, 1.5),
    "freeze-member": (0.3, 4.0),
}
"""How long a fault lasts, in seconds; the others are momentary."""


@dataclass(frozen=True)
class Fault:
    """One fault: when it begins, in seconds after the start, and how long it lasts."""

    at: float
    kind: str
    seconds: float
    target: int
    """Which of several processes, modulo their number."""


def kinds_of(engine: str) -> tuple[str, ...]:
    """Return the faults that an engine can have."""
    return (*PROCESS_FAULTS, *DATABASE_FAULTS[engine])


def draw_faults(
    seed: int, engine: str, count: int, seconds: float, kinds: Sequence[str] = (), turn: int = 0
) -> list[Fault]:
    """Return the faults of one round, one after the other; each kind comes before one comes twice."""
    chance = random.Random(f"faults {seed} {turn}")
    chosen = list(kinds or kinds_of(engine))
    drawn: list[str] = []
    while len(drawn) < count:
        drawn += chance.sample(chosen, len(chosen))
    pause = seconds / (count + 1)
    faults = []
    for number, kind in enumerate(drawn[:count]):
        shortest, longest = LENGTHS.get(kind, (0.0, 0.0))
        at = pause * (number + chance.uniform(0.5, 1.0))
        faults.append(Fault(at, kind, chance.uniform(shortest, longest), chance.randrange(1_000)))
    return faults
