"""Copy leases that have not ended. Each copy gets a new id, because the API does not let a client choose one.

A lease counts as copied if the target has one with the same name, end and reservations; of several equal leases in the
source, each needs an equal lease of its own in the target. A lease that has started in the source starts in the target
when it is copied.
"""

import json
from collections.abc import Iterator
from datetime import UTC, datetime

from msgspec import Struct, field

from dibs.importing.differences import differences
from dibs.importing.report import Difference, Report
from dibs.importing.service import Json, Refused, Service

_REQUEST_FIELDS = {
    "physical:host": ("min", "max", "hypervisor_properties", "resource_properties", "before_end"),
    "virtual:instance": ("vcpus", "memory_mb", "disk_gb", "amount", "affinity", "resource_properties"),
    "flavor:instance": ("amount", "affinity"),
}
"""The fields of a create request by type of reservation; ``flavor:instance`` has its flavor's id besides."""
_TRANSITIONAL = frozenset({"CREATING", "STARTING", "UPDATING"})
_CURRENT = frozenset({"PENDING", "ACTIVE"})
_OTHER_PROJECT = (
    "a lease belongs to the project that creates it: log in to that project (--to-os-cloud) and import its leases only"
    " (--project)"
)
_OTHER_HOSTS = "a client cannot choose the hosts of a lease; these match its request too (ids of hosts in Dibs)"


class LeaseCopier(Struct):
    """Copies leases from one reservation service to another."""

    source: Service
    target: Service
    report: Report
    hosts: dict[str, str]
    """The target's id of each host by its id in the source; empty if hosts are not compared."""
    project: str | None = None
    """Copy only the leases of this project; None copies all."""
    known: dict[str, list[Json]] = field(default_factory=dict)
    """The leases of the target by content; a lease is removed when it is matched with an original."""

    def copy_all(self) -> None:
        """Copy every lease that is active or pending, active ones first. The API returns the whole list at once."""
        listed = [
            each for each in self.source.get("/v1/leases")["leases"] if self.project in (None, each["project_id"])
        ]
        for lease in self.target.get("/v1/leases")["leases"]:
            self.known.setdefault(_content_key(lease), []).append(lease)
        self.report.begin("lease", len(listed))
        for lease in sorted(listed, key=lambda each: (each["status"] != "ACTIVE", each["start_date"], each["id"])):
            self._copy(lease)
            self.report.advance("lease")

    def _copy(self, lease: Json) -> None:
        uuid, name = lease["id"], lease["name"]
        if lease["status"] in _TRANSITIONAL:
            self.report.refused("lease", uuid, name, f"its status is {lease['status']}; run the import again later")
            return
        if lease["status"] not in _CURRENT or _parse_time(lease["end_date"]) <= _now():
            self.report.left_out("lease", uuid, name, f"the lease is over (status {lease['status']})")
            return
        found = self._take_known(lease)
        created = found is None
        try:
            if found is None:
                found = self._create(lease)
        except Refused as refusal:
            self.report.refused("lease", uuid, name, str(refusal))
            return
        self.report.add_id("lease", uuid, found["id"])
        for original, copy in zip(_sorted(lease), _sorted(found), strict=True):
            self.report.add_id("reservation", original["id"], copy["id"])
        self.report.compared("lease", uuid, name, self._compare(lease, found), created=created)

    def _take_known(self, lease: Json) -> Json | None:
        """Take an equal lease out of ``known``, preferably one of the same project."""
        alike = self.known.get(_content_key(lease), [])
        alike.sort(key=lambda each: each["project_id"] != lease["project_id"])
        return alike.pop(0) if alike else None

    def _create(self, lease: Json) -> Json:
        start = _parse_time(lease["start_date"])
        body = {
            "name": lease["name"],
            "start_date": _format_time(start) if start > _now() else "now",
            "end_date": _format_time(_parse_time(lease["end_date"])),
            "before_end_date": _before_end(lease),
            "reservations": [_request(each) for each in lease["reservations"]],
            "events": [],
        }
        owner = (lease["user_id"], lease["project_id"]) if lease["project_id"] else None
        created = self.target.send("POST", "/v1/leases", body, owner=owner) or {}
        found: Json = created["lease"]
        return found

    def _compare(self, lease: Json, found: Json) -> Iterator[Difference]:
        names = ["name", "end_date", "project_id"]
        if lease["status"] == "PENDING":
            names.append("start_date")
        yield from differences(lease, found, names, {"project_id": _OTHER_PROJECT})
        if self.hosts:
            wanted = sorted(self.hosts.get(each, "none") for each in _hosts_of(self.source, lease))
            chosen = sorted(_hosts_of(self.target, found))
            yield from differences({"hosts": wanted}, {"hosts": chosen}, ["hosts"], {"hosts": _OTHER_HOSTS})


def _content_key(lease: Json) -> str:
    """Return a text that is the same for equal leases."""
    return json.dumps([lease["name"], lease["end_date"], [_request(each) for each in _sorted(lease)]], sort_keys=True)


def _sorted(lease: Json) -> list[Json]:
    """Return the reservations in a fixed order; the API returns them in any."""
    return sorted(lease["reservations"], key=lambda each: json.dumps(_request(each), sort_keys=True))


def _request(reservation: Json) -> Json:
    """Return the fields of a create request for an equal reservation."""
    kind = reservation["resource_type"]
    request = {"resource_type": kind, **{name: reservation.get(name) for name in _REQUEST_FIELDS.get(kind, ())}}
    if kind == "flavor:instance":
        # Quirk: flavor_id is the private flavor of the reservation; the requested one is in a JSON text.
        request["flavor_id"] = json.loads(reservation["resource_properties"]).get("id")
    return request


def _before_end(lease: Json) -> str | None:
    """Return the time of the notification before the end, unless it has passed."""
    for event in lease["events"]:
        if event["event_type"] == "before_end_lease" and _parse_time(event["time"]) > max(
            _now(), _parse_time(lease["start_date"])
        ):
            return _format_time(_parse_time(event["time"]))
    return None


def _hosts_of(service: Service, lease: Json) -> list[str]:
    found = service.get("/v1/os-hosts/allocations", lease_id=lease["id"])["allocations"]
    return [each["resource_id"] for each in found if each["reservations"]]


def _parse_time(text: str) -> datetime:
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%f").replace(tzinfo=UTC)


def _format_time(time: datetime) -> str:
    return time.strftime("%Y-%m-%d %H:%M")


def _now() -> datetime:
    return datetime.now(UTC)
