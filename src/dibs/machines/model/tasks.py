"""A task: work on a node that waits for a conductor or runs on one."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from dibs.machines.model.nodes import Json

ATTEMPTS_MAX = 3
"""Attempts before the node fails visibly: a task that crashes one conductor must not crash them all in turn."""


class Task(Struct, frozen=True, kw_only=True):
    """The task of a node, which has at most one."""

    node_id: int
    conductor_id: int
    runner: str | None
    """The incarnation of the conductor that runs it; None while it waits."""
    work: str
    arguments: Json
    """The arguments of the request, and under ``progress`` what the driver stored for its next call."""
    attempts: int
    due_at: int
    created_at: int

    @property
    def progress(self) -> Mapping[str, Any]:
        """Return what the driver stored for its next call."""
        progress: Mapping[str, Any] = self.arguments.get("progress", {})
        return progress
