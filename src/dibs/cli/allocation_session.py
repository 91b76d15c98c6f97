"""Create allocations, wait for their nodes, run a command with them, and release them on Ctrl-C or at the end."""

import contextlib
import json
import os
import subprocess
import time
import uuid
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TextIO

from msgspec import Struct

from dibs.cli.interrupts import Interrupts
from dibs.cli.wait_progress import WaitProgress

if TYPE_CHECKING:
    from dibs.client import Allocation, Dibs, Progress

LONGEST_WAIT_SECONDS = 30 * 24 * 3_600
"""The longest time that a server lets an allocation wait in the queue."""
GRACE_SECONDS = 30
"""How long the client waits for the outcome after the queue time of the allocation has ended."""
REASON_AGE_SECONDS = 5.0
"""The interval at which the reason for a wait is refreshed."""


class AllocationRequest(Struct, frozen=True, kw_only=True):
    """The arguments of ``dibs allocation create``."""

    resource_class: str
    count: int = 1
    wait: int | None = None
    """Seconds to wait in the queue; 0 waits for the outcome only, None does not wait at all."""
    options: Mapping[str, Any]
    """The other arguments of ``Allocations.create``."""


class AllocationSession:
    """One request for allocations. An interrupt deletes the allocations that it has created."""

    def __init__(self, dibs: "Dibs", request: AllocationRequest, stderr: TextIO) -> None:
        self._dibs = dibs
        self._request = request
        self._stderr = stderr
        # The client chooses the uuid, so that it can delete the allocation even if the response is lost.
        self._ours = {str(uuid.uuid4())} if request.count == 1 else set[str]()
        self._reason = ""
        self._reason_due = 0.0

    def create(self) -> "Sequence[Allocation]":
        """Create the allocations and wait as long as requested; delete them if interrupted."""
        with Interrupts() as interrupts:
            try:
                return self._create(interrupts)
            except KeyboardInterrupt:
                with interrupts.deferred():
                    self._release()
                raise

    def run(self, command: str, environment: Mapping[str, str]) -> int:
        """Run a shell command with the allocated nodes, release them, and return the command's exit code."""
        with Interrupts() as interrupts:
            try:
                allocations = self._create(interrupts, must_wait=True)
                # An allocation of that name that existed before is in use by another client.
                self._refuse_existing(allocations)
                variables = {**os.environ, **environment, **self._variables(allocations)}
                with interrupts.deferred():
                    process = subprocess.Popen(command, shell=True, env=variables)  # noqa: S602 - the user's own command
                return interrupts.wait_for(process)
            finally:
                with interrupts.deferred():
                    self._release()

    def _create(self, interrupts: Interrupts, must_wait: bool = False) -> "Sequence[Allocation]":
        request = self._request
        options = {**request.options, "wait_seconds": request.wait or None}
        with interrupts.deferred():
            if self._ours:
                created: Sequence[Allocation] = [
                    self._dibs.allocations.create(request.resource_class, **{**options, "uuid": min(self._ours)})
                ]
            else:
                created = self._dibs.allocations.create_many(request.resource_class, request.count, **options)
                self._ours = {each.id for each in created}
        if request.wait is None and not must_wait:
            return created
        return self._wait(created)

    def _wait(self, created: "Sequence[Allocation]") -> "Sequence[Allocation]":
        from openstack import exceptions

        with WaitProgress(self._stderr) as display:
            try:
                return self._dibs.allocations.wait(
                    created,
                    timeout=(self._request.wait or 0) + GRACE_SECONDS,
                    progress=lambda progress: display(progress, self._current_reason(progress)),
                )
            except exceptions.ResourceTimeout:
                # An allocation that stayed in the queue could get a node that no client uses.
                self._release(only_queued=True)
                raise

    def _current_reason(self, progress: "Progress") -> str:
        """Return why no node is available; the server is asked every few seconds, and not in the first second."""
        if progress.seconds >= 1.0 and time.monotonic() >= self._reason_due:
            options = self._request.options
            self._reason_due = time.monotonic() + REASON_AGE_SECONDS
            self._reason = self._dibs.why(
                self._request.resource_class,
                traits=options.get("traits") or (),
                candidate_nodes=options.get("candidate_nodes") or (),
                count=self._request.count,
            ).text
        return self._reason

    def _release(self, only_queued: bool = False) -> None:
        from openstack import exceptions

        for ident in sorted(self._ours):
            with contextlib.suppress(exceptions.NotFoundException), WaitProgress(self._stderr) as display:
                if not only_queued or self._dibs.allocations.get(ident).state == "allocating":
                    self._dibs.allocations.release(ident, progress=display)

    def _refuse_existing(self, allocations: "Sequence[Allocation]") -> None:
        from openstack import exceptions

        if not {each.id for each in allocations} <= self._ours:
            raise exceptions.SDKException(
                f"Allocation {allocations[0].name} already exists. The command was not run and the allocation is kept."
            )

    def _variables(self, allocations: "Sequence[Allocation]") -> dict[str, str]:
        """Return the environment variables of the command; of several nodes, the details of the first only."""
        nodes = [self._dibs.nodes.get(each.node_id or "") for each in allocations]
        first = nodes[0]
        return {
            "DIBS_ALLOCATION_UUID": allocations[0].id,
            "DIBS_ALLOCATION_UUIDS": " ".join(each.id for each in allocations),
            "DIBS_RESOURCE_CLASS": allocations[0].resource_class,
            "DIBS_NODE_UUID": first.id,
            "DIBS_NODE_NAME": first.name or "",
            "DIBS_NODE_TRAITS": " ".join(sorted(first.traits or ())),
            "DIBS_NODE_PROPERTIES": json.dumps(first.properties or {}),
            "DIBS_NODE_EXTRA": json.dumps(first.extra or {}),
            "DIBS_NODE_UUIDS": " ".join(node.id for node in nodes),
            "DIBS_NODE_NAMES": " ".join(node.name or node.id for node in nodes),
        }
