"""Leases: machines or room for instances, in a window of time that may lie in the future."""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from openstack import exceptions, proxy, resource

from dibs.client.answers import Why
from dibs.client.errors import check_same

_OVER = frozenset({"TERMINATED", "ERROR"})


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


def hosts(at_least: int = 1, at_most: int | None = None, properties: Sequence[Any] = ()) -> dict[str, Any]:
    """A reservation of whole machines; ``properties`` as in ``["==", "$rack", "r1"]``."""
    return {
        "resource_type": "physical:host",
        "min": at_least,
        "max": at_most or at_least,
        "hypervisor_properties": "",
        "resource_properties": json.dumps(properties) if properties else "",
    }


def instances(
    amount: int, *, vcpus: int, memory_mb: int, disk_gb: int, properties: Sequence[Any] = ()
) -> dict[str, Any]:
    """A reservation of room for so many instances."""
    return {
        "resource_type": "virtual:instance",
        "amount": amount,
        "vcpus": vcpus,
        "memory_mb": memory_mb,
        "disk_gb": disk_gb,
        "affinity": None,
        "resource_properties": json.dumps(properties) if properties else "",
    }


class Leases:
    """``dibs.leases``."""

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
        """Book; times are to the minute, in UTC. A lease of that name that is not over is given again when it has the
        same window and the same kinds of reservations; AlreadyDifferent when it has not. Names are no keys in this API,
        so two who ask at the same moment may both get one.
        """
        return self.create_or_find(name, end, reservations, start=start, before_end=before_end)[0]

    def create_or_find(
        self,
        name: str,
        end: datetime | str,
        reservations: Sequence[Mapping[str, Any]],
        *,
        start: datetime | str = "now",
        before_end: datetime | str | None = None,
    ) -> tuple[Lease, bool]:
        """As ``create``; also tells whether it was made just now."""
        body = {
            "name": name,
            "start_date": _minutes(start),
            "end_date": _minutes(end),
            "reservations": [dict(each) for each in reservations],
            "events": [],
            **({} if before_end is None else {"before_end_date": _minutes(before_end)}),
        }
        found = next((each for each in self.list() if each.name == name and each.status not in _OVER), None)
        if found is not None:
            check_same(f"a lease {name}", _outline(body, body["start_date"] != "now"), _outline_of(found, body))
            return found, False
        return _lease(self._service.post("/leases", json=body)), True

    def list(self) -> Iterator[Lease]:
        """All that you may see."""
        return Lease.list(self._service, paginated=False)

    def get(self, lease: str) -> Lease:
        """One by id, or by its name when only one has it."""
        try:
            return Lease.new(id=lease).fetch(self._service)
        except exceptions.NotFoundException:
            named = [each for each in self.list() if each.name == lease]
            if not named:
                raise
        if len(named) > 1:
            raise exceptions.DuplicateResource(f"{len(named)} leases are called {lease}: say which by its id.")
        return named[0]

    def update(self, lease: str, *, name: str | None = None, **times: datetime | str | None) -> Lease:
        """Change the name, or when it begins (``start``), ends (``end``) and warns (``before_end``)."""
        changes = {f"{which}_date": _minutes(time) for which, time in times.items() if time is not None}
        body = changes if name is None else {**changes, "name": name}
        return _lease(self._service.put(f"/leases/{self.get(lease).id}", json=body))

    def why(self, end: datetime | str, wish: Mapping[str, Any], *, start: datetime | str = "now") -> Why:
        """Why can I not have this lease, and when could I begin one as long? Nothing is booked."""
        given = {name: str(value) for name, value in wish.items() if value not in (None, "")}
        query = {"start": _minutes(start), "end": _minutes(end), **given}
        answer = self._native.get("/leases/availability", params=query)
        exceptions.raise_from_response(answer)
        return Why.read(answer.json())

    def delete(self, lease: str) -> None:
        """End it now, or cancel it."""
        self.get(lease).delete(self._service)


def _lease(answer: Any) -> Lease:
    exceptions.raise_from_response(answer)
    return Lease.existing(**answer.json()["lease"])


def _minutes(time: datetime | str) -> str:
    """As the service reads times; a time without a zone is UTC."""
    if isinstance(time, str):
        return time
    return (time.astimezone(UTC) if time.tzinfo else time).strftime("%Y-%m-%d %H:%M")


def _outline(body: Mapping[str, Any], with_start: bool) -> dict[str, Any]:
    kinds = sorted(each["resource_type"] for each in body["reservations"])
    start = {"start": body["start_date"]} if with_start else {}
    return {**start, "end": body["end_date"], "reservations": kinds}


def _outline_of(found: Lease, body: Mapping[str, Any]) -> dict[str, Any]:
    there = {
        "start_date": found.start_date.replace("T", " ")[:16],
        "end_date": found.end_date.replace("T", " ")[:16],
        "reservations": found.reservations,
    }
    return _outline(there, body["start_date"] != "now")
