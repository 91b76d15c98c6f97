"""The answer to a request for machines: yes, or what remains after each condition, and what would be possible."""

import time
from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from dibs.console import times
from dibs.console.booking import BookingRequest
from dibs.console.exchange import Exchange
from dibs.integrations.flavors import with_external_flavors
from dibs.leases.model.access import require_in_own_project
from dibs.leases.model.leases import Lease
from dibs.leases.model.matching.budgets import SearchBudget
from dibs.leases.model.matching.calendar import BOOKED, HELD
from dibs.leases.model.matching.selection import FREE
from dibs.leases.operations.availability import (
    FindLatestEnd,
    LeaseAvailability,
    check_availability,
    find_latest_end,
)

RULE = "blazar:leases:post"


class Stage(Struct, frozen=True, kw_only=True):
    """The machines that remain after a condition."""

    count: int
    words: str
    percent: int


class OfferButton(Struct, frozen=True, kw_only=True):
    """What would be possible instead: a form that books it at once."""

    title: str
    detail: str
    path: str
    """The page of the console that the form is sent to."""
    fields: Mapping[str, str]


class Answer(Struct, frozen=True, kw_only=True):
    """The answer to a request."""

    request: BookingRequest
    fits: bool
    text: str = ""
    funnel: tuple[Stage, ...] = ()
    offers: tuple[OfferButton, ...] = ()


def find_answer(exchange: Exchange, request: BookingRequest) -> Answer:
    """Ask whether the request can be booked now, without booking anything."""
    require_in_own_project(exchange.leases, RULE)
    services = exchange.services
    command = with_external_flavors(request.lease(services.lease_rules), exchange.leases, services.find_flavor)
    found = exchange.read(check_availability, exchange.leases, command)
    if found.fits:
        return Answer(request=request, fits=True)
    return Answer(
        request=request,
        fits=False,
        text=found.text,
        funnel=_funnel(request, found.reasons),
        offers=tuple(_offers(exchange, request, found)),
    )


def offers_of_extension(exchange: Exchange, lease: Lease, classes: Sequence[str], end: int) -> list[OfferButton]:
    """Return what a user can have whose lease cannot end that late: the latest end, and machines for the rest."""
    rules = exchange.services.lease_rules
    latest = exchange.read(find_latest_end, exchange.leases, FindLatestEnd(uuid=lease.uuid, rules=rules)).latest
    possible = min(end, lease.end_at if latest is None else latest)
    offers = []
    if possible > lease.end_at:
        until, longer = exchange.zone.short(possible, exchange.now), times.duration(possible - lease.end_at)
        fields = {"end": exchange.zone.form(possible)}
        path = f"/leases/{lease.uuid}"
        offers.append(OfferButton(title=f"Extend to {until}", detail=f"by {longer}", path=path, fields=fields))
    for name, count in Counter(classes).items():
        rest = BookingRequest(start=possible, end=end, resource_class=name, count=count)
        if find_answer(exchange, rest).fits:
            offers.append(_button(exchange, rest, f"Book {rest.title} for the rest"))
    return offers


def _offers(exchange: Exchange, request: BookingRequest, found: LeaseAvailability) -> list[OfferButton]:
    offers = []
    later = found.later.run(SearchBudget(time.thread_time)) if found.later is not None else None
    if later is not None and later.moment is not None:
        moved = replace(request, start=later.moment, end=later.moment + request.end - request.start)
        length = times.duration(request.end - request.start)
        offers.append(_button(exchange, moved, f"Book {_window(exchange, moved)}", f"the earliest start for {length}"))
    free = found.reasons.get(FREE, 0)
    if 0 < free < request.count:
        fewer = replace(request, count=free)
        offers.append(_button(exchange, fewer, f"Book {free} instead of {request.count}", "at the same time"))
    return offers


def _button(exchange: Exchange, request: BookingRequest, title: str, detail: str = "") -> OfferButton:
    fields = request.fields(exchange.zone)
    return OfferButton(title=title, detail=detail or _window(exchange, request), path="/leases", fields=fields)


def _window(exchange: Exchange, request: BookingRequest) -> str:
    return f"{exchange.zone.short(request.start, exchange.now)} to {exchange.zone.short(request.end, exchange.now)}"


def _funnel(request: BookingRequest, reasons: Mapping[str, int]) -> tuple[Stage, ...]:
    """Count what each condition leaves; ``reasons`` has each host under the first condition that it fails."""
    total = left = sum(reasons.values())
    stages = [(total, "machines that can be booked")]
    conditions = [("resource_class", f"of class {request.resource_class}")] if request.resource_class else []
    conditions += [("hypervisor_hostname", f"named {request.node}")] if request.node else []
    conditions += [(trait, f"have {trait}") for trait in request.traits]
    conditions += [(key, f"with {key} {value}") for key, value in request.properties]
    counted = {FREE, BOOKED, HELD}
    for key, words in conditions:
        failed = {reason for reason in reasons if reason.startswith(f"lacks {key}")} - counted
        counted |= failed
        left -= sum(reasons[reason] for reason in failed)
        stages.append((left, words))
    broken = reasons.keys() - counted
    if broken:
        left -= sum(reasons[reason] for reason in broken)
        stages.append((left, f"usable ({', '.join(f'{reasons[each]} {each}' for each in sorted(broken))})"))
    stages.append((reasons.get(FREE, 0), "free in that window"))
    return tuple(Stage(count=count, words=words, percent=round(100 * count / max(1, total))) for count, words in stages)
