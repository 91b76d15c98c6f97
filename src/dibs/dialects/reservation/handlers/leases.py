"""Handlers of leases."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote, urlencode

import msgspec

from dibs.dialects.reservation.documents.dates import read_date, read_moment
from dibs.dialects.reservation.documents.rendering import render_lease
from dibs.dialects.reservation.documents.reservation_values import read_changed_reservations, read_new_reservations
from dibs.dialects.reservation.documents.values import read_name, require
from dibs.dialects.reservation.errors import bad_request, malformed
from dibs.dialects.reservation.exchange import Exchange, empty_answer, json_answer
from dibs.documents.json_schema import Schema
from dibs.http.messages import Response
from dibs.integrations.flavors import with_external_flavors
from dibs.integrations.leasing import create_approved, update_approved
from dibs.leases.model.errors import NotEnoughHosts
from dibs.leases.model.matching.budgets import SearchBudget
from dibs.leases.model.matching.offers import Offer, OfferKind
from dibs.leases.operations.availability import find_later_start_of_update, find_offers
from dibs.leases.operations.leases import (
    DeleteLease,
    GetLease,
    ListLeases,
    delete_lease,
    get_lease,
    list_leases,
)
from dibs.leases.operations.planning import CreateLease
from dibs.leases.operations.updates import UPDATE_RULE, UpdateLease

LIMIT_MAX = 1_000
LIST_BYTES_MAX = 32 * 1024 * 1024
"""The size of an answer without a limit: about 20,000 leases."""

PAGE_QUERY: Mapping[str, Schema] = {
    "limit": {
        "type": "integer",
        "minimum": 1,
        "description": f"Maximum number of leases on a page, up to {LIMIT_MAX}; without it the answer has every lease.",
    },
    "marker": {"type": "string", "description": "ID of the last lease of the previous page."},
}


def list_all(exchange: Exchange) -> Response:
    """GET /v1/leases

    Blazar ignores the query and returns every lease, and its clients follow no links. So without a limit the answer has
    every lease, up to LIST_BYTES_MAX; it is read page by page, so that no transaction lasts long.
    """
    text, marker = exchange.query.get("limit"), exchange.query.get("marker")
    limit = LIMIT_MAX if text is None else _read_limit(text)
    pages: list[bytes] = []
    more = True
    while more and sum(map(len, pages)) < LIST_BYTES_MAX:
        page = exchange.read(list_leases, ListLeases(limit=limit, marker=marker))
        pages += [msgspec.json.encode(page.map(render_lease))[1:-1]] if page else []
        more = page.cut or len(page) == limit
        marker = page[-1].uuid if page else None
        if text is not None:
            break
    document: dict[str, Any] = {"leases": msgspec.Raw(b"[%b]" % b",".join(pages))}
    if more:
        query = urlencode({**({} if text is None else {"limit": text}), "marker": marker})
        href = f"{exchange.request.base_url}{quote(exchange.request.path)}?{query}"
        document["leases_links"] = [{"rel": "next", "href": href}]
    return json_answer(document)


def create(exchange: Exchange) -> Response:
    """POST /v1/leases"""
    command = with_external_flavors(_read_new(exchange), exchange.access, exchange.services.find_flavor)
    services = exchange.services
    with _naming_what_fits(exchange, command):
        lease = create_approved(services.runner, exchange.access, command, services.enforcement)
    exchange.services.wake()
    return json_answer({"lease": render_lease(lease)}, 201)


def show(exchange: Exchange) -> Response:
    """GET /v1/leases/{lease}"""
    return json_answer({"lease": render_lease(exchange.read(get_lease, GetLease(uuid=exchange.arguments["lease"])))})


def change(exchange: Exchange) -> Response:
    """PUT /v1/leases/{lease}

    Quirk not copied: the original answers with the state UPDATING; Dibs answers with the state after the update.
    """
    command = _read_change(exchange)
    services = exchange.services
    with _naming_what_fits(exchange, command):
        lease = update_approved(services.runner, exchange.access, command, services.enforcement)
    exchange.services.wake()
    return json_answer({"lease": render_lease(lease)})


def delete(exchange: Exchange) -> Response:
    """DELETE /v1/leases/{lease}"""
    exchange.write(delete_lease, DeleteLease(uuid=exchange.arguments["lease"]))
    exchange.services.wake()
    return empty_answer(204)


def _read_limit(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text)):
        raise bad_request(f"{text} is not a valid limit. It must be a number greater than 0.")
    return min(int(text), LIMIT_MAX)


@contextmanager
def _naming_what_fits(exchange: Exchange, command: CreateLease | UpdateLease) -> Iterator[None]:
    """Add the earliest start, and for a new lease the other offers, to the refusal of a lease or of an update.

    The search begins when the lease is refused and its locks are released: no other request waits for it.
    """
    try:
        yield
    except NotEnoughHosts as refused:
        reason = refused.details["shortage"]
        if isinstance(command, CreateLease):
            search = exchange.read(find_offers, command)
            earliest = search.later.run(SearchBudget(time.thread_time))
            others = search.run(earliest, SearchBudget(time.thread_time))
            raise NotEnoughHosts(shortage=f"{reason} {earliest.text}{_in_words(others)}") from None
        later = exchange.read(find_later_start_of_update, command)
        if later is None:
            raise
        raise NotEnoughHosts(shortage=f"{reason} {later.run(SearchBudget(time.thread_time)).text}") from None


def _in_words(offers: Sequence[Offer]) -> str:
    """Return the offers as a sentence; the earliest start has its own."""
    others = [offer.text for offer in offers if offer.kind is not OfferKind.LATER]
    return f" Possible instead: {'; '.join(others)}." if others else ""


def _read_new(exchange: Exchange) -> CreateLease:
    values = exchange.body()
    require(values, ("start_date", "end_date", "name"))
    if not isinstance(values.get("events") or [], list):
        raise malformed("events")
    before_end = values.get("before_end_date")
    return CreateLease(
        name=read_name(values["name"]),
        start_at=read_date(values["start_date"]),
        end_at=read_date(values["end_date"]),
        before_end_at=None if before_end is None else read_moment(before_end),
        reservations=read_new_reservations(values),
        rules=exchange.services.rules,
    )


def _read_change(exchange: Exchange) -> UpdateLease:
    values = exchange.body()
    uuid = exchange.arguments["lease"]
    start, end, before_end = (values.get(name) for name in ("start_date", "end_date", "before_end_date"))
    types: dict[str, str] = {}
    if values.get("reservations"):
        # Which values can be changed depends on the type, which never changes.
        lease = exchange.read(get_lease, GetLease(uuid=uuid, rule=UPDATE_RULE))
        types = {each.uuid: each.resource_type for each in lease.reservations}
    return UpdateLease(
        uuid=uuid,
        name=None if values.get("name") is None else read_name(values["name"]),
        start_at=None if start is None else read_date(start),
        end_at=None if end is None else read_date(end),
        before_end_at=None if before_end is None else read_moment(before_end),
        reservations=read_changed_reservations(values, types),
        rules=exchange.services.rules,
    )
