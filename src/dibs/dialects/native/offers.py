"""Offers as complete requests: a request of the API, and a command line."""

import json
import shlex
from typing import Any

from dibs.allocations.operations.why import ExplainNodes
from dibs.dialects.native.allocations import WAIT_SECONDS_MAX
from dibs.leases.model.dates import CURRENT_MINUTE, LeaseDate
from dibs.leases.model.leases import FLAVORED_INSTANCES, INSTANCES, WHOLE_HOST
from dibs.leases.model.matching.offers import Offer
from dibs.leases.model.matching.shortages import format_minute
from dibs.leases.model.matching.terms import EQUAL, is_class, is_comparison, split, trait_of
from dibs.leases.operations.availability import offered
from dibs.leases.operations.planning import CreateLease, ReservationRequest

NAME = "lease"
"""The name of a lease whose client gave none; names need not be unique."""


def render_allocation_offer(asked: ExplainNodes, offer: Offer) -> dict[str, Any] | None:
    """Return an offer to a client that asked for nodes; None for one that no request can express."""
    if (offer.wait_seconds or 0) > WAIT_SECONDS_MAX:
        return None
    resource_class = offer.resource_class or asked.resource_class
    traits = [trait for trait in dict.fromkeys(asked.traits) if trait not in offer.without]
    count = offer.count or asked.count
    body: dict[str, Any] = {"resource_class": resource_class, "count": count}
    words = ["dibs", "allocation", "create", "--resource-class", resource_class]
    if traits:
        body["traits"] = traits
        words += ["--trait", *traits]
    if asked.candidate_nodes:
        body["candidate_nodes"] = list(asked.candidate_nodes)
        words += ["--candidate-node", *asked.candidate_nodes]
    words += ["--bulk", str(count)] if count > 1 else []
    if offer.wait_seconds is not None:
        body["wait_seconds"] = offer.wait_seconds
        words += ["--wait", f"{offer.wait_seconds}s"]
    return _rendered(offer, "/dibs/v1/allocations", body, words)


def render_lease_offer(asked: CreateLease, offer: Offer) -> dict[str, Any]:
    """Return an offer to a client that asked for a lease."""
    command = offered(asked, offer)
    return _rendered(offer, "/reservation/v1/leases", _lease_body(command), _lease_command(command))


def _rendered(offer: Offer, path: str, body: dict[str, Any], words: list[str]) -> dict[str, Any]:
    return {
        "kind": offer.kind.value,
        "text": offer.text,
        "request": {"method": "POST", "path": path, "body": body},
        "command": shlex.join(words),
    }


def _lease_body(command: CreateLease) -> dict[str, Any]:
    """Return the body of POST /reservation/v1/leases."""
    return {
        "name": command.name or NAME,
        "start_date": _date(command.start_at),
        "end_date": _date(command.end_at),
        "reservations": [_reservation(each) for each in command.reservations],
        "events": [],
    }


def _lease_command(command: CreateLease) -> list[str]:
    """Return the words of ``dibs lease create``."""
    words = ["dibs", "lease", "create", *([command.name] if command.name else [])]
    words += ["--start", _date(command.start_at).replace(" ", "T"), "--end", _date(command.end_at).replace(" ", "T")]
    for request in command.reservations:
        words += _options(request) or ["--reservation", json.dumps(_reservation(request))]
    return words


def _date(date: LeaseDate) -> str:
    return "now" if date is CURRENT_MINUTE else format_minute(date)


def _reservation(request: ReservationRequest) -> dict[str, Any]:
    if request.resource_type == WHOLE_HOST:
        return {
            "resource_type": WHOLE_HOST,
            "min": request.least,
            "max": request.most,
            "hypervisor_properties": request.hypervisor_properties,
            "resource_properties": request.resource_properties,
        }
    if request.resource_type == FLAVORED_INSTANCES:
        return {"resource_type": FLAVORED_INSTANCES, "flavor_id": request.flavor, "amount": request.least}
    return {
        "resource_type": INSTANCES,
        "amount": request.least,
        **_sizes(request),
        "affinity": request.affinity,
        "resource_properties": request.resource_properties,
    }


def _sizes(request: ReservationRequest) -> dict[str, int]:
    names = {"vcpus": "VCPU", "memory_mb": "MEMORY_MB", "disk_gb": "DISK_GB"}
    return {key: request.resources.get(name, 0) for key, name in names.items()}


def _options(request: ReservationRequest) -> list[str]:
    """Return the options for a reservation; none when it is not one of the simple kinds that have options."""
    texts = (request.hypervisor_properties, request.resource_properties)
    terms = [term for text in texts if text for term in split(json.loads(text))]
    equal = all(is_comparison(term) and term[0] in EQUAL for term in terms)
    keys = [term[1] for term in terms if equal]
    if not equal or len(set(keys)) < len(keys) or request.affinity is not None or request.flavor is not None:
        return []
    if request.resource_type == WHOLE_HOST:
        words = ["--count", str(request.least)]
        words += ["--hosts-max", str(request.most)] if request.most > request.least else []
    else:
        words = ["--instances", str(request.least)]
        words += [word for key, size in _sizes(request).items() for word in (f"--{key.replace('_', '-')}", str(size))]
    for term in terms:
        words += _option(term)
    return words


def _option(term: list[str]) -> list[str]:
    if trait := trait_of(term):
        return ["--trait", trait]
    return ["--resource-class", term[2]] if is_class(term) else ["--property", f"{term[1][1:]}={term[2]}"]
