"""Allocations: create one or a batch, wait in the queue, release."""

import contextlib
import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from openstack import exceptions, proxy, resource
from openstack.connection import Connection

from dibs.client.baremetal_calls import BaremetalCalls
from dibs.client.errors import check_same
from dibs.client.polling import ProgressCallback, polls

VERSION = "1.60"
PAGE = 1_000
RELEASE_SECONDS = 1_800
"""The time limit for the undeploy and cleaning of a node."""
_DEPLOYED = frozenset(
    {"active", "deploy failed", "wait call-back", "error", "rescue", "rescue failed", "service failed"}
)
"""Provision states in which a node must be undeployed before its allocation can be deleted."""


class Allocation(resource.Resource):
    """An allocation with the attribute names of openstacksdk and the additions of Dibs."""

    resources_key = "allocations"
    base_path = "/allocations"
    allow_fetch = True
    allow_list = True
    _query_mapping = resource.QueryParameters("state", "resource_class", "batch")

    id: str = resource.Body("uuid", alternate_id=True)
    name: str = resource.Body("name")
    state: str = resource.Body("state")
    resource_class: str = resource.Body("resource_class")
    traits: list[str] = resource.Body("traits", type=list)
    candidate_nodes: list[str] = resource.Body("candidate_nodes", type=list)
    owner: str | None = resource.Body("owner")
    extra: dict[str, Any] = resource.Body("extra", type=dict)
    node_id: str | None = resource.Body("node_uuid")
    last_error: str | None = resource.Body("last_error")
    #: Stays when its node is undeployed.
    sticky: bool = resource.Body("sticky", type=bool)
    #: The end of its time in the queue.
    wait_until: str | None = resource.Body("wait_until")
    #: Allocations of one batch get their nodes together or not at all.
    batch: str | None = resource.Body("batch")
    created_at: str = resource.Body("created_at")
    updated_at: str | None = resource.Body("updated_at")


class Allocations(BaremetalCalls):
    """The calls of ``dibs.allocations``."""

    def __init__(self, connection: Connection, native: proxy.Proxy) -> None:
        super().__init__(connection)
        self._native = native

    def create(self, resource_class: str, *, name: str | None = None, **options: Any) -> Allocation:
        """Create an allocation and return it at once, before it has a node: see ``wait``.

        Options: ``traits``, ``candidate_nodes`` (uuids or names), ``extra``, ``owner``, ``sticky``, ``uuid``, and
        ``wait_seconds`` to wait in the queue instead of failing at once. With a ``name``, a repeated call returns the
        same allocation, or raises AlreadyDifferent if the existing one differs.
        """
        body = _body(resource_class, options)
        try:
            (created,) = self._post(body if name is None else {**body, "name": name})
        except exceptions.ConflictException:
            found = self._find(name)
            if name is None or found is None:
                raise
            self._check_same(name, body, found)
            return found
        return created

    def create_many(self, resource_class: str, count: int, **options: Any) -> Sequence[Allocation]:
        """Create a batch of allocations: all get their nodes in the same transaction, or none."""
        return self._post({**_body(resource_class, options), "count": count})

    def list(self, **filters: str) -> Iterator[Allocation]:
        """List the allocations that the user may see, oldest first, by ``state``, ``resource_class`` or ``batch``."""
        query: dict[str, Any] = filters if "batch" in filters else {**filters, "limit": PAGE}
        return Allocation.list(self._native, paginated="limit" in query, **query)

    def get(self, allocation: str) -> Allocation:
        """Return an allocation by uuid or name."""
        return Allocation.new(id=allocation).fetch(self._native)

    def retry(self, allocation: str, *, wait_seconds: float | None = None) -> Allocation:
        """Retry a failed allocation, with all others of its batch."""
        body = {} if wait_seconds is None else {"wait_seconds": wait_seconds}
        answer = self._native.post(f"/allocations/{allocation}/retry", json=body)
        exceptions.raise_from_response(answer)
        return Allocation.existing(**answer.json())

    def wait(
        self,
        allocations: Sequence[Allocation],
        *,
        timeout: float | None = None,
        progress: ProgressCallback | None = None,
    ) -> Sequence[Allocation]:
        """Wait until all allocations have their nodes; raise ResourceFailure with the reason if one fails.

        Raise ResourceTimeout after the timeout, when the allocations stay in the queue, and when the ``wait_seconds``
        of the allocations are over.
        """
        count = "a node" if len(allocations) == 1 else f"{len(allocations)} nodes"
        for _ in polls(f"{count} of class {allocations[0].resource_class}", timeout, progress):
            allocations = self._refresh(allocations)
            failed = next((each for each in allocations if each.state == "error"), None)
            if failed is not None:
                raise _failure(failed)
            if all(each.state == "active" for each in allocations):
                break
        return allocations

    def delete(self, allocation: str) -> None:
        """Delete an allocation and release its node; refused while the node is deployed: see ``release``."""
        path = f"/allocations/{allocation}"
        answer = self._baremetal.delete(path, microversion=VERSION, retriable_status_codes=[503])
        exceptions.raise_from_response(answer)

    def release(
        self, allocation: str, *, timeout: float | None = RELEASE_SECONDS, progress: ProgressCallback | None = None
    ) -> None:
        """Delete an allocation in any state; undeploy its node first if needed. Ignore a missing allocation."""
        for _ in polls(f"the release of allocation {allocation}", timeout, progress):
            try:
                self.delete(allocation)
            except exceptions.NotFoundException:
                return
            except exceptions.ConflictException:
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
        timeout: float | None = None,
        progress: ProgressCallback | None = None,
        **options: Any,
    ) -> Iterator[Sequence[Allocation]]:
        """Allocate nodes for the duration of a ``with`` block; release them at its end, also after an error.

        A name that exists already is refused, because its allocation belongs to another client.
        """
        body = _body(resource_class, options)
        # The client chooses the uuid, so that it can delete the allocation even if the response is lost.
        ours = {str(uuid.uuid4())} if count == 1 else set()
        try:
            created = self._post({**body, "uuid": min(ours)} if ours else {**body, "count": count})
            ours = {each.id for each in created}
            yield self.wait(created, timeout=timeout, progress=progress)
        finally:
            for each in sorted(ours):
                self.release(each, progress=progress)

    def _post(self, body: Mapping[str, Any]) -> Sequence[Allocation]:
        answer = self._native.post("/allocations", json=body)
        exceptions.raise_from_response(answer)
        return [Allocation.existing(**each) for each in answer.json()["allocations"]]

    def _find(self, name: str | None) -> Allocation | None:
        try:
            return None if name is None else self.get(name)
        except exceptions.NotFoundException:
            return None

    def _check_same(self, name: str, body: Mapping[str, Any], found: Allocation) -> None:
        requested = {
            "class": body["resource_class"],
            "traits": sorted(set(body.get("traits", ()))),
            "candidates": sorted({self._uuid_of(node) for node in body.get("candidate_nodes", ())}),
            "extra": body.get("extra", {}),
            "sticky": body.get("sticky", False),
        }
        existing = {
            "class": found.resource_class,
            "traits": sorted(found.traits),
            "candidates": sorted(found.candidate_nodes),
            "extra": found.extra,
            "sticky": found.sticky,
        }
        check_same(f"Allocation {name}", requested, existing)

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


def _failure(failed: Allocation) -> exceptions.SDKException:
    """Return the exception for a failed allocation: a timeout if it stayed in the queue until the end of its time."""
    text = f"Allocation {failed.name or failed.id} failed: {failed.last_error}"
    if failed.wait_until is not None and (failed.updated_at or "") >= failed.wait_until:
        return exceptions.ResourceTimeout(text)
    return exceptions.ResourceFailure(text)


def _body(resource_class: str, options: Mapping[str, Any]) -> dict[str, Any]:
    body = {name: value for name, value in options.items() if value is not None}
    for name in ("traits", "candidate_nodes"):
        if name in body:
            body[name] = list(body[name])
    return {"resource_class": resource_class, **body}
