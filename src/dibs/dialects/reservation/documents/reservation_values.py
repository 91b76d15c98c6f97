"""Parse the reservations of a lease in a request; each resource type has parameters of its own.

This module checks types and missing parameters. The operation decides whether a change is allowed and whether there are
hosts.
"""

from collections.abc import Callable, Mapping
from typing import Any

from dibs.dialects.reservation.documents.values import (
    read_affinity,
    read_amount,
    read_before_end,
    read_number,
    read_requirements,
    require,
)
from dibs.dialects.reservation.errors import Refusal, bad_request, malformed, missing
from dibs.dialects.reservation.floating_ips import LEFT_OUT
from dibs.leases.model.leases import FLAVORED_INSTANCES, INSTANCES, RESERVATIONS_MAX, WHOLE_HOST
from dibs.leases.operations.planning import ReservationRequest
from dibs.leases.operations.updates import ReservationUpdate

FLOATING_IP = "virtual:floatingip"
FLAVOR_LENGTH_MAX = 255

Values = Mapping[str, Any]


def read_new_reservations(values: Values) -> tuple[ReservationRequest, ...]:
    """Parse the reservations of a new lease."""
    return tuple(_read_new(item) for item in _listed(values))


def read_changed_reservations(values: Values, types: Mapping[str, str]) -> tuple[ReservationUpdate, ...]:
    """Parse changes of reservations; ``types`` has the resource type of each reservation by its id."""
    return tuple(_read_change(item, types) for item in _listed(values))


def _listed(values: Values) -> list[Values]:
    given = values.get("reservations")
    if given is None:
        return []
    if not isinstance(given, list) or not all(isinstance(item, dict) for item in given):
        raise malformed("reservations")
    if len(given) > RESERVATIONS_MAX:
        raise bad_request(f"A lease has at most {RESERVATIONS_MAX} reservations.")
    return given


def _read_new(values: Values) -> ReservationRequest:
    if "resource_type" not in values:
        raise missing("resource_type")
    kind = values["resource_type"]
    if kind == FLOATING_IP:
        raise bad_request(f"The {FLOATING_IP} resource type is not supported. {LEFT_OUT}")
    if not isinstance(kind, str) or kind not in _KINDS:
        raise bad_request(f"The {kind} resource type is not supported")
    required, read = _KINDS[kind]
    require(values, required)
    return read(values)


def _read_change(values: Values, types: Mapping[str, str]) -> ReservationUpdate:
    """Quirk: keys that the type does not have are ignored, as everywhere in a lease."""
    ident = values.get("id")
    if not isinstance(ident, str):
        raise missing("reservation ID")
    read = _CHANGES.get(types.get(ident, ""))
    changes = read(values) if read else {}
    if "resource_type" in values:
        changes["resource_type"] = values["resource_type"]
    return ReservationUpdate(uuid=ident, values=changes)


def _read_hosts(values: Values) -> ReservationRequest:
    least, most = _read_count(values, "min"), _read_count(values, "max")
    if most < least:
        raise bad_request("Invalid values for min/max of hosts. Max must be equal to or larger than min.")
    return ReservationRequest(
        resource_type=WHOLE_HOST,
        least=least,
        most=most,
        hypervisor_properties=read_requirements(values, "hypervisor_properties"),
        resource_properties=read_requirements(values, "resource_properties"),
        before_end=read_before_end(values.get("before_end")),
    )


def _read_count(values: Values, name: str) -> int:
    count = read_number(values, name)
    if count < 1:
        raise malformed("min and max (must be greater than or equal to 1)")
    return count


def _read_sizes(values: Values) -> dict[str, int]:
    """Return the amount of each resource class that one instance takes, for the sizes in the request."""
    return {name: read_number(values, key, least=least) for key, (name, least) in _SIZES.items() if key in values}


def _read_instances(values: Values) -> ReservationRequest:
    """Read a reservation of instances.

    Better than the original, which fails (500) without ``affinity`` although the specification makes it optional.
    """
    amount = read_amount(values)
    return ReservationRequest(
        resource_type=INSTANCES,
        least=amount,
        most=amount,
        affinity=read_affinity(values.get("affinity")),
        resources=_read_sizes(values),
        resource_properties=read_requirements(values, "resource_properties"),
    )


def _read_flavored_instances(values: Values) -> ReservationRequest:
    amount = read_amount(values)
    if read_affinity(values.get("affinity")) is not None:
        raise Refusal(409, "Affinity not supported yet")
    flavor = values["flavor_id"]
    if not isinstance(flavor, str) or not 0 < len(flavor) <= FLAVOR_LENGTH_MAX:
        raise malformed("flavor_id")
    return ReservationRequest(resource_type=FLAVORED_INSTANCES, least=amount, most=amount, flavor=flavor)


def _change_hosts(values: Values) -> dict[str, Any]:
    counts = {name: _read_count(values, key) for key, name in _COUNTS.items() if key in values}
    texts = {name: read_requirements(values, name) for name in _REQUIREMENTS if name in values}
    before_end = {"before_end": read_before_end(values["before_end"])} if "before_end" in values else {}
    return {**counts, **texts, **before_end}


def _change_instances(values: Values) -> dict[str, Any]:
    changes = _change_amount(values)
    sizes = _read_sizes(values)
    if sizes:
        changes["resources"] = sizes
    if "resource_properties" in values:
        changes["resource_properties"] = read_requirements(values, "resource_properties")
    return changes


def _change_flavored_instances(values: Values) -> dict[str, Any]:
    """Parse a change that the operation refuses, so that the refusal comes from one place."""
    flavor = {"flavor": values["flavor_id"]} if "flavor_id" in values else {}
    return {**_change_amount(values), **flavor}


def _change_amount(values: Values) -> dict[str, Any]:
    amount = {"least": read_amount(values), "most": read_amount(values)} if "amount" in values else {}
    affinity = {"affinity": read_affinity(values["affinity"])} if "affinity" in values else {}
    return {**amount, **affinity}


_COUNTS = {"min": "least", "max": "most"}
_REQUIREMENTS = ("hypervisor_properties", "resource_properties")
_SIZES = {"vcpus": ("VCPU", 1), "memory_mb": ("MEMORY_MB", 1), "disk_gb": ("DISK_GB", 0)}
"""The parameters of the size of an instance: resource class and minimum."""

_KINDS: Mapping[str, tuple[tuple[str, ...], Callable[[Values], ReservationRequest]]] = {
    WHOLE_HOST: (("min", "max", "hypervisor_properties", "resource_properties"), _read_hosts),
    INSTANCES: (("vcpus", "memory_mb", "disk_gb", "amount", "resource_properties"), _read_instances),
    FLAVORED_INSTANCES: (("flavor_id", "amount"), _read_flavored_instances),
}
"""By resource type: the required parameters, and the parser."""
_CHANGES: Mapping[str, Callable[[Values], dict[str, Any]]] = {
    WHOLE_HOST: _change_hosts,
    INSTANCES: _change_instances,
    FLAVORED_INSTANCES: _change_flavored_instances,
}
"""By resource type: the parser of changes, which returns attributes of Reservation."""
