"""A request for machines as a user enters it, and the lease and the command line that it stands for."""

import json
import shlex

from msgspec import Struct
from msgspec.structs import replace

from dibs.console.errors import Refusal
from dibs.console.exchange import Exchange
from dibs.console.times import DAY, HOUR, MINUTE, Zone, command_form
from dibs.leases.model.dates import LeaseRules
from dibs.leases.model.leases import WHOLE_HOST
from dibs.leases.model.matching.offers import Offer
from dibs.leases.operations.planning import CreateLease, ReservationRequest

COUNT_MAX = 1_000
NAME_LENGTH_MAX = 80
TEXT_LENGTH_MAX = 500


class BookingRequest(Struct, frozen=True, kw_only=True):
    """Some machines for a window of time."""

    start: int
    end: int
    node: str = ""
    """The name of one host; empty for any that suits."""
    resource_class: str = ""
    traits: tuple[str, ...] = ()
    properties: tuple[tuple[str, str], ...] = ()
    count: int = 1
    name: str = ""

    def lease(self, rules: LeaseRules) -> CreateLease:
        """Return the command that books it."""
        reservation = ReservationRequest(
            resource_type=WHOLE_HOST, least=self.count, most=self.count, resource_properties=self._requirements()
        )
        return CreateLease(
            name=self.name or self.title, start_at=self.start, end_at=self.end, reservations=(reservation,), rules=rules
        )

    @property
    def title(self) -> str:
        """The machines in words."""
        return self.node or f"{self.count} \N{MULTIPLICATION SIGN} {self.resource_class or 'any class'}"

    def fields(self, zone: Zone) -> dict[str, str]:
        """Return the request as fields of a form and of a URL."""
        return {
            "start": zone.form(self.start),
            "end": zone.form(self.end),
            "node": self.node,
            "class": self.resource_class,
            "traits": " ".join(self.traits),
            "properties": " ".join(f"{key}={value}" for key, value in self.properties),
            "count": str(self.count),
        }

    @property
    def command(self) -> str:
        """The command line that books it; times are in UTC."""
        options = [f"--start {command_form(self.start)}", f"--end {command_form(self.end)}", f"--count {self.count}"]
        options += [f"--resource-class {shlex.quote(self.resource_class)}"] if self.resource_class else []
        options += [f"--trait {trait}" for trait in self.traits]
        options += [f"--property {shlex.quote(f'{key}={value}')}" for key, value in self.properties]
        options += [f"--property {shlex.quote(f'hypervisor_hostname={self.node}')}"] if self.node else []
        return " ".join(["dibs lease create", shlex.quote(self.name or "my-lease"), *options])

    def changed(self, offer: Offer) -> "BookingRequest":
        """Return the request with the change of an offer."""
        return replace(
            self,
            start=self.start if offer.start is None else offer.start,
            end=self.end if offer.end is None else offer.end,
            count=offer.count or self.count,
            node="" if _text(_named(self.node)) in offer.without else self.node,
            resource_class=offer.resource_class or self.resource_class,
            traits=tuple(trait for trait in self.traits if _text(_trait(trait)) not in offer.without),
            properties=tuple(pair for pair in self.properties if _text(_property(*pair)) not in offer.without),
        )

    def dropped(self, offer: Offer) -> list[str]:
        """Return in words what an offer leaves out of the request."""
        left = self.changed(offer)
        words = [self.node] if self.node != left.node else []
        words += [trait for trait in self.traits if trait not in left.traits]
        return words + [f"{key}={value}" for key, value in self.properties if (key, value) not in left.properties]

    def _requirements(self) -> str:
        terms = [_named(self.node)] if self.node else []
        terms += [["==", "$resource_class", self.resource_class]] if self.resource_class else []
        terms += [_trait(trait) for trait in self.traits]
        terms += [_property(key, value) for key, value in self.properties]
        return _text(["and", *terms]) if len(terms) > 1 else _text(terms[0]) if terms else ""


def read_request(exchange: Exchange, given: dict[str, str]) -> BookingRequest:
    """Read a request from a URL or a form; without dates it is for a day from the next full hour on."""
    zone = exchange.zone
    first = exchange.now - exchange.now % HOUR + HOUR
    start = zone.read(given["start"], "the start") if given.get("start") else first
    end = zone.read(given["end"], "the end") if given.get("end") else start + DAY
    for name, value in given.items():
        if len(value) > TEXT_LENGTH_MAX:
            raise Refusal(400, f"The field {name} is too long.")
    if len(given.get("name", "")) > NAME_LENGTH_MAX:
        raise Refusal(400, f"A name has at most {NAME_LENGTH_MAX} characters.")
    return BookingRequest(
        # A start in the current minute is now: the page may be a little older than its submission.
        start=max(start, exchange.now - exchange.now % MINUTE) if start > exchange.now - 10 * MINUTE else start,
        end=end,
        node=given.get("node", ""),
        resource_class=given.get("class", ""),
        traits=tuple(dict.fromkeys(given.get("traits", "").replace(",", " ").split())),
        properties=_read_properties(given.get("properties", "")),
        count=_read_count(given.get("count") or "1"),
        name=given.get("name", ""),
    )


def _named(node: str) -> list[str]:
    return ["==", "$hypervisor_hostname", node]


def _trait(trait: str) -> list[str]:
    return ["==", f"$trait:{trait}", "required"]


def _property(key: str, value: str) -> list[str]:
    return ["==", f"${key}", value]


def _text(term: object) -> str:
    """Return a term in the spelling in which offers name it."""
    return json.dumps(term)


def _read_count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:9]) <= COUNT_MAX:
        raise Refusal(400, f"The number of machines must be from 1 to {COUNT_MAX}.")
    return int(text)


def _read_properties(text: str) -> tuple[tuple[str, str], ...]:
    pairs = [tuple(word.split("=", 1)) for word in text.replace(",", " ").split()]
    if any(len(pair) != 2 or not all(pair) for pair in pairs):
        raise Refusal(400, "Write properties as name=value, such as rack=r1.")
    return tuple((pair[0], pair[1]) for pair in pairs)
