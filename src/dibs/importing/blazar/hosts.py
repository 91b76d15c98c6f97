"""Copy reservable hosts. A host is identified by its name and created by a single request."""

import re

from dibs.importing.differences import differences
from dibs.importing.report import Report
from dibs.importing.service import Json, Refused, Service

_STANDARD_FIELDS = frozenset({
    "id", "vcpus", "cpu_info", "hypervisor_type", "hypervisor_version", "hypervisor_hostname", "service_name",
    "memory_mb", "local_gb", "status", "availability_zone", "trust_id", "reservable", "created_at", "updated_at",
})  # fmt: skip
"""Every other field of a host is an extra capability."""
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def copy_hosts(source: Service, target: Service, providers: Service, report: Report) -> dict[str, str]:
    """Copy every host; return the target's id of each by its id in the source.

    The provider or node of a host must exist in the target.
    """
    listed = source.get("/v1/os-hosts")["hosts"]
    known = {host["hypervisor_hostname"]: host for host in target.get("/v1/os-hosts")["hosts"]}
    ids: dict[str, str] = {}
    report.begin("host", len(listed))
    for host in listed:
        name = host["hypervisor_hostname"]
        found = known.get(_name_in_target(providers, name))
        created = found is None
        try:
            if found is None:
                found = (target.send("POST", "/v1/os-hosts", {"name": name, **_capabilities(host)}) or {})["host"]
            ids[host["id"]] = found["id"]
            compared = differences(
                {"capabilities": _capabilities(host)}, {"capabilities": _capabilities(found)}, ["capabilities"]
            )
            report.compared("host", host["id"], name, compared, created=created)
        except Refused as refusal:
            report.refused("host", host["id"], name, str(refusal))
        report.advance("host")
    return ids


def _name_in_target(providers: Service, name: str) -> str:
    """Return the name of a host in Dibs. Nova names a bare-metal host by its node's uuid, Dibs by the node's name."""
    found = providers.find(f"/resource_providers/{name}") if _UUID.fullmatch(name) else None
    return str(found["name"]) if found else name


def _capabilities(host: Json) -> Json:
    return {name: value for name, value in host.items() if name not in _STANDARD_FIELDS}
