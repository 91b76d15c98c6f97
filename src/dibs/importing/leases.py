"""Leases that have not ended: made anew, since the API lets nobody choose a lease's id.

Whether a lease is here already is told by what it is: name, end and what it reserves. Of several that are alike there,
as many are here. One that has begun there begins here at the moment when it is copied.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime

from dibs.importing.differences import differences
from dibs.importing.report import Difference, Report
from dibs.importing.service import Json, Refused, Service

_PARTS = {
    "physical:host": ("min", "max", "hypervisor_properties", "resource_properties", "before_end"),
    "virtual:instance": ("vcpus", "memory_mb", "disk_gb", "amount", "affinity", "resource_properties"),
    "flavor:instance": ("amount", "affinity"),
}
"""What a reservation of each type is asked for with; a flavor's id comes beside it."""
_IN_MOTION = frozenset({"CREATING", "STARTING", "UPDATING"})
_STAYING = frozenset({"PENDING", "ACTIVE"})
_OF_ANOTHER = (
    "a lease belongs to the project that asks for it: log in to that project (--to-os-cloud) and import its leases"
    " alone (--project)"
)
_OTHER_HOSTS = "nobody can say which hosts a lease gets; these fit it as well (ids of hosts here)"


@dataclass
class LeaseCopier:
    """Copies leases from one reservation service to another."""

    there: Service
    here: Service
    report: Report
    hosts: dict[str, str]
    """The id here of each host by its id there; empty when hosts are not looked at."""
    project: str | None = None
    """Only leases of this project; None: all."""
    known: dict[str, list[Json]] = field(default_factory=dict)
    """What is here, by what it is; a lease leaves it when its original is found."""

    def copy_all(self) -> None:
        """Every lease that runs or is to run, those that run first. The API gives the list whole."""
        listed = [each for each in self.there.get("/v1/leases")["leases"] if self.project in (None, each["project_id"])]
        for lease in self.here.get("/v1/leases")["leases"]:
            self.known.setdefault(_likeness(lease), []).append(lease)
        self.report.begin("lease", len(listed))
        for lease in sorted(listed, key=lambda each: (each["status"] != "ACTIVE", each["start_date"], each["id"])):
            self._copy(lease)
            self.report.advance("lease")

    def _copy(self, lease: Json) -> None:
        uuid, name = lease["id"], lease["name"]
        if lease["status"] in _IN_MOTION:
            self.report.refused("lease", uuid, name, f"it is {lease['status']}; run again when it has settled")
            return
        if lease["status"] not in _STAYING or _moment(lease["end_date"]) <= _now():
            self.report.left_out("lease", uuid, name, f"it is {lease['status']} and promises nothing any more")
            return
        found = self._take_known(lease)
        made = found is None
        try:
            if found is None:
                found = self._make(lease)
        except Refused as refusal:
            self.report.refused("lease", uuid, name, str(refusal))
            return
        self.report.renamed("lease", uuid, found["id"])
        for original, copy in zip(_sorted(lease), _sorted(found), strict=True):
            self.report.renamed("reservation", original["id"], copy["id"])
        self.report.compared("lease", uuid, name, self._compare(lease, found), made=made)

    def _take_known(self, lease: Json) -> Json | None:
        """A lease that is like this one, of the same project if there is one."""
        alike = self.known.get(_likeness(lease), [])
        alike.sort(key=lambda each: each["project_id"] != lease["project_id"])
        return alike.pop(0) if alike else None

    def _make(self, lease: Json) -> Json:
        start = _moment(lease["start_date"])
        body = {
            "name": lease["name"],
            "start_date": _written(start) if start > _now() else "now",
            "end_date": _written(_moment(lease["end_date"])),
            "before_end_date": _before_end(lease),
            "reservations": [_asked(each) for each in lease["reservations"]],
            "events": [],
        }
        owner = (lease["user_id"], lease["project_id"]) if lease["project_id"] else None
        made = self.here.send("POST", "/v1/leases", body, owner=owner) or {}
        found: Json = made["lease"]
        return found

    def _compare(self, lease: Json, found: Json) -> Iterator[Difference]:
        names = ["name", "end_date", "project_id"]
        if lease["status"] == "PENDING":
            names.append("start_date")
        yield from differences(lease, found, names, {"project_id": _OF_ANOTHER})
        if self.hosts:
            wanted = sorted(self.hosts.get(each, "none") for each in _hosts_of(self.there, lease))
            chosen = sorted(_hosts_of(self.here, found))
            yield from differences({"hosts": wanted}, {"hosts": chosen}, ["hosts"], {"hosts": _OTHER_HOSTS})


def _likeness(lease: Json) -> str:
    """What makes two leases the same, as text."""
    return json.dumps([lease["name"], lease["end_date"], [_asked(each) for each in _sorted(lease)]], sort_keys=True)


def _sorted(lease: Json) -> list[Json]:
    """The reservations, which come in no fixed order, in one."""
    return sorted(lease["reservations"], key=lambda each: json.dumps(_asked(each), sort_keys=True))


def _asked(reservation: Json) -> Json:
    """How a reservation is asked for."""
    kind = reservation["resource_type"]
    asked = {"resource_type": kind, **{name: reservation.get(name) for name in _PARTS.get(kind, ())}}
    if kind == "flavor:instance":
        # Quirk: flavor_id is the private flavor that was made; the one that was asked for is inside a text.
        asked["flavor_id"] = json.loads(reservation["resource_properties"]).get("id")
    return asked


def _before_end(lease: Json) -> str | None:
    """When its owner is to be told of its end, unless that is over."""
    for event in lease["events"]:
        if event["event_type"] == "before_end_lease" and _moment(event["time"]) > max(
            _now(), _moment(lease["start_date"])
        ):
            return _written(_moment(event["time"]))
    return None


def _hosts_of(service: Service, lease: Json) -> list[str]:
    found = service.get("/v1/os-hosts/allocations", lease_id=lease["id"])["allocations"]
    return [each["resource_id"] for each in found if each["reservations"]]


def _moment(text: str) -> datetime:
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%f").replace(tzinfo=UTC)


def _written(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d %H:%M")


def _now() -> datetime:
    return datetime.now(UTC)
