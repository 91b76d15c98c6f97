"""Offers as buttons: each is a form that books what it says."""

from collections.abc import Mapping

from msgspec import Struct

from dibs.console import times
from dibs.console.booking import BookingRequest
from dibs.console.times import Zone
from dibs.leases.model.matching.offers import Offer, OfferKind


class OfferButton(Struct, frozen=True, kw_only=True):
    """What would be possible instead."""

    title: str
    detail: str
    path: str
    """The page of the console that the form is sent to."""
    fields: Mapping[str, str]


def button_of(request: BookingRequest, title: str, detail: str, zone: Zone) -> OfferButton:
    """Return the button that books a request."""
    return OfferButton(title=title, detail=detail, path="/leases", fields=request.fields(zone))


def offer_button(request: BookingRequest, offer: Offer, zone: Zone, now: int) -> OfferButton:
    """Return the button of an offer; ``request`` is what it changes."""
    changed = request.changed(offer)
    length = times.duration(changed.end - changed.start)
    until = zone.short(changed.end, now)
    title, detail = {
        OfferKind.LATER: (
            f"Book {zone.short(changed.start, now)} to {until}",
            f"the earliest start for {length}",
        ),
        OfferKind.SHORTER: (f"Book until {until}", f"{length}, the longest time from that start"),
        OfferKind.FEWER: (f"Book {changed.count} instead of {request.count}", "at the same time"),
        OfferKind.WITHOUT: (f"Book without {', '.join(request.dropped(offer))}", "at the same time"),
        OfferKind.OTHER_CLASS: (f"Book {changed.title}", "at the same time, of another class"),
    }[offer.kind]
    return button_of(changed, title, detail, zone)
