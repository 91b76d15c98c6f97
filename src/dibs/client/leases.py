"""Leases: hosts, or capacity for instances, for a window of time."""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from openstack import exceptions, proxy, resource

from dibs.client.errors import NameNotUnique, check_same, dibs_errors, each_or_error
from dibs.client.results import LatestEnd, Why

Condition = list[Any] | tuple[Any, ...]
"""A condition on the properties of hosts, such as ``["==", "$rack", "r1"]``. A string is not among these types."""
_ENDED = frozenset({"TERMINATED", "ERROR"})


class Lease(resource.Resource):
    """A lease with its reservations and events."""

    resource_key = "lease"
    resources_key = "leases"
    base_path = "/leases"
    allow_fetch = True
    allow_list = True
    allow_delete = True

    name: str = resource.Body("name")
    status: str = resource.Body("status")
    start_date: str = resource.Body("start_date")
    end_date: str = resource.Body("end_date")
    degraded: bool = resource.Body("degraded", type=bool)
    project_id: str | None = resource.Body("project_id")
    user_id: str | None = resource.Body("user_id")
    reservations: list[dict[str, Any]] = resource.Body("reservations", type=list)
    events: list[dict[str, Any]] = resource.Body("events", type=list)
    created_at: str = resource.Body("created_at")
    updated_at: str | None = resource.Body("updated_at")


def hosts(at_least: int = 1, at_most: int | None = None, properties: Condition = ()) -> dict[str, Any]:
    """Return a reservation of whole hosts; ``properties`` such as ``["==", "$rack", "r1"]``."""
    return {
        "resource_type": "physical:host",
        "min": at_least,
        "max": at_most or at_least,
        "hypervisor_properties": "",
        "resource_properties": _condition(properties),
    }


def instances(amount: int, *, vcpus: int, memory_mb: int, disk_gb: int, properties: Condition = ()) -> dict[str, Any]:
    """Return a reservation of capacity for instances."""
    return {
        "resource_type": "virtual:instance",
        "amount": amount,
        "vcpus": vcpus,
        "memory_mb": memory_mb,
        "disk_gb": disk_gb,
        "affinity": None,
        "resource_properties": _condition(properties),
    }


def _condition(properties: Condition) -> str:
    if isinstance(properties, str):
        raise TypeError(f'properties must be a list such as ["==", "$rack", "r1"], not {properties!r}.')
    return json.dumps(properties) if properties else ""


class Leases:
    """The calls of ``dibs.leases``."""

    def __init__(self, service: proxy.Proxy, native: proxy.Proxy) -> None:
        self._service = service
        self._native = native

    def create(
        self,
        name: str,
        end: datetime | str,
        reservations: Sequence[Mapping[str, Any]],
        *,
        start: datetime | str = "now",
        before_end: datetime | str | None = None,
    ) -> Lease:
        """Create a lease, or return an equal one of the same name; times are in UTC, to the minute.

        If a current lease of that name has another window or other types of reservations, raise AlreadyDifferent. Names
        are not unique in this API, so two simultaneous calls can both create a lease.
        """
        return self.create_or_find(name, end, reservations, start=start, before_end=before_end)[0]

    @dibs_errors()
    def create_or_find(
        self,
        name: str,
        end: datetime | str,
        reservations: Sequence[Mapping[str, Any]],
        *,
        start: datetime | str = "now",
        before_end: datetime | str | None = None,
    ) -> tuple[Lease, bool]:
        """Do as ``create``; also return whether the lease is new."""
        body = {
            "name": name,
            "start_date": _minutes(start),
            "end_date": _minutes(end),
            "reservations": [dict(each) for each in reservations],
            "events": [],
            **({} if before_end is None else {"before_end_date": _minutes(before_end)}),
        }
        found = next((each for each in self.list() if each.name == name and each.status not in _ENDED), None)
        if found is not None:
            check_same(f"Lease {name}", _summary(body, body["start_date"] != "now"), _summary_of(found, body))
            return found, False
        return _lease(self._service.post("/leases", json=body)), True

    def list(self) -> Iterator[Lease]:
        """List the leases that the user may see."""
        return each_or_error(Lease.list(self._service, paginated=False))

    @dibs_errors()
    def get(self, lease: str) -> Lease:
        """Return a lease by id, or by name if the name is unique."""
        try:
            return Lease.new(id=lease).fetch(self._service)
        except exceptions.NotFoundException:
            named = [each for each in self.list() if each.name == lease]
            if not named:
                raise
        if len(named) > 1:
            raise NameNotUnique(f"{len(named)} leases have the name {lease}: use the id.")
        return named[0]

    @dibs_errors()
    def update(
        self,
        lease: str,
        *,
        name: str | None = None,
        start: datetime | str | None = None,
        end: datetime | str | None = None,
        before_end: datetime | str | None = None,
    ) -> Lease:
        """Change the name, the start, the end or the time of the warning before the end."""
        times = {"start_date": start, "end_date": end, "before_end_date": before_end}
        changes = {which: _minutes(time) for which, time in times.items() if time is not None}
        body = changes if name is None else {**changes, "name": name}
        return _lease(self._service.put(f"/leases/{self.get(lease).id}", json=body))

    @dibs_errors()
    def why(
        self,
        end: datetime | str,
        reservation: Mapping[str, Any],
        *,
        start: datetime | str = "now",
        name: str | None = None,
    ) -> Why:
        """Return why a lease is not available, when it could start, and what is available instead. Nothing is booked.

        ``name`` is the name of the lease in the offers.
        """
        resources = {key: str(value) for key, value in reservation.items() if value not in (None, "")}
        named = {} if name is None else {"name": name}
        query = {"start": _minutes(start), "end": _minutes(end), **named, **resources}
        answer = self._native.get("/leases/availability", params=query)
        exceptions.raise_from_response(answer)
        return Why.read(answer.json())

    @dibs_errors()
    def latest_end(self, lease: str) -> LatestEnd:
        """Return how long a lease can be kept at most, with the hosts that it has."""
        answer = self._native.get(f"/leases/{self.get(lease).id}/latest-end")
        exceptions.raise_from_response(answer)
        return LatestEnd.read(answer.json())

    @dibs_errors()
    def release(self, lease: str, host: str) -> dict[str, int]:
        """Release a host of an active lease, or one instance on it; return the instances on each host that is left."""
        answer = self._native.post(f"/leases/{self.get(lease).id}/release", json={"host": host})
        exceptions.raise_from_response(answer)
        left: dict[str, int] = answer.json()["hosts"]
        return left

    @dibs_errors()
    def delete(self, lease: str) -> None:
        """End an active lease now, or cancel a pending one."""
        self.get(lease).delete(self._service)


def _lease(answer: Any) -> Lease:
    exceptions.raise_from_response(answer)
    return Lease.existing(**answer.json()["lease"])


def _minutes(time: datetime | str) -> str:
    """Return a time in the format of the service; a time without a zone is UTC."""
    if isinstance(time, str):
        return time
    return (time.astimezone(UTC) if time.tzinfo else time).strftime("%Y-%m-%d %H:%M")


def _summary(body: Mapping[str, Any], with_start: bool) -> dict[str, Any]:
    types = sorted(each["resource_type"] for each in body["reservations"])
    start = {"start": body["start_date"]} if with_start else {}
    return {**start, "end": body["end_date"], "reservations": types}


def _summary_of(found: Lease, body: Mapping[str, Any]) -> dict[str, Any]:
    existing = {
        "start_date": found.start_date.replace("T", " ")[:16],
        "end_date": found.end_date.replace("T", " ")[:16],
        "reservations": found.reservations,
    }
    return _summary(existing, body["start_date"] != "now")
