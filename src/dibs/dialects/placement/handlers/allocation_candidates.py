"""GET /allocation_candidates: parse the query, search, render."""

from collections.abc import Iterable
from random import getrandbits
from typing import Any

from msgspec.structs import replace

from dibs.candidates.model.candidate_query import CandidateQuery
from dibs.candidates.model.candidates import Candidate, Candidates
from dibs.candidates.model.provider_tree import Member
from dibs.candidates.operations.candidates import find_candidates
from dibs.dialects.placement.errors import refusal_of
from dibs.dialects.placement.exchange import Exchange, json_answer
from dibs.dialects.placement.handlers.candidate_query import PARAMETERS, read_query
from dibs.http.messages import Response
from dibs.ledger.model.errors import ResourceClassNotFound

QUERY = PARAMETERS
"""The parameters of the newest version, for the routing table."""

BY_PROVIDER_SINCE = 12
TRAITS_SINCE = 17
ALL_CLASSES_SINCE = 27
TREES_SINCE = 29
MAPPINGS_SINCE = 34


def list_candidates(exchange: Exchange) -> Response:
    """GET /allocation_candidates"""
    query = read_query(exchange.query, exchange.minor, nested=exchange.minor >= TREES_SINCE)
    if exchange.services.randomize_candidates:
        query = replace(query, shuffle_seed=getrandbits(32))
    try:
        found = exchange.read(find_candidates, query)
    except ResourceClassNotFound as error:
        raise refusal_of(error, "Invalid resource class in resources parameter: ") from None
    return json_answer(exchange, _document(exchange.minor, query, found), modified=exchange.now())


def _document(minor: int, query: CandidateQuery, found: Candidates) -> dict[str, Any]:
    classes = None if minor >= ALL_CLASSES_SINCE else query.class_names()
    return {
        "allocation_requests": [_request(minor, candidate) for candidate in found.candidates],
        "provider_summaries": {member.uuid: _summary(minor, member, classes) for member in found.providers},
    }


def _request(minor: int, candidate: Candidate) -> dict[str, Any]:
    """Render a candidate in the form in which PUT /allocations/{consumer} of the same version accepts it."""
    amounts = candidate.resources.items()
    if minor < BY_PROVIDER_SINCE:
        return {"allocations": [{"resource_provider": {"uuid": uuid}, "resources": each} for uuid, each in amounts]}
    shown: dict[str, Any] = {"allocations": {uuid: {"resources": each} for uuid, each in amounts}}
    if minor >= MAPPINGS_SINCE:
        shown["mappings"] = {suffix: list(uuids) for suffix, uuids in candidate.mappings.items()}
    return shown


def _summary(minor: int, member: Member, classes: Iterable[str] | None) -> dict[str, Any]:
    """Render a provider with its classes, or with these classes only."""
    shown: dict[str, Any] = {
        "resources": {
            name: {"capacity": int(inventory.capacity), "used": inventory.used}
            for name, inventory in member.inventories.items()
            if classes is None or name in classes
        }
    }
    if minor >= TRAITS_SINCE:
        # Quirk: standard traits come first, as in Placement, whose test suite checks it.
        shown["traits"] = sorted(member.traits, key=lambda name: (name.startswith("CUSTOM_"), name))
    if minor >= TREES_SINCE:
        shown["parent_provider_uuid"] = member.parent
        shown["root_provider_uuid"] = member.root
    return shown
