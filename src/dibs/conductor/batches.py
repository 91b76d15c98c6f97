"""Serves requests that want their nodes together: one transaction gives all of them, or none."""

import random

from dibs.conductor.worker import Session
from dibs.domain.actor import SERVICE
from dibs.domain.errors import InstanceAssociated, NodeClaimed
from dibs.usecases.request_batches import (
    FailBatch,
    ServeBatch,
    TryNodes,
    fail_batch,
    find_nodes_for_batch,
    judge_batch,
    list_due_batches,
    try_nodes,
)
from dibs.usecases.runner import Runner
from dibs.usecases.serving import ListRequests, Outcome

LISTED_MAX = 1_000

ROUNDS_MAX = 100
"""How often one that always loses its nodes to others looks again before it lets the others go first."""


class Batches:
    """The batches of one conductor; the desk gives them threads."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner

    def due(self, session: Session) -> list[str]:
        """In random order: those that wait must not hide the others. Who is first in line is looked at for each."""
        found = self._runner.read(
            list_due_batches, SERVICE, ListRequests(incarnation=session.incarnation, count_max=LISTED_MAX)
        )
        random.shuffle(found)
        return found

    def find(self, batch: str, session: Session) -> Outcome:
        """Look for nodes and try to take them, until the batch is served, waits or fails."""
        for _ in range(ROUNDS_MAX):
            if session.ended.is_set():
                break
            seed = random.getrandbits(32)
            command = ServeBatch(batch=batch, incarnation=session.incarnation, seed=seed)
            nodes = self._runner.read(find_nodes_for_batch, SERVICE, command)
            if nodes and self._try(batch, nodes, session) is Outcome.SETTLED:
                return Outcome.SETTLED
            verdict = self._runner.read(judge_batch, SERVICE, command)
            if isinstance(verdict, str):
                self.fail(batch, session, verdict)
                return Outcome.SETTLED
            if verdict is not Outcome.AGAIN:
                return verdict
        return Outcome.LATER

    def fail(self, batch: str, session: Session, reason: str) -> None:
        """End all of it."""
        self._runner.write(fail_batch, SERVICE, FailBatch(batch=batch, incarnation=session.incarnation, reason=reason))

    def _try(self, batch: str, nodes: tuple[str, ...], session: Session) -> Outcome:
        try:
            return self._runner.write(
                try_nodes, SERVICE, TryNodes(batch=batch, incarnation=session.incarnation, nodes=nodes)
            )
        except NodeClaimed:
            return Outcome.LOST
        except InstanceAssociated as error:
            self.fail(batch, session, str(error))
            return Outcome.SETTLED
