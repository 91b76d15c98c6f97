"""Hosts that can be booked: known by name, and made by one request each."""

import re

from dibs.importing.differences import differences
from dibs.importing.report import Report
from dibs.importing.service import Json, Refused, Service

_OF_EVERY_HOST = frozenset({
    "id", "vcpus", "cpu_info", "hypervisor_type", "hypervisor_version", "hypervisor_hostname", "service_name",
    "memory_mb", "local_gb", "status", "availability_zone", "trust_id", "reservable", "created_at", "updated_at",
})  # fmt: skip
"""All else that is said of a host is an extra capability."""
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def copy_all(there: Service, here: Service, providers: Service, report: Report) -> dict[str, str]:
    """Every host of the source; gives the id here of each by its id there. Its provider, or its node, must be here."""
    listed = there.get("/v1/os-hosts")["hosts"]
    known = {host["hypervisor_hostname"]: host for host in here.get("/v1/os-hosts")["hosts"]}
    ids: dict[str, str] = {}
    report.begin("host", len(listed))
    for host in listed:
        name = host["hypervisor_hostname"]
        found = known.get(_name_here(providers, name))
        made = found is None
        try:
            if found is None:
                found = (here.send("POST", "/v1/os-hosts", {"name": name, **_capabilities(host)}) or {})["host"]
            ids[host["id"]] = found["id"]
            told = differences(_described(host), _described(found), ["capabilities"])
            report.compared("host", host["id"], name, told, made=made)
        except Refused as refusal:
            report.refused("host", host["id"], name, str(refusal))
        report.advance("host")
    return ids


def _name_here(providers: Service, name: str) -> str:
    """A bare-metal host is called by its node's uuid in Nova, and by its node's name here."""
    found = providers.find(f"/resource_providers/{name}") if _UUID.fullmatch(name) else None
    return str(found["name"]) if found else name


def _described(host: Json) -> Json:
    return {"capabilities": _capabilities(host)}


def _capabilities(host: Json) -> Json:
    return {name: value for name, value in host.items() if name not in _OF_EVERY_HOST}
