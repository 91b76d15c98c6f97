"""How servers are shown."""

import hashlib
from typing import Any

from dibs.dialects.compute import microversions as versions
from dibs.dialects.compute.exchange import Exchange
from dibs.dialects.compute.policy import EXTENDED_ATTRIBUTES, HOST_STATUS
from dibs.dialects.compute.times import render_naive, render_time
from dibs.machines.model import states
from dibs.servers.model.servers import ACTIVE, BUILD, ERROR, RESCUE, SHUTOFF, ServerView

ZONE = "nova"
"""The one availability zone that there is."""

_VM_STATES = {ACTIVE: "active", BUILD: "building", ERROR: "error", SHUTOFF: "stopped", RESCUE: "rescued"}
_NO_POWER_STATE, _RUNNING, _SHUT_DOWN = 0, 1, 4
_FAILURE = 500


def brief(exchange: Exchange, view: ServerView) -> dict[str, Any]:
    """A server by id and name."""
    server = view.server
    return {"id": server.uuid, "name": server.name, "links": exchange.links("servers", server.uuid)}


def whole(exchange: Exchange, view: ServerView) -> dict[str, Any]:
    """All that is known of a server, as far as the caller may know it."""
    server = view.server
    document = brief(exchange, view) | {
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
        "OS-EXT-STS:task_state": _task(view),
        "OS-EXT-STS:vm_state": _VM_STATES[view.status],
        "OS-EXT-STS:power_state": _power(view),
        "os-extended-volumes:volumes_attached": [],
    }
    if view.status == ERROR:
        created = render_time(server.updated_at or server.created_at)
        document["fault"] = {"code": _FAILURE, "created": created, "message": view.fault or "It failed."}
    if view.status in (ACTIVE, BUILD):
        document["progress"] = 100 if view.status == ACTIVE else 0
    return document | _later_fields(exchange, view) | _for_admins(exchange, view)


def _later_fields(exchange: Exchange, view: ServerView) -> dict[str, Any]:
    properties = view.server.properties
    fields = {
        "locked": (versions.LOCKED_SINCE, False),
        "description": (versions.DESCRIPTION_SINCE, properties.get("description")),
        "tags": (versions.TAGS_SHOWN_SINCE, properties.get("tags", [])),
    }
    return {name: value for name, (since, value) in fields.items() if since <= exchange.minor}


def _for_admins(exchange: Exchange, view: ServerView) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    project = view.server.project_id
    if exchange.policy.allows(EXTENDED_ATTRIBUTES, exchange.actor, project):
        fields |= {
            "OS-EXT-SRV-ATTR:host": view.host,
            "OS-EXT-SRV-ATTR:instance_name": f"instance-{view.server.id:08x}",
            "OS-EXT-SRV-ATTR:hypervisor_hostname": view.host,
        }
        if exchange.minor >= versions.EXTENDED_ATTRIBUTES_SINCE:
            fields |= {
                "OS-EXT-SRV-ATTR:hostname": view.server.name.lower(),
                "OS-EXT-SRV-ATTR:kernel_id": "",
                "OS-EXT-SRV-ATTR:launch_index": 0,
                "OS-EXT-SRV-ATTR:ramdisk_id": "",
                "OS-EXT-SRV-ATTR:reservation_id": None,
                "OS-EXT-SRV-ATTR:root_device_name": None,
                "OS-EXT-SRV-ATTR:user_data": None,
            }
    if exchange.minor >= versions.HOST_STATUS_SINCE and exchange.policy.allows(HOST_STATUS, exchange.actor, project):
        fields["host_status"] = "" if view.host is None else "UP" if view.host_is_up else "MAINTENANCE"
    return fields


def _flavor(exchange: Exchange, view: ServerView) -> dict[str, Any]:
    kept = view.server.flavor
    if exchange.minor < versions.EMBEDDED_FLAVOR_SINCE:
        bookmark = exchange.links("flavors", kept["id"])[1]
        return {"id": kept["id"], "links": [bookmark]}
    sizes = {name: kept[name] for name in ("vcpus", "ram", "disk", "ephemeral", "swap")}
    return sizes | {"original_name": kept["name"], "extra_specs": kept["extra_specs"]}


def _image(exchange: Exchange, view: ServerView) -> Any:
    image = view.server.image
    return {"id": image, "links": [exchange.links("images", image)[1]]} if image else ""


def _host_id(view: ServerView) -> str:
    """The same for servers of one project on one host, and nothing that tells which host that is."""
    if view.host is None:
        return ""
    return hashlib.sha224(f"{view.server.project_id}{view.host}".encode()).hexdigest()


def _task(view: ServerView) -> str | None:
    if view.leaving:
        return "deleting"
    return "spawning" if view.status == BUILD else None


def _power(view: ServerView) -> int:
    if view.node is None:
        return _RUNNING if view.status == ACTIVE else _NO_POWER_STATE
    powers = {states.POWER_ON: _RUNNING, states.POWER_OFF: _SHUT_DOWN}
    return powers.get(view.power_state or "", _NO_POWER_STATE)
