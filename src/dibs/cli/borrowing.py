"""From a wish to a node, and back again when somebody presses Ctrl-C or a command has ended."""

import contextlib
import json
import os
import subprocess
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TextIO

from dibs.cli.interrupting import Interruptions
from dibs.cli.progress import ShownProgress

if TYPE_CHECKING:
    from dibs.client import Allocation, Dibs, Progress

WAIT_LONGEST = 30 * 24 * 3_600
"""The longest that a server lets anybody stand in line, in seconds."""
PATIENCE = 30
"""How much longer than promised a server is given for its last word."""
REASON_AGE = 5.0
"""How old the reasons may be that are shown while waiting."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What somebody wants."""

    resource_class: str
    count: int = 1
    wait: int | None = None
    """Seconds to stand in line; 0: only for the answer; None: not even that."""
    more: Mapping[str, Any]
    """Whatever else an allocation can be asked for."""


class Borrowing:
    """One wish on its way. What it was given is withdrawn when it is interrupted."""

    def __init__(self, dibs: "Dibs", wish: Wish, stderr: TextIO) -> None:
        self._dibs = dibs
        self._wish = wish
        self._stderr = stderr
        # Known before it is asked for, so that it can be withdrawn when the answer never arrives.
        self._ours = {str(uuid.uuid4())} if wish.count == 1 else set[str]()
        self._reason = ""
        self._reason_due = 0.0

    def ask(self) -> "Sequence[Allocation]":
        """Ask, and wait as long as the wish says; what is not asked for any more is withdrawn."""
        with Interruptions() as interruptions:
            try:
                return self._ask(interruptions)
            except KeyboardInterrupt:
                with interruptions.held_off():
                    self._withdraw()
                raise

    def run(self, command: str, environment: Mapping[str, str]) -> int:
        """Run a command with what was asked for, give it back, and give the command's exit code."""
        with Interruptions() as interruptions:
            try:
                given = self._ask(interruptions, must_wait=True)
                # An allocation of that name which was there before is somebody's already.
                self._refuse_what_is_not_ours(given)
                facts = {**os.environ, **environment, **self._facts(given)}
                with interruptions.held_off():
                    process = subprocess.Popen(command, shell=True, env=facts)  # noqa: S602 - it is the user's own
                return interruptions.wait_for(process)
            finally:
                with interruptions.held_off():
                    self._withdraw()

    def _ask(self, interruptions: Interruptions, must_wait: bool = False) -> "Sequence[Allocation]":
        wish = self._wish
        more = {**wish.more, "wait_seconds": wish.wait or None}
        with interruptions.held_off():
            if self._ours:
                asked: Sequence[Allocation] = [
                    self._dibs.allocations.create(wish.resource_class, **{**more, "uuid": min(self._ours)})
                ]
            else:
                asked = self._dibs.allocations.create_many(wish.resource_class, wish.count, **more)
                self._ours = {each.id for each in asked}
        if wish.wait is None and not must_wait:
            return asked
        return self._wait(asked)

    def _wait(self, asked: "Sequence[Allocation]") -> "Sequence[Allocation]":
        from openstack import exceptions

        with ShownProgress(self._stderr) as shown:
            try:
                return self._dibs.allocations.wait(
                    asked,
                    timeout=(self._wish.wait or 0) + PATIENCE,
                    progress=lambda progress: shown(progress, self._reasons(progress)),
                )
            except exceptions.ResourceTimeout:
                # Nobody would be there to take what it may still get.
                self._withdraw(only_waiting=True)
                raise

    def _reasons(self, progress: "Progress") -> str:
        """Why there is none yet; asked for now and then, and not at all in the first moment."""
        if progress.seconds >= 1.0 and time.monotonic() >= self._reason_due:
            more = self._wish.more
            self._reason_due = time.monotonic() + REASON_AGE
            self._reason = self._dibs.why(
                self._wish.resource_class,
                traits=more.get("traits") or (),
                candidate_nodes=more.get("candidate_nodes") or (),
                count=self._wish.count,
            ).text
        return self._reason

    def _withdraw(self, only_waiting: bool = False) -> None:
        from openstack import exceptions

        for ident in sorted(self._ours):
            with contextlib.suppress(exceptions.NotFoundException), ShownProgress(self._stderr) as shown:
                if not only_waiting or self._dibs.allocations.get(ident).state == "allocating":
                    self._dibs.allocations.give_back(ident, progress=shown)

    def _refuse_what_is_not_ours(self, given: "Sequence[Allocation]") -> None:
        from openstack import exceptions

        if not {each.id for each in given} <= self._ours:
            raise exceptions.SDKException(f"There is an allocation {given[0].name} already; it is not given back.")

    def _facts(self, given: "Sequence[Allocation]") -> dict[str, str]:
        """What a command finds in its environment; of several nodes, the first and the names of all."""
        nodes = [self._dibs.nodes.get(each.node_id or "") for each in given]
        first = nodes[0]
        return {
            "DIBS_ALLOCATION_UUID": given[0].id,
            "DIBS_ALLOCATION_UUIDS": " ".join(each.id for each in given),
            "DIBS_RESOURCE_CLASS": given[0].resource_class,
            "DIBS_NODE_UUID": first.id,
            "DIBS_NODE_NAME": first.name or "",
            "DIBS_NODE_TRAITS": " ".join(sorted(first.traits or ())),
            "DIBS_NODE_PROPERTIES": json.dumps(first.properties or {}),
            "DIBS_NODE_EXTRA": json.dumps(first.extra or {}),
            "DIBS_NODE_UUIDS": " ".join(node.id for node in nodes),
            "DIBS_NODE_NAMES": " ".join(node.name or node.id for node in nodes),
        }
