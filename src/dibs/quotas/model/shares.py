"""Shares: how much of the nodes each project had lately, and its weight against the others.

What counts is the average number of nodes that a project had, in which a moment counts half as much after each
half-life: its node-seconds with exponential decay, divided by those of one node that is always in use.
"""

from msgspec import Struct

NO_PROJECT = ""
"""Stands for allocations and claims without a project, which have one share together."""

WEIGHT_DEFAULT = 1
WEIGHT_MAX = 1_000

FORGOTTEN_AFTER = 20
"""After this number of half-lives, less than a millionth is left of what a project had."""


class Share(Struct, frozen=True, kw_only=True):
    """What a project had until a moment, and has had since."""

    project: str
    weight: int | None = None
    """None: nobody has set it, so it is WEIGHT_DEFAULT."""
    average: float = 0.0
    """The decayed average number of nodes at ``counted_at``."""
    nodes: int = 0
    """The number of nodes from ``counted_at`` on."""
    counted_at: int = 0

    def average_at(self, now: int, half_life: int) -> float:
        """Return the average at a later moment, if the number of nodes has not changed since."""
        kept = float(0.5 ** (max(now - self.counted_at, 0) / half_life))
        return self.average * kept + self.nodes * (1 - kept)

    def counted(self, now: int, half_life: int, nodes: int) -> "Share":
        """Return the share at a moment from which on the project has this number of nodes."""
        return Share(
            project=self.project,
            weight=self.weight,
            average=self.average_at(now, half_life),
            nodes=nodes,
            counted_at=now,
        )


class Standing(Struct, frozen=True, kw_only=True):
    """What decides the turn of a project now."""

    project: str
    weight: int = WEIGHT_DEFAULT
    average: float = 0.0
    """The decayed average number of nodes."""
    nodes: int = 0
    """The nodes that it has."""


def standing_of(share: Share | None, project: str, nodes: int, now: int, half_life: int) -> Standing:
    """Return the standing of a project that has this number of nodes now.

    A project without a share has had them for long: its share was forgotten, or is not counted yet.
    """
    if share is None:
        return Standing(project=project, average=float(nodes), nodes=nodes)
    return Standing(
        project=project,
        weight=share.weight or WEIGHT_DEFAULT,
        average=share.average_at(now, half_life),
        nodes=nodes,
    )
