"""Flavors of reservations: the flavor that a client names, and the private flavor that a reservation creates."""

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

from dibs.flavors.model.flavors import Flavor, groups_of
from dibs.leases.model.errors import BadLease
from dibs.leases.model.leases import Reservation

_DEDICATED = ("hw:cpu_policy", "dedicated")


class InstanceSize(NamedTuple):
    """What one instance takes of its host, and which traits the host must and must not have."""

    resources: Mapping[str, int]
    required_traits: tuple[str, ...] = ()
    forbidden_traits: tuple[str, ...] = ()


def size_of(flavor: Flavor) -> InstanceSize:
    """Return what an instance of a flavor takes; dedicated processors count as PCPU."""
    if flavor.reserved_class is not None:
        raise BadLease(reason=f"Flavor {flavor.flavor} belongs to a reservation.")
    groups = groups_of(flavor).values()
    resources = sum((Counter(group.resources) for group in groups), Counter[str]())
    key, dedicated = _DEDICATED
    if flavor.extra_specs.get(key) == dedicated and "VCPU" in resources:
        resources["PCPU"] += resources.pop("VCPU")
    if not resources:
        raise BadLease(reason=f"An instance of flavor {flavor.flavor} takes nothing of its host.")
    required = {name for group in groups for choice in group.traits.required for name in choice}
    forbidden = {name for group in groups for name in group.traits.forbidden}
    return InstanceSize(dict(sorted(resources.items())), tuple(sorted(required)), tuple(sorted(forbidden)))


def flavor_document(flavor: Flavor) -> str:
    """Return a flavor as the reservation stores and shows it: in JSON with Nova's names."""
    return json.dumps(
        {
            "id": flavor.flavor,
            "name": flavor.name,
            "vcpus": flavor.vcpus,
            "ram": flavor.memory_mb,
            "disk": flavor.disk_gb,
            "swap": flavor.swap_mb or "",
            "OS-FLV-EXT-DATA:ephemeral": flavor.ephemeral_gb,
            "OS-FLV-DISABLED:disabled": False,
            "os-flavor-access:is_public": flavor.public,
            "rxtx_factor": flavor.rxtx_factor,
            "extra_specs": dict(flavor.extra_specs),
        }
    )


def private_flavor(reservation: Reservation, source: Flavor | None) -> dict[str, Any]:
    """Return the attributes of the flavor whose servers are instances of a reservation.

    Such a server takes one unit of the reservation's own class, in addition to what every server of its size takes.
    """
    sizes = reservation.resources
    own = {
        "vcpus": source.vcpus if source else sizes.get("VCPU", 0),
        "memory_mb": source.memory_mb if source else sizes.get("MEMORY_MB", 0),
        "disk_gb": source.disk_gb if source else sizes.get("DISK_GB", 0),
        "ephemeral_gb": source.ephemeral_gb if source else 0,
        "swap_mb": source.swap_mb if source else 0,
        "rxtx_factor": source.rxtx_factor if source else 1.0,
    }
    specs = dict(source.extra_specs) if source else {}
    return {
        **own,
        "flavor": reservation.uuid,
        "name": f"reservation:{reservation.uuid}",
        "description": None,
        "public": False,
        "extra_specs": {**specs, f"resources:{reservation.resource_class}": "1"},
        "reservation_id": reservation.id,
    }
