"""Explain whether a lease is possible, why not, when it will be, and the alternatives, without booking anything."""

import time
from collections.abc import Mapping
from typing import Any

from dibs.dialects.native.errors import Refusal
from dibs.dialects.native.exchange import Exchange, json_answer
from dibs.dialects.native.offers import render_lease_offer
from dibs.dialects.native.times import read_time, render_time
from dibs.documents.json_schema import Schema
from dibs.http.messages import Response
from dibs.integrations.flavors import with_external_flavors
from dibs.leases.model.access import require_in_own_project
from dibs.leases.model.dates import CURRENT_MINUTE, CurrentMinute
from dibs.leases.model.leases import FLAVORED_INSTANCES, INSTANCES, RESOURCE_TYPES, WHOLE_HOST
from dibs.leases.model.matching.budgets import SearchBudget
from dibs.leases.model.matching.earliest_start import EarliestStart
from dibs.leases.model.windows import SECOND
from dibs.leases.operations.availability import check_availability
from dibs.leases.operations.planning import CreateLease, ReservationRequest

RULE = "blazar:leases:post"
REQUIREMENTS_LENGTH_MAX = 4_000

_AFFINITIES = {"true": True, "false": False, "none": None}
_SIZES = {"vcpus": "VCPU", "memory_mb": "MEMORY_MB", "disk_gb": "DISK_GB"}
_DATE: Schema = {"type": "string", "description": "ISO 8601 timestamp, in UTC unless it has an offset; or now."}
_COUNT: Schema = {"type": "string", "pattern": "^[1-9][0-9]{0,8}$"}
_SIZE: Schema = {"type": "string", "pattern": "^[0-9]{1,9}$", "description": f"{INSTANCES}: size of one instance."}
_REQUIREMENTS: Schema = {
    "type": "string",
    "maxLength": REQUIREMENTS_LENGTH_MAX,
    "description": 'JSON, such as ["==", "$gpu", "a100"].',
}

QUERY: Mapping[str, Schema] = {
    "start": {**_DATE, "description": f"{_DATE['description']} Default: now."},
    "end": {**_DATE, "description": f"{_DATE['description']} Required."},
    "name": {"type": "string", "maxLength": 80, "description": "Name of the lease in the offers."},
    "resource_type": {"enum": list(RESOURCE_TYPES), "description": f"Default: {WHOLE_HOST}."},
    "min": {**_COUNT, "description": f"{WHOLE_HOST}: minimum number of hosts. Default: 1."},
    "max": {**_COUNT, "description": f"{WHOLE_HOST}: maximum number of hosts. Default: min."},
    "amount": {**_COUNT, "description": "Number of instances. Default: 1."},
    **dict.fromkeys(_SIZES, _SIZE),
    "flavor_id": {"type": "string", "maxLength": 255, "description": f"Required for {FLAVORED_INSTANCES}."},
    "affinity": {
        "enum": list(_AFFINITIES),
        "description": "true: all instances on one host. false: each on another host. none: no preference.",
    },
    "hypervisor_properties": _REQUIREMENTS,
    "resource_properties": _REQUIREMENTS,
}


def explain(exchange: Exchange) -> Response:
    """GET /v1/leases/availability"""
    access = exchange.services.lease_policy.access(exchange.actor)
    require_in_own_project(access, RULE)
    asked = exchange.query(QUERY)
    if "end" not in asked:
        raise Refusal(400, "The query parameter end is required.")
    command = CreateLease(
        name=asked.get("name", ""),
        start_at=_read_time(asked, "start"),
        end_at=_read_time(asked, "end"),
        reservations=(_read_reservation(asked),),
        rules=exchange.services.lease_rules,
    )
    command = with_external_flavors(command, access, exchange.services.find_flavor)
    found = exchange.services.runner.read(check_availability, access, command)
    later = found.later.run(SearchBudget(time.thread_time)) if found.later is not None else None
    offers = found.offers.run(later, SearchBudget(time.thread_time)) if found.offers is not None and later else ()
    return json_answer(
        {
            "fits": found.fits,
            "hosts": found.hosts,
            "reasons": dict(found.reasons),
            "text": f"{found.text} {later.text}" if later is not None else found.text,
            "earliest": render_time(found.start if later is None else later.moment),
            "search": None if later is None else _render_search(later),
            "offers": [render_lease_offer(command, offer) for offer in offers] if _can_be_created(command) else [],
        }
    )


def _can_be_created(command: CreateLease) -> bool:
    """Return False for instances without processors or memory, which can be asked about, but not reserved."""
    return all(
        request.resource_type != INSTANCES or (request.resources["VCPU"] and request.resources["MEMORY_MB"])
        for request in command.reservations
    )


def _render_search(search: EarliestStart) -> dict[str, Any]:
    return {"result": search.result.value, "steps": search.steps}


def _read_reservation(asked: Mapping[str, str]) -> ReservationRequest:
    kind = asked.get("resource_type", WHOLE_HOST)
    if kind == FLAVORED_INSTANCES and "flavor_id" not in asked:
        raise Refusal(400, f"The query parameter flavor_id is required for {FLAVORED_INSTANCES}.")
    least, most = (asked.get("min", "1"), asked.get("max")) if kind == WHOLE_HOST else (asked.get("amount", "1"), None)
    if int(most or least) < int(least):
        raise Refusal(400, "The query parameter max must not be less than min.")
    return ReservationRequest(
        resource_type=kind,
        least=int(least),
        most=int(most or least),
        affinity=None if kind == WHOLE_HOST else _AFFINITIES[asked.get("affinity", "none")],
        resources={name: int(asked.get(key, 0)) for key, name in _SIZES.items()} if kind == INSTANCES else {},
        flavor=asked.get("flavor_id"),
        hypervisor_properties=asked.get("hypervisor_properties", ""),
        resource_properties=asked.get("resource_properties", ""),
    )


def _read_time(asked: Mapping[str, str], name: str) -> int | CurrentMinute:
    text = asked.get(name, "now")
    if text == "now":
        return CURRENT_MINUTE
    try:
        return read_time(text) // SECOND * SECOND
    except ValueError:
        raise Refusal(400, f"The query parameter {name} is not a valid ISO 8601 timestamp: {text[:100]}") from None
