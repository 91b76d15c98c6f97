"""Node reservations: one of several nodes is held for an instance for some minutes."""

import uuid
from collections.abc import Iterator

from openstack import exceptions, resource

from dibs.client.arguments import names_in
from dibs.client.baremetal_calls import BaremetalCalls
from dibs.client.errors import Conflict, check_same, dibs_errors, each_or_error

VERSION = "1.60"
_NAMES = uuid.UUID("2f0b8d3c-5a43-4b7e-9b3f-d1b5f0e4c1a7")
"""The namespace that turns a name into the uuid of an instance."""


class Reservation(resource.Resource):
    """A node that is held for an instance; a deploy of the node needs its ``id``."""

    resource_key = "reservation"
    resources_key = "reservations"
    base_path = "/reservations"
    allow_fetch = True
    allow_list = True
    allow_delete = True
    _max_microversion = VERSION

    id: str = resource.Body("uuid", alternate_id=True)
    node_id: str = resource.Body("node_uuid")
    instance_id: str = resource.Body("instance_uuid")
    project_id: str | None = resource.Body("project_id")
    expires_at: str = resource.Body("expires_at")
    created_at: str = resource.Body("created_at")
    updated_at: str | None = resource.Body("updated_at")


def instance_uuid(name: str) -> str:
    """Return the uuid of the instance that a name stands for."""
    return str(uuid.uuid5(_NAMES, name))


class Reservations(BaremetalCalls):
    """The calls of ``dibs.reservations``."""

    def create(
        self,
        nodes: list[str] | tuple[str, ...],
        *,
        instance: str | None = None,
        name: str | None = None,
        seconds: int | None = None,
    ) -> Reservation:
        """Reserve the first available node of a list of uuids or names.

        With an ``instance`` (its uuid) or a ``name`` that stands for one, a repeated call returns the same reservation,
        or raises AlreadyDifferent if that holds another node. Without either, each call creates a new reservation.
        """
        return self.create_or_find(nodes, instance=instance, name=name, seconds=seconds)[0]

    @dibs_errors()
    def create_or_find(
        self,
        nodes: list[str] | tuple[str, ...],
        *,
        instance: str | None = None,
        name: str | None = None,
        seconds: int | None = None,
    ) -> tuple[Reservation, bool]:
        """Do as ``create``; also return whether the reservation is new."""
        if instance is not None and name is not None:
            raise ValueError("A name stands for an instance: pass only one of them.")
        known = instance or (instance_uuid(name) if name is not None else None)
        uuids = [self._uuid_of(node) for node in names_in("nodes", nodes)]
        body = {"instance_uuid": known or str(uuid.uuid4()), "node_uuid": uuids}
        try:
            return self._post("/reservations", body if seconds is None else {**body, "ttl_seconds": seconds}), True
        except Conflict:
            found = next((each for each in self.list() if each.instance_id == known), None) if known else None
            if found is None:
                raise
        if found.node_id not in uuids:
            requested = {"node": uuids[0] if len(uuids) == 1 else uuids}
            check_same(f"A reservation for instance {known}", requested, {"node": found.node_id})
        return found, False

    def list(self) -> Iterator[Reservation]:
        """List the reservations that the user may see."""
        return each_or_error(self._list())

    @dibs_errors()
    def get(self, reservation: str) -> Reservation:
        """Return a reservation by uuid."""
        return Reservation.new(id=reservation).fetch(self._baremetal)

    @dibs_errors()
    def renew(self, reservation: str, *, seconds: int | None = None) -> Reservation:
        """Extend a reservation to this many seconds from now; by default to the server's standard lifetime."""
        return self._post(f"/reservations/{reservation}/renew", {} if seconds is None else {"ttl_seconds": seconds})

    @dibs_errors()
    def delete(self, reservation: str) -> None:
        """Delete a reservation and release its node."""
        Reservation.new(id=reservation).delete(self._baremetal)

    def _list(self) -> Iterator[Reservation]:
        # A generator, because the bare-metal service is discovered at its first use.
        yield from Reservation.list(self._baremetal)

    @dibs_errors()
    def _post(self, path: str, body: object) -> Reservation:
        # A conflict is not retried, because a retry would get the same response.
        answer = self._baremetal.post(path, json=body, microversion=VERSION, retriable_status_codes=[503])
        exceptions.raise_from_response(answer)
        return Reservation.existing(**answer.json()["reservation"])
