"""Allocations: "give me a node of this class", several at once, waiting in line, and giving back."""

import contextlib
import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from openstack import exceptions, proxy, resource
from openstack.baremetal.v1 import _proxy
from openstack.connection import Connection

from dibs.client.errors import check_same
from dibs.client.waiting import Watcher, looks

VERSION = "1.60"
PAGE = 1_000
GIVE_BACK_SECONDS = 1_800
"""How long a node may take to be torn down and cleaned."""
_IN_USE = frozenset({"active", "deploy failed", "wait call-back", "error", "rescue", "rescue failed", "service failed"})
"""Provision states from which a node has to be torn down before others can have it."""


class Allocation(resource.Resource):
    """An allocation with the names that openstacksdk has for it, and what Dibs adds."""

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
    #: Keeps its node when that is torn down.
    sticky: bool = resource.Body("sticky", type=bool)
    #: Until when it waits for a node to become free.
    wait_until: str | None = resource.Body("wait_until")
    #: Allocations of one batch get their nodes together or not at all.
    batch: str | None = resource.Body("batch")
    created_at: str = resource.Body("created_at")
    updated_at: str | None = resource.Body("updated_at")


class Allocations:
    """``dibs.allocations``."""

    def __init__(self, connection: Connection, native: proxy.Proxy) -> None:
        self._connection = connection
        self._native = native

    @property
    def _baremetal(self) -> _proxy.Proxy:
        # Asking for it makes a request, so it is not asked for before it is needed.
        return self._connection.baremetal

    def create(self, resource_class: str, *, name: str | None = None, **wishes: Any) -> Allocation:
        """Ask for one node; the answer comes at once, the node later: see ``wait``.

        Wishes: ``traits``, ``candidate_nodes`` (uuids or names), ``extra``, ``owner``, ``sticky``, ``uuid``, and
        ``wait_seconds`` to stand in line rather than fail at once. With a ``name``, asking again gives the same
        allocation; AlreadyDifferent when one of that name is of another kind.
        """
        body = _body(resource_class, wishes)
        try:
            (made,) = self._post(body if name is None else {**body, "name": name})
        except exceptions.ConflictException:
            found = self._find(name)
            if name is None or found is None:
                raise
            self._check_same(name, body, found)
            return found
        return made

    def create_many(self, resource_class: str, count: int, **wishes: Any) -> Sequence[Allocation]:
        """Ask for several nodes of one kind: all are given at one moment, or none."""
        return self._post({**_body(resource_class, wishes), "count": count})

    def list(self, **filters: str) -> Iterator[Allocation]:
        """All that you may see, the oldest first; by ``state``, ``resource_class``, or all of one ``batch``."""
        query: dict[str, Any] = filters if "batch" in filters else {**filters, "limit": PAGE}
        return Allocation.list(self._native, paginated="limit" in query, **query)

    def get(self, allocation: str) -> Allocation:
        """One by uuid or name."""
        return Allocation.new(id=allocation).fetch(self._native)

    def retry(self, allocation: str, *, wait_seconds: float | None = None) -> Allocation:
        """Try one that failed once more; one of a batch takes the batch along."""
        body = {} if wait_seconds is None else {"wait_seconds": wait_seconds}
        answer = self._native.post(f"/allocations/{allocation}/retry", json=body)
        exceptions.raise_from_response(answer)
        return Allocation.existing(**answer.json())

    def wait(
        self, asked: Sequence[Allocation], *, timeout: float | None = None, progress: Watcher | None = None
    ) -> Sequence[Allocation]:
        """Wait until all have their nodes; ResourceFailure with the reason when one fails.

        ResourceTimeout when the time is up: this one's, after which it still stands in line, or its ``wait_seconds``.
        """
        what = f"a node of class {asked[0].resource_class}"
        if len(asked) > 1:
            what = f"{len(asked)} nodes of class {asked[0].resource_class}"
        for _ in looks(what, timeout, progress):
            asked = self._look_again(asked)
            failed = next((each for each in asked if each.state == "error"), None)
            if failed is not None:
                raise _failure(failed)
            if all(each.state == "active" for each in asked):
                break
        return asked

    def delete(self, allocation: str) -> None:
        """Withdraw a request, or give its node back; refused while the node is deployed: see ``give_back``."""
        path = f"/allocations/{allocation}"
        answer = self._baremetal.delete(path, microversion=VERSION, retriable_status_codes=[503])
        exceptions.raise_from_response(answer)

    def give_back(
        self, allocation: str, *, timeout: float | None = GIVE_BACK_SECONDS, progress: Watcher | None = None
    ) -> None:
        """Give a node back whatever was done with it: one that is deployed is torn down first. None there is fine."""
        for _ in looks(f"the node of allocation {allocation} to be given back", timeout, progress):
            try:
                self.delete(allocation)
            except exceptions.NotFoundException:
                return
            except exceptions.ConflictException:
                # It is in use, or a conductor works on it this moment.
                self._tear_down(allocation)
            else:
                return

    @contextlib.contextmanager
    def borrowed(
        self,
        resource_class: str,
        *,
        count: int = 1,
        timeout: float | None = None,
        progress: Watcher | None = None,
        **wishes: Any,
    ) -> Iterator[Sequence[Allocation]]:
        """One or several nodes for as long as the ``with`` lasts; given back whatever happens in it.

        A name that is taken is refused, since what has it is not ours to give back.
        """
        body = _body(resource_class, wishes)
        # Known before it is asked for, so that it can be withdrawn when the answer never arrives.
        ours = {str(uuid.uuid4())} if count == 1 else set()
        try:
            asked = self._post({**body, "uuid": min(ours)} if ours else {**body, "count": count})
            ours = {each.id for each in asked}
            yield self.wait(asked, timeout=timeout, progress=progress)
        finally:
            for each in sorted(ours):
                self.give_back(each, progress=progress)

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
        asked = {
            "class": body["resource_class"],
            "traits": sorted(set(body.get("traits", ()))),
            "candidates": sorted({self._uuid_of(node) for node in body.get("candidate_nodes", ())}),
            "extra": body.get("extra", {}),
            "sticky": body.get("sticky", False),
        }
        there = {
            "class": found.resource_class,
            "traits": sorted(found.traits),
            "candidates": sorted(found.candidate_nodes),
            "extra": found.extra,
            "sticky": found.sticky,
        }
        check_same(f"an allocation {name}", asked, there)

    def _look_again(self, asked: Sequence[Allocation]) -> Sequence[Allocation]:
        batch = asked[0].batch
        if batch is None:
            return [self.get(each.id) for each in asked]
        return list(self.list(batch=batch))

    def _tear_down(self, allocation: str) -> None:
        with contextlib.suppress(exceptions.NotFoundException, exceptions.ConflictException):
            node = self._baremetal.get_node(self.get(allocation).node_id or "")
            if node.provision_state in _IN_USE and node.reservation is None:
                self._baremetal.set_node_provision_state(node, "deleted")

    def _uuid_of(self, node: str) -> str:
        try:
            return str(uuid.UUID(node))
        except ValueError:
            return str(self._baremetal.get_node(node, fields=["uuid"]).id)


def _failure(failed: Allocation) -> exceptions.SDKException:
    """What a failed allocation is to who waits: one that stood in line until its time was up has timed out."""
    text = f"Allocation {failed.name or failed.id} failed: {failed.last_error}"
    if failed.wait_until is not None and (failed.updated_at or "") >= failed.wait_until:
        return exceptions.ResourceTimeout(text)
    return exceptions.ResourceFailure(text)


def _body(resource_class: str, wishes: Mapping[str, Any]) -> dict[str, Any]:
    given = {name: value for name, value in wishes.items() if value is not None}
    for name in ("traits", "candidate_nodes"):
        if name in given:
            given[name] = list(given[name])
    return {"resource_class": resource_class, **given}
