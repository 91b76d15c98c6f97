"""Create allocations, wait for their nodes, run a command with them, and release them on Ctrl-C or at the end."""

import contextlib
import json
import os
import signal
import subprocess
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, TextIO

from msgspec import Struct, field

from dibs.cli.interrupts import Interrupts, check_readers
from dibs.cli.wait_progress import WaitProgress

if TYPE_CHECKING:
    from dibs.client import Allocation, Dibs, Node, Progress

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
    keep_alive: int = 300
    """Seconds after which the server ends the allocation if this process has disappeared."""
    name: str | None = None
    traits: list[str] = field(default_factory=list)
    candidate_nodes: list[str] = field(default_factory=list)
    extra: Mapping[str, Any] = field(default_factory=dict)
    owner: str | None = None
    sticky: bool = False
    lifetime: int | None = None
    until: datetime | None = None


class AllocationSession:
    """One request for allocations. An error, a signal or a closed pipe deletes the allocations that it has created."""

    def __init__(self, dibs: "Dibs", request: AllocationRequest, stdout: TextIO, stderr: TextIO) -> None:
        self._dibs = dibs
        self._request = request
        self._stdout = stdout
        self._stderr = stderr
        # The client chooses the uuid, so that it can delete the allocation even if the response is lost.
        self._ours = {str(uuid.uuid4())} if request.count == 1 else set[str]()
        self._kept_alive = False
        self._reason = ""
        self._reason_due = 0.0

    def create(self, show: "Callable[[Sequence[Allocation]], None]") -> None:
        """Create the allocations, wait as long as requested, and show them.

        The allocations need heartbeats until they are shown: a user who does not see them would not delete them.
        """
        with Interrupts() as interrupts, self._released_after_errors(interrupts):
            if self._request.wait is None:
                show(self._create(interrupts, keep_alive=None))
                return
            created = self._create(interrupts, self._request.keep_alive)
            with self._heartbeats(created):
                show(self._wait(created))
                with interrupts.deferred():
                    if self._kept_alive:
                        self._dibs.allocations.keep(created[0].id)

    def run(self, command: str, environment: Mapping[str, str]) -> int:
        """Run a shell command with the allocated nodes, release them, and return the command's exit code."""
        with Interrupts() as interrupts:
            with self._released_after_errors(interrupts, failed_too=True):
                created = self._create(interrupts, self._request.keep_alive)
                # An allocation of that name that existed before is in use by another client.
                self._refuse_existing(created)
                with self._dibs.allocations.kept_alive(created[0]) as kept:
                    given = self._wait(created)
                    nodes = [self._dibs.nodes.get(each.node_id or "") for each in given]
                    print(_announcement(nodes), file=self._stderr, flush=True)
                    variables = {**os.environ, **environment, **_variables(given, nodes)}
                    with interrupts.deferred():
                        process = subprocess.Popen(command, shell=True, env=variables)  # noqa: S602 - the user's own
                    # SIGHUP, because an interactive shell ignores SIGTERM.
                    kept.when_ended(lambda: process.send_signal(signal.SIGHUP))
                    status = interrupts.wait_for(process)
            with interrupts.deferred():
                self._release()
            return status

    @contextlib.contextmanager
    def _released_after_errors(self, interrupts: Interrupts, failed_too: bool = False) -> Iterator[None]:
        """Release the allocations if the block raises; a failed allocation stays for a retry unless ``failed_too``."""
        from dibs.client.errors import AllocationFailed, DibsError, TimedOut

        try:
            yield
        except BaseException as error:
            if failed_too or not isinstance(error, AllocationFailed | TimedOut):
                with interrupts.deferred(), contextlib.suppress(DibsError):
                    self._release()
            raise

    def _create(self, interrupts: Interrupts, keep_alive: int | None) -> "Sequence[Allocation]":
        request = self._request
        created: Sequence[Allocation]
        with interrupts.deferred():
            if request.count == 1:
                allocation, is_ours = self._dibs.allocations.create_or_find(
                    request.resource_class,
                    name=request.name,
                    uuid=min(self._ours),
                    traits=request.traits,
                    candidate_nodes=request.candidate_nodes,
                    extra=request.extra,
                    owner=request.owner,
                    sticky=request.sticky,
                    wait_seconds=request.wait or None,
                    keep_alive=keep_alive,
                    lifetime=request.lifetime,
                    until=request.until,
                )
                created, self._ours = [allocation], {allocation.id} if is_ours else set()
            else:
                created = self._dibs.allocations.create_many(
                    request.resource_class,
                    request.count,
                    traits=request.traits,
                    candidate_nodes=request.candidate_nodes,
                    extra=request.extra,
                    owner=request.owner,
                    sticky=request.sticky,
                    wait_seconds=request.wait or None,
                    keep_alive=keep_alive,
                    lifetime=request.lifetime,
                    until=request.until,
                )
                self._ours = {each.id for each in created}
            self._kept_alive = created[0].keep_alive_seconds is not None
        return created

    def _heartbeats(self, created: "Sequence[Allocation]") -> "contextlib.AbstractContextManager[Any]":
        """Send heartbeats, also for an existing allocation: its former client may have been killed."""
        return self._dibs.allocations.kept_alive(created[0]) if self._kept_alive else contextlib.nullcontext()

    def _wait(self, created: "Sequence[Allocation]") -> "Sequence[Allocation]":
        from dibs.client.errors import TimedOut

        with WaitProgress(self._stderr) as display:

            def show(progress: "Progress") -> None:
                check_readers(self._stdout, self._stderr)
                display(progress, self._current_reason(progress))

            try:
                return self._dibs.allocations.wait(
                    created, timeout=(self._request.wait or 0) + GRACE_SECONDS, progress=show
                )
            except TimedOut:
                # An allocation that stayed in the queue could get a node that no client uses.
                self._release(only_queued=True)
                raise

    def _current_reason(self, progress: "Progress") -> str:
        """Return why no node is available; the server is asked every few seconds, and not in the first second."""
        if progress.seconds >= 1.0 and time.monotonic() >= self._reason_due:
            self._reason_due = time.monotonic() + REASON_AGE_SECONDS
            self._reason = self._dibs.why(
                self._request.resource_class,
                traits=self._request.traits,
                candidate_nodes=self._request.candidate_nodes,
                count=self._request.count,
            ).text
        return self._reason

    def _release(self, only_queued: bool = False) -> None:
        from dibs.client.errors import DibsError, NotFound

        for ident in sorted(self._ours):
            try:
                if not only_queued or self._dibs.allocations.get(ident).state == "allocating":
                    self._release_one(ident)
            except NotFound:
                continue
            except DibsError:
                if self._kept_alive:
                    self._say(f"Allocation {ident} was not deleted. It ends in {self._request.keep_alive} seconds.")
                raise

    def _release_one(self, ident: str) -> None:
        from dibs.client.errors import DibsError

        try:
            with WaitProgress(self._stderr) as display:
                self._dibs.allocations.release(ident, progress=display)
        except DibsError:
            raise
        except OSError:
            # The terminal or the pipe is closed, so there is no progress to show.
            self._dibs.allocations.release(ident)

    def _say(self, text: str) -> None:
        with contextlib.suppress(OSError):
            print(text, file=self._stderr, flush=True)

    def _refuse_existing(self, allocations: "Sequence[Allocation]") -> None:
        from dibs.client.errors import Conflict

        if not self._ours:
            raise Conflict(
                f"Allocation {allocations[0].name} already exists. The command was not run and the allocation is kept."
            )


def _announcement(nodes: "Sequence[Node]") -> str:
    names = ", ".join(f"{node.name} ({node.id})" if node.name else node.id for node in nodes)
    return f"Allocated {'node' if len(nodes) == 1 else 'nodes'} {names}; released when the command ends."


def _variables(allocations: "Sequence[Allocation]", nodes: "Sequence[Node]") -> dict[str, str]:
    """Return the environment variables of the command; of several nodes, the details of the first only."""
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
