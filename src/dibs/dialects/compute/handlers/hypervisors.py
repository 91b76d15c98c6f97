"""Hypervisors: list, show, search."""

import json
from collections.abc import Mapping
from typing import Any

from dibs.dialects.compute.errors import Refusal, bad_request, not_found
from dibs.dialects.compute.exchange import Exchange, json_answer
from dibs.dialects.compute.microversions import CPU_INFO_OBJECT_SINCE, HYPERVISOR_PAGES_SINCE, UUIDS_SINCE
from dibs.dialects.compute.paging import LIMIT_MAX, page_document, read_limit
from dibs.dialects.compute.paging import QUERY as PAGE_QUERY
from dibs.dialects.compute.schemas import Schema
from dibs.documents.json_schema import is_uuid
from dibs.http.messages import Response
from dibs.servers.model.errors import HypervisorNotFound
from dibs.servers.model.hypervisors import Hypervisor, HypervisorQuery
from dibs.servers.operations.hypervisors import ListHypervisors, get_hypervisor, list_hypervisors

QUERY: Mapping[str, Schema] = {
    **PAGE_QUERY,
    "hypervisor_hostname_pattern": {"type": "string", "description": "Filter by a part of the name."},
    "with_servers": {"type": "boolean"},
}
_HOST_IP = "0.0.0.0"


def list_all(exchange: Exchange) -> Response:
    """GET /os-hypervisors"""
    return _list(exchange, detailed=False)


def list_details(exchange: Exchange) -> Response:
    """GET /os-hypervisors/detail"""
    return _list(exchange, detailed=True)


def show(exchange: Exchange) -> Response:
    """GET /os-hypervisors/{hypervisor}"""
    ident = exchange.arguments["hypervisor"]
    if exchange.minor >= UUIDS_SINCE and not is_uuid(ident):
        raise bad_request(f"Invalid uuid {ident}")
    if exchange.minor < UUIDS_SINCE and not (ident.isascii() and ident.isdigit() and len(ident) < 19):
        raise HypervisorNotFound(hypervisor=ident)
    found = exchange.read(get_hypervisor, ident.lower())
    return json_answer({"hypervisor": _render(exchange, found, detailed=True)})


def show_uptime(exchange: Exchange) -> Response:
    """GET /os-hypervisors/{hypervisor}/uptime: always 501, as from many of Nova's drivers"""
    raise Refusal(501, "Virt driver does not implement uptime function.")


def search(exchange: Exchange) -> Response:
    """GET /os-hypervisors/{pattern}/search"""
    found = _matching(exchange, exchange.arguments["hypervisor"])
    return json_answer({"hypervisors": [_render(exchange, each, detailed=False) for each in found]})


def list_servers(exchange: Exchange) -> Response:
    """GET /os-hypervisors/{pattern}/servers"""
    found = _matching(exchange, exchange.arguments["hypervisor"])
    shown = [_render(exchange, each, detailed=False) | _servers(each) for each in found]
    return json_answer({"hypervisors": shown})


def _list(exchange: Exchange, *, detailed: bool) -> Response:
    pattern = exchange.query("hypervisor_hostname_pattern") if exchange.minor >= UUIDS_SINCE else None
    paged = exchange.minor >= HYPERVISOR_PAGES_SINCE
    limit = read_limit(exchange) if paged else LIMIT_MAX
    if pattern is not None:
        if exchange.query("limit") or exchange.query("marker"):
            raise bad_request(
                "Paging over hypervisors with the hypervisor_hostname_pattern query parameter is not supported."
            )
        found = _matching(exchange, pattern)
    else:
        marker = exchange.query("marker") if paged else None
        command = ListHypervisors(query=HypervisorQuery(limit=limit), marker=marker)
        found = exchange.read(list_hypervisors, command)
    shown = [_render(exchange, each, detailed=detailed) for each in found]
    if pattern is not None or not paged:
        return json_answer({"hypervisors": shown})
    last = str(shown[-1]["id"]) if shown else None
    return json_answer(page_document(exchange, "hypervisors", shown, last, limit))


def _matching(exchange: Exchange, pattern: str) -> list[Hypervisor]:
    found = exchange.read(list_hypervisors, ListHypervisors(query=HypervisorQuery(name_part=pattern)))
    if not found:
        raise not_found(f"No hypervisor matching '{pattern}' could be found.")
    return found


def _render(exchange: Exchange, found: Hypervisor, *, detailed: bool) -> dict[str, Any]:
    ident: str | int = found.uuid if exchange.minor >= UUIDS_SINCE else found.id
    document: dict[str, Any] = {
        "id": ident,
        "hypervisor_hostname": found.name,
        "state": "up" if found.up else "down",
        "status": "disabled" if found.disabled else "enabled",
    }
    if detailed:
        document |= _sizes(found) | {
            "hypervisor_type": found.hypervisor_type,
            "hypervisor_version": found.hypervisor_version,
            "host_ip": _HOST_IP,
            "service": {"id": ident, "host": found.name, "disabled_reason": None},
            "cpu_info": _cpu_info(exchange, found),
        }
    wanted = exchange.query("with_servers") if exchange.minor >= UUIDS_SINCE else None
    return document | (_servers(found) if wanted and wanted.lower() in ("true", "1", "yes", "on") else {})


def _sizes(found: Hypervisor) -> dict[str, Any]:
    vcpus, memory, disk = (found.size(name) for name in ("VCPU", "MEMORY_MB", "DISK_GB"))
    memory_used, disk_used = found.used("MEMORY_MB"), found.used("DISK_GB")
    return {
        "vcpus": vcpus,
        "vcpus_used": found.used("VCPU"),
        "memory_mb": memory,
        "memory_mb_used": memory_used,
        "free_ram_mb": memory - memory_used,
        "local_gb": disk,
        "local_gb_used": disk_used,
        "free_disk_gb": disk - disk_used,
        "disk_available_least": disk - disk_used,
        "running_vms": len(found.servers),
        "current_workload": 0,
    }


def _cpu_info(exchange: Exchange, found: Hypervisor) -> Any:
    """Return the CPU information. Quirk: a string with JSON in it until 2.27, the JSON itself from 2.28 on."""
    if exchange.minor < CPU_INFO_OBJECT_SINCE:
        return found.cpu_info or ""
    try:
        read = json.loads(found.cpu_info or "{}")
    except ValueError:
        return {}
    return read if isinstance(read, dict) else {}


def _servers(found: Hypervisor) -> dict[str, Any]:
    """Return the servers of a hypervisor. Quirk: Nova leaves the field out when there are none."""
    servers = [{"uuid": uuid, "name": name} for uuid, name in found.servers]
    return {"servers": servers} if servers else {}
