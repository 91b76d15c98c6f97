"""Allocations: create one or a batch, wait in the queue, release."""

import contextlib
import uuid
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal

from openstack import exceptions, proxy
from openstack.connection import Connection

from dibs.client.allocation_resource import Allocation, check_same_allocation, failure_of
from dibs.client.arguments import Names, names_in
from dibs.client.baremetal_calls import BaremetalCalls
from dibs.client.errors import Conflict, NotFound, dibs_errors, each_or_error
from dibs.client.keep_alive import KEEP_ALIVE_SECONDS, KeepAlive
from dibs.client.polling import ProgressCallback, polls
from dibs.client.results import LatestEnd

VERSION = "1.60"
PAGE = 1_000
RELEASE_SECONDS = 1_800
"""The time limit for the undeploy and cleaning of a node."""
_DEPLOYED = frozenset(
    {"active", "deploy failed", "wait call-back", "error", "rescue", "rescue failed", "service failed"}
)
"""Provision states in which a node must be undeployed before its allocation can be deleted."""


class Allocations(BaremetalCalls):
    """The calls of ``dibs.allocations``."""

    def __init__(self, connection: Connection, native: proxy.Proxy) -> None:
        super().__init__(connection)
        self._native = native

    def create(
        self,
        resource_class: str,
        *,
        name: str | None = None,
        uuid: str | None = None,
        traits: Names = (),
        candidate_nodes: Names = (),
        extra: Mapping[str, Any] | None = None,
        owner: str | None = None,
        sticky: bool = False,
        wait_seconds: float | None = None,
        keep_alive: int | None = None,
        lifetime: int | None = None,
        until: datetime | None = None,
    ) -> Allocation:
        """Create an allocation and return it at once, before it has a node: see ``wait``.

        ``candidate_nodes`` are uuids or names. With ``wait_seconds`` it waits in the queue instead of failing at once.
        With ``keep_alive`` the server ends it when no heartbeat arrives for this number of seconds: see ``kept_alive``.
        It ends ``lifetime`` seconds after it has got its node, or at ``until``: see ``renew``.
        With a ``name``, a repeated call returns the same allocation, retries it if it has failed, or raises
        AlreadyDifferent if the existing one differs.
        """
        return self.create_or_find(
            resource_class,
            name=name,
            uuid=uuid,
            traits=traits,
            candidate_nodes=candidate_nodes,
            extra=extra,
            owner=owner,
            sticky=sticky,
            wait_seconds=wait_seconds,
            keep_alive=keep_alive,
            lifetime=lifetime,
            until=until,
        )[0]

    def create_or_find(
        self,
        resource_class: str,
        *,
        name: str | None = None,
        uuid: str | None = None,
        traits: Names = (),
        candidate_nodes: Names = (),
        extra: Mapping[str, Any] | None = None,
        owner: str | None = None,
        sticky: bool = False,
        wait_seconds: float | None = None,
        keep_alive: int | None = None,
        lifetime: int | None = None,
        until: datetime | None = None,
    ) -> tuple[Allocation, bool]:
        """Do as ``create``; also return whether this call created or retried the allocation."""
        body = _body(
            resource_class,
            name=name,
            uuid=uuid,
            traits=traits,
            candidate_nodes=candidate_nodes,
            extra=extra,
            owner=owner,
            sticky=sticky,
            wait_seconds=wait_seconds,
            keep_alive_seconds=keep_alive,
            lifetime=lifetime,
            until=_text(until),
        )
        return self._create_or_find(body)

    def create_many(
        self,
        resource_class: str,
        count: int,
        *,
        traits: Names = (),
        candidate_nodes: Names = (),
        extra: Mapping[str, Any] | None = None,
        owner: str | None = None,
        sticky: bool = False,
        wait_seconds: float | None = None,
        keep_alive: int | None = None,
        lifetime: int | None = None,
        until: datetime | None = None,
    ) -> Sequence[Allocation]:
        """Create a batch of allocations: all get their nodes in the same transaction, or none."""
        body = _body(
            resource_class,
            count=count,
            traits=traits,
            candidate_nodes=candidate_nodes,
            extra=extra,
            owner=owner,
            sticky=sticky,
            wait_seconds=wait_seconds,
            keep_alive_seconds=keep_alive,
            lifetime=lifetime,
            until=_text(until),
        )
        return self._post(body)

    def list(
        self,
        *,
        state: Literal["allocating", "active", "error"] | None = None,
        resource_class: str | None = None,
        batch: str | None = None,
    ) -> Iterator[Allocation]:
        """List the allocations that the user may see, oldest first; ``batch`` excludes the other filters."""
        filters = {"state": state, "resource_class": resource_class, "batch": batch}
        query: dict[str, Any] = {name: value for name, value in filters.items() if value is not None}
        if batch is None:
            query["limit"] = PAGE
        return each_or_error(Allocation.list(self._native, paginated=batch is None, **query))

    @dibs_errors()
    def get(self, allocation: str) -> Allocation:
        """Return an allocation by uuid or name."""
        return Allocation.new(id=allocation).fetch(self._native)

    def retry(self, allocation: str, *, wait_seconds: float | None = None, keep_alive: int | None = None) -> Allocation:
        """Retry a failed allocation, with all others of its batch."""
        body = {"keep_alive_seconds": keep_alive} | ({} if wait_seconds is None else {"wait_seconds": wait_seconds})
        return self._act(allocation, "retry", body)

    def heartbeat(self, allocation: str, *, timeout: float | None = None) -> Allocation:
        """Keep an allocation alive, with all others of its batch; in state ``error`` it has ended meanwhile."""
        return self._act(allocation, "heartbeat", {}, timeout)

    def keep(self, allocation: str) -> Allocation:
        """Keep an allocation without any more heartbeats, until it is deleted."""
        return self._act(allocation, "heartbeat", {"keep_alive_seconds": None})

    def renew(self, allocation: str, *, lifetime: int | None = None, until: datetime | None = None) -> Allocation:
        """Give an allocation another end, in a number of seconds or at a time; by default its lifetime begins anew.

        Raise Conflict if its node is promised to another user from an earlier time on.
        """
        body = {"lifetime": lifetime, "until": _text(until)}
        return self._act(allocation, "renew", {name: value for name, value in body.items() if value is not None})

    @dibs_errors()
    def latest_end(self, allocation: str) -> LatestEnd:
        """Return how long an allocation can be kept at most."""
        answer = self._native.get(f"/allocations/{allocation}/latest-end")
        exceptions.raise_from_response(answer)
        return LatestEnd.read(answer.json())

    def kept_alive(self, allocation: Allocation) -> KeepAlive:
        """Send heartbeats during a ``with`` block, for this allocation and its batch.

        If the server ends the allocation, the end of the block raises AllocationFailed with the reason.
        """
        if allocation.keep_alive_seconds is None:
            raise ValueError(f"Allocation {allocation.name or allocation.id} needs no heartbeats.")
        return KeepAlive(
            allocation.name or allocation.id,
            allocation.keep_alive_seconds,
            lambda seconds: self.heartbeat(allocation.id, timeout=seconds),
        )

    @dibs_errors()
    def wait(
        self,
        allocations: Sequence[Allocation],
        *,
        timeout: float | None = None,
        progress: ProgressCallback | None = None,
    ) -> Sequence[Allocation]:
        """Wait until all allocations have their nodes; raise AllocationFailed with the reason if one fails.

        Raise TimedOut after the timeout, when the allocations stay in the queue, and when the ``wait_seconds``
        of the allocations are over.
        """
        count = "a node" if len(allocations) == 1 else f"{len(allocations)} nodes"
        for _ in polls(f"{count} of class {allocations[0].resource_class}", timeout, progress):
            allocations = self._refresh(allocations)
            failed = next((each for each in allocations if each.state == "error"), None)
            if failed is not None:
                raise failure_of(failed)
            if all(each.state == "active" for each in allocations):
                break
        return allocations

    @dibs_errors()
    def delete(self, allocation: str) -> None:
        """Delete an allocation and release its node; refused while the node is deployed: see ``release``."""
        path = f"/allocations/{allocation}"
        answer = self._baremetal.delete(path, microversion=VERSION, retriable_status_codes=[503])
        exceptions.raise_from_response(answer)

    @dibs_errors()
    def release(
        self, allocation: str, *, timeout: float | None = RELEASE_SECONDS, progress: ProgressCallback | None = None
    ) -> None:
        """Delete an allocation in any state; undeploy its node first if needed. Ignore a missing allocation."""
        for _ in polls(f"the release of allocation {allocation}", timeout, progress):
            try:
                self.delete(allocation)
            except NotFound:
                return
            except Conflict:
                # The node is deployed, or locked by a conductor.
                self._undeploy(allocation)
            else:
                return

    @contextlib.contextmanager
    def borrowed(
        self,
        resource_class: str,
        *,
        count: int = 1,
        name: str | None = None,
        traits: Names = (),
        candidate_nodes: Names = (),
        extra: Mapping[str, Any] | None = None,
        owner: str | None = None,
        sticky: bool = False,
        wait_seconds: float | None = None,
        keep_alive: int = KEEP_ALIVE_SECONDS,
        timeout: float | None = None,
        progress: ProgressCallback | None = None,
    ) -> Iterator[Sequence[Allocation]]:
        """Allocate nodes for the duration of a ``with`` block; release them at its end, also after an error.

        If this process disappears, the server releases the nodes after ``keep_alive`` seconds. A thread sends
        heartbeats meanwhile; if the server ends the allocation all the same, because no heartbeat reached it, the end
        of the block raises AllocationFailed. A name that exists already is refused, because its allocation belongs to
        another client; one that has failed is retried.
        """
        if count > 1 and name is not None:
            raise TypeError("Only a single allocation can have a name.")
        body = _body(
            resource_class,
            name=name,
            traits=traits,
            candidate_nodes=candidate_nodes,
            extra=extra,
            owner=owner,
            sticky=sticky,
            wait_seconds=wait_seconds,
            keep_alive_seconds=keep_alive,
        )
        # The client chooses the uuid, so that it can delete the allocation even if the response is lost.
        ours = {str(uuid.uuid4())} if count == 1 else set[str]()
        try:
            created = self._create_own({**body, "uuid": min(ours)}) if ours else self._post({**body, "count": count})
            ours = {each.id for each in created}
            with self.kept_alive(created[0]):
                yield self.wait(created, timeout=timeout, progress=progress)
        finally:
            for each in sorted(ours):
                self.release(each, progress=progress)

    @dibs_errors()
    def _post(self, body: Mapping[str, Any]) -> Sequence[Allocation]:
        answer = self._native.post("/allocations", json=body)
        exceptions.raise_from_response(answer)
        return [Allocation.existing(**each) for each in answer.json()["allocations"]]

    @dibs_errors()
    def _act(self, allocation: str, action: str, body: Mapping[str, Any], timeout: float | None = None) -> Allocation:
        answer = self._native.post(f"/allocations/{allocation}/{action}", json=body, timeout=timeout)
        exceptions.raise_from_response(answer)
        return Allocation.existing(**answer.json())

    def _create_own(self, body: Mapping[str, Any]) -> Sequence[Allocation]:
        allocation, is_own = self._create_or_find(body)
        if not is_own:
            raise Conflict(f"Allocation {allocation.name} already exists. It is kept.")
        return [allocation]

    @dibs_errors()
    def _create_or_find(self, body: Mapping[str, Any]) -> tuple[Allocation, bool]:
        try:
            (created,) = self._post(body)
        except Conflict:
            found = self._find(body.get("name"))
            if found is None:
                raise
            requested = {**body, "candidate_nodes": [self._uuid_of(node) for node in body.get("candidate_nodes", ())]}
            check_same_allocation(found.name, requested, found)
            return self._retry_failed(found, body.get("wait_seconds"), body.get("keep_alive_seconds"))
        return created, True

    def _retry_failed(
        self, found: Allocation, wait_seconds: float | None, keep_alive: int | None
    ) -> tuple[Allocation, bool]:
        if found.state != "error":
            return found, False
        try:
            return self.retry(found.id, wait_seconds=wait_seconds, keep_alive=keep_alive), True
        except Conflict:
            # Another client has retried it meanwhile.
            return self.get(found.id), False

    def _find(self, name: str | None) -> Allocation | None:
        try:
            return None if name is None else self.get(name)
        except NotFound:
            return None

    def _refresh(self, allocations: Sequence[Allocation]) -> Sequence[Allocation]:
        batch = allocations[0].batch
        if batch is None:
            return [self.get(each.id) for each in allocations]
        return list(self.list(batch=batch))

    def _undeploy(self, allocation: str) -> None:
        with contextlib.suppress(exceptions.NotFoundException, exceptions.ConflictException):
            node = self._baremetal.get_node(self.get(allocation).node_id or "")
            if node.provision_state in _DEPLOYED and node.reservation is None:
                self._baremetal.set_node_provision_state(node, "deleted")


def _text(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()


def _body(resource_class: str, *, traits: Names, candidate_nodes: Names, **values: Any) -> dict[str, Any]:
    """Return the body of a request; values that are not given are left to the server."""
    names = {"traits": names_in("traits", traits), "candidate_nodes": names_in("candidate_nodes", candidate_nodes)}
    given = {name: value for name, value in (names | values).items() if value is not None and value != []}
    return {"resource_class": resource_class, **given}
