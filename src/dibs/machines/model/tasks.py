"""A piece of work on a node, waiting for a conductor or being done by one."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dibs.machines.model.nodes import Json

ATTEMPTS_MAX = 3
"""How often work is begun before the node fails visibly: what kills one conductor must not go on to kill them all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What is to be done to a node. A node has at most one."""

    node_id: int
    conductor_id: int
    runner: str | None
    """The incarnation of the conductor that does it just now; None while nobody does."""
    work: str
    arguments: Json
    """What was asked for, and under ``progress`` what the driver wants to be told when it goes on."""
    attempts: int
    due_at: int
    created_at: int

    @property
    def progress(self) -> Mapping[str, Any]:
        """What the driver left for itself when it paused."""
        progress: Mapping[str, Any] = self.arguments.get("progress", {})
        return progress
