"""The answer to a request for machines: yes, or what remains after each condition, and what would be possible."""

import time
from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from dibs.access.machine_policy import listed_projects
from dibs.console import times
from dibs.console.booking import BookingRequest
from dibs.console.exchange import Exchange
from dibs.console.presentation.offers import OfferButton, button_of, offer_button
from dibs.integrations.flavors import with_external_flavors
from dibs.leases.model.access import require_in_own_project
from dibs.leases.model.leases import Lease
from dibs.leases.model.matching.budgets import SearchBudget
from dibs.leases.model.matching.calendar import BOOKED, HELD
from dibs.leases.model.matching.offers import Offer
from dibs.leases.model.matching.selection import FREE
from dibs.leases.operations.availability import (
    FindLatestEnd,
    LeaseAvailability,
    check_availability,
    find_latest_end,
)
from dibs.machines.model.node_query import Equals, NodeQuery
from dibs.machines.operations.nodes import list_nodes

RULE = "blazar:leases:post"


class Stage(Struct, frozen=True, kw_only=True):
    """The machines that remain after a condition."""

    count: int
    words: str
    percent: int


class Answer(Struct, frozen=True, kw_only=True):
    """The answer to a request."""

    request: BookingRequest
    fits: bool
    text: str = ""
    funnel: tuple[Stage, ...] = ()
    offers: tuple[OfferButton, ...] = ()


def find_answer(exchange: Exchange, request: BookingRequest) -> Answer:
    """Ask whether the request can be booked now, without booking anything."""
    found = _check(exchange, request)
    if found.offers is None:
        # Without offers there is a machine; the project's quota may be against it.
        return Answer(request=request, fits=found.fits, text=found.text)
    later = found.offers.later.run(SearchBudget(time.thread_time))
    offers = found.offers.run(later, SearchBudget(time.thread_time))
    buttons = [offer_button(request, each, exchange.zone, exchange.now) for each in offers if not _loses(request, each)]
    return Answer(
        request=request,
        fits=False,
        text=found.text,
        funnel=_funnel(request, found.reasons),
        offers=(*buttons, *_others_of_its_class(exchange, request)),
    )


def offers_of_extension(exchange: Exchange, lease: Lease, classes: Sequence[str], end: int) -> list[OfferButton]:
    """Return what a user can have whose lease cannot end that late: the latest end, and machines for the rest."""
    rules, zone = exchange.services.lease_rules, exchange.zone
    latest = exchange.read(find_latest_end, exchange.leases, FindLatestEnd(uuid=lease.uuid, rules=rules)).latest
    possible = min(end, lease.end_at if latest is None else latest)
    offers = []
    if possible > lease.end_at:
        title, longer = f"Extend to {zone.short(possible, exchange.now)}", times.duration(possible - lease.end_at)
        fields = {"end": zone.form(possible)}
        offers.append(OfferButton(title=title, detail=f"by {longer}", path=f"/leases/{lease.uuid}", fields=fields))
    for name, count in Counter(classes).items():
        rest = BookingRequest(start=possible, end=end, resource_class=name, count=count)
        if _check(exchange, rest).fits:
            window = f"{zone.short(possible, exchange.now)} to {zone.short(end, exchange.now)}"
            offers.append(button_of(rest, f"Book {rest.title} for the rest", window, zone))
    return offers


def _check(exchange: Exchange, request: BookingRequest) -> LeaseAvailability:
    require_in_own_project(exchange.leases, RULE)
    services = exchange.services
    command = with_external_flavors(request.lease(services.lease_rules), exchange.leases, services.find_flavor)
    return exchange.read(check_availability, exchange.leases, command)


def _loses(request: BookingRequest, offer: Offer) -> bool:
    """Return True for the offer of any machine of any class to a user who asked for one machine."""
    return request.node != "" and request.changed(offer).node == ""


def _others_of_its_class(exchange: Exchange, request: BookingRequest) -> list[OfferButton]:
    """Return the offer of another machine of the same class to a user who asked for one machine."""
    if not request.node:
        return []
    query = NodeQuery(
        columns=frozenset({"resource_class"}),
        projects=listed_projects(exchange.machines, "node"),
        conditions=(Equals("name", request.node),),
    )
    for row in exchange.read(list_nodes, exchange.machines, query).rows():
        other = replace(request, node="", resource_class=row["resource_class"] or "")
        if other.resource_class and _check(exchange, other).fits:
            return [button_of(other, f"Book another {other.resource_class} machine", "at the same time", exchange.zone)]
    return []


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
