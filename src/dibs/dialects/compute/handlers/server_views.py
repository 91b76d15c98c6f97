"""The JSON documents of servers."""

import hashlib
from typing import Any

from dibs.access.compute_policy import EXTENDED_ATTRIBUTES, HOST_STATUS
from dibs.dialects.compute import microversions
from dibs.dialects.compute.exchange import Exchange
from dibs.dialects.compute.times import render_naive, render_time
from dibs.machines.model import states
from dibs.servers.model.servers import ACTIVE, BUILD, ERROR, RESCUE, SHUTOFF, ServerView

ZONE = "nova"
"""The only availability zone."""

_VM_STATES = {ACTIVE: "active", BUILD: "building", ERROR: "error", SHUTOFF: "stopped", RESCUE: "rescued"}
_NO_POWER_STATE, _RUNNING, _SHUT_DOWN = 0, 1, 4
_FAILURE = 500


def summary(exchange: Exchange, view: ServerView) -> dict[str, Any]:
    """Return the id, name and links of a server."""
    server = view.server
    return {"id": server.uuid, "name": server.name, "links": exchange.links("servers", server.uuid)}


def details(exchange: Exchange, view: ServerView) -> dict[str, Any]:
    """Return a server in detail; admins see more."""
    server = view.server
    document = summary(exchange, view) | {
        "status": view.status,
        "tenant_id": server.project_id or "",
        "user_id": server.user_id or "",
        "metadata": server.properties.get("metadata", {}),
        "hostId": _host_id(view),
        "image": _image(exchange, view),
        "flavor": _flavor(exchange, view),
        "created": render_time(server.created_at),
        "updated": render_time(server.updated_at or server.created_at),
        "addresses": {},
        "accessIPv4": "",
        "accessIPv6": "",
        "OS-DCF:diskConfig": "MANUAL",
        "OS-EXT-AZ:availability_zone": ZONE if view.host else "",
        "config_drive": "True" if server.properties.get("config_drive") else "",
        "key_name": server.properties.get("key_name"),
        "OS-SRV-USG:launched_at": render_naive(view.launched_at),
        "OS-SRV-USG:terminated_at": None,
        "OS-EXT-STS:task_state": _task_state(view),
        "OS-EXT-STS:vm_state": _VM_STATES[view.status],
        "OS-EXT-STS:power_state": _power_state(view),
        "os-extended-volumes:volumes_attached": [],
    }
    if view.status == ERROR:
        created = render_time(server.updated_at or server.created_at)
        document["fault"] = {
            "code": _FAILURE,
            "created": created,
            "message": view.fault or "The node failed without an error message.",
        }
    if view.status in (ACTIVE, BUILD):
        document["progress"] = 100 if view.status == ACTIVE else 0
    return document | _fields_of_later_versions(exchange, view) | _admin_fields(exchange, view)


def _fields_of_later_versions(exchange: Exchange, view: ServerView) -> dict[str, Any]:
    properties = view.server.properties
    fields = {
        "locked": (microversions.LOCKED_SINCE, False),
        "description": (microversions.DESCRIPTION_SINCE, properties.get("description")),
        "tags": (microversions.TAGS_SHOWN_SINCE, properties.get("tags", [])),
    }
    return {name: value for name, (since, value) in fields.items() if since <= exchange.minor}


def _admin_fields(exchange: Exchange, view: ServerView) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    project = view.server.project_id
    if exchange.allows(EXTENDED_ATTRIBUTES, project):
        fields |= {
            "OS-EXT-SRV-ATTR:host": view.host,
            "OS-EXT-SRV-ATTR:instance_name": f"instance-{view.server.id:08x}",
            "OS-EXT-SRV-ATTR:hypervisor_hostname": view.host,
        }
        if exchange.minor >= microversions.EXTENDED_ATTRIBUTES_SINCE:
            fields |= {
                "OS-EXT-SRV-ATTR:hostname": view.server.name.lower(),
                "OS-EXT-SRV-ATTR:kernel_id": "",
                "OS-EXT-SRV-ATTR:launch_index": 0,
                "OS-EXT-SRV-ATTR:ramdisk_id": "",
                "OS-EXT-SRV-ATTR:reservation_id": None,
                "OS-EXT-SRV-ATTR:root_device_name": None,
                "OS-EXT-SRV-ATTR:user_data": None,
            }
    if exchange.minor >= microversions.HOST_STATUS_SINCE and exchange.allows(HOST_STATUS, project):
        fields["host_status"] = "" if view.host is None else "UP" if view.host_is_up else "MAINTENANCE"
    return fields


def _flavor(exchange: Exchange, view: ServerView) -> dict[str, Any]:
    embedded = view.server.flavor
    if exchange.minor < microversions.EMBEDDED_FLAVOR_SINCE:
        bookmark = exchange.links("flavors", embedded["id"])[1]
        return {"id": embedded["id"], "links": [bookmark]}
    sizes = {name: embedded[name] for name in ("vcpus", "ram", "disk", "ephemeral", "swap")}
    return sizes | {"original_name": embedded["name"], "extra_specs": embedded["extra_specs"]}


def _image(exchange: Exchange, view: ServerView) -> Any:
    image = view.server.image
    return {"id": image, "links": [exchange.links("images", image)[1]]} if image else ""


def _host_id(view: ServerView) -> str:
    """Return a hash that is equal for servers of one project on one host, and does not reveal the host."""
    if view.host is None:
        return ""
    return hashlib.sha224(f"{view.server.project_id}{view.host}".encode()).hexdigest()


def _task_state(view: ServerView) -> str | None:
    if view.delete_deferred:
        return "deleting"
    return "spawning" if view.status == BUILD else None


def _power_state(view: ServerView) -> int:
    if view.node is None:
        return _RUNNING if view.status == ACTIVE else _NO_POWER_STATE
    powers = {states.POWER_ON: _RUNNING, states.POWER_OFF: _SHUT_DOWN}
    return powers.get(view.power_state or "", _NO_POWER_STATE)
