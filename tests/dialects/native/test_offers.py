"""Offers instead of what does not fit: each succeeds if it is sent immediately.

``SITUATIONS=1000`` asks in as many random situations; without it there are few.
"""

import argparse
import json
import os
import random
import shlex
from collections import Counter
from collections.abc import Iterator
from typing import Any
from unittest.mock import Mock
from urllib.parse import urlencode

from dibs.access.access import SERVICE
from dibs.access.actor import SERVICE_ACTOR
from dibs.allocations.model.allocations import Lifetime
from dibs.allocations.model.outcomes import Outcome
from dibs.allocations.model.queue import QueueEntry
from dibs.allocations.operations.allocations import delete_allocation
from dibs.allocations.operations.matching import MatchEntry, match_entry
from dibs.cli.commands import allocation as allocation_commands
from dibs.cli.commands import lease as lease_commands
from dibs.leases.model.matching.shortages import format_minute
from tests.allocation_builders import allocate, force
from tests.builders import Ledger
from tests.dialects.native.conversation import Conversation, person
from tests.dialects.reservation.conversation import Conversation as Reservations
from tests.hold_builders import hold
from tests.lease_builders import at, lease, make_host, register, whole

SITUATIONS = int(os.environ.get("SITUATIONS", "40"))
SITUATIONS_MAX = 1_000 + SITUATIONS
CLASSES = ("gold", "silver", "tin")
TRAITS = ("CUSTOM_A", "CUSTOM_B", "CUSTOM_C")
RACK = '["==", "$rack", "r1"]'
EITHER = ["or", ["==", "$rack", "r2"], ["==", "$trait:CUSTOM_A", "required"]]


def arguments_of(command: str, parser: Any) -> argparse.Namespace:
    """Parse a command line as the program does."""
    arguments: argparse.Namespace = parser(Mock(), None).get_parser("dibs").parse_args(shlex.split(command)[3:])
    return arguments


def time_in(hours: int) -> str:
    return format_minute(at(hours)).replace(" ", "T")


def enrol_fleet(ledger: Ledger, chance: random.Random, count: int) -> list[Any]:
    return [
        ledger.enrol(
            resource_class=chance.choice(CLASSES),
            with_traits=tuple(trait for trait in TRAITS if chance.random() < 0.6),
        )
        for _ in range(count)
    ]


class LeaseClient:
    """Asks for leases, and accepts what it is offered."""

    def __init__(self, ask: Conversation, chance: random.Random) -> None:
        self.ask, self.chance = ask, chance
        self.reservations = Reservations(ask.ledger, SERVICE_ACTOR)
        self.leases: list[str] = []
        self.accepted = Counter[str]()

    def random_reservation(self) -> dict[str, Any]:
        chance = self.chance
        terms = [["==", f"$trait:{trait}", "required"] for trait in TRAITS if chance.random() < 0.1]
        terms += [["==", "$resource_class", chance.choice(CLASSES)]] if chance.random() < 0.5 else []
        terms += [[chance.choice(("==", "!=")), "$rack", chance.choice(("r1", "r2"))]] if chance.random() < 0.3 else []
        terms += [chance.choice((EITHER, ["not", json.loads(RACK)]))] if chance.random() < 0.1 else []
        text = json.dumps(terms[0] if len(terms) == 1 else ["and", *terms]) if terms else ""
        if chance.random() < 0.6:
            least = chance.randint(1, 3)
            counts = {"min": least, "max": least + chance.randint(0, 2)}
            named = RACK if chance.random() < 0.2 else ""
            texts = {"hypervisor_properties": named, "resource_properties": text}
            return {"resource_type": "physical:host", **counts, **texts}
        sizes = {"amount": chance.randint(1, 8), "vcpus": chance.choice((1, 16, 40)), "memory_mb": 1, "disk_gb": 1}
        affinity = chance.choice((None, None, True, False))
        return {"resource_type": "virtual:instance", **sizes, "affinity": affinity, "resource_properties": text}

    def random_lease(self) -> dict[str, Any]:
        start = self.chance.randint(1, 12)
        dates = {
            "start_date": format_minute(at(start)),
            "end_date": format_minute(at(start + self.chance.randint(1, 8))),
        }
        return {"name": "l", **dates, "reservations": [self.random_reservation()], "events": []}

    def change_calendar(self) -> None:
        if self.leases and self.chance.random() < 0.4:
            gone = self.leases.pop(self.chance.randrange(len(self.leases)))
            assert self.reservations("DELETE", f"/v1/leases/{gone}").status == 204
        made = self.reservations("POST", "/v1/leases", self.random_lease())
        assert made.status in (201, 409)
        self.leases += [made.json["lease"]["id"]] if made.status == 201 else []

    def is_accepted(self, body: dict[str, Any]) -> bool:
        made = self.reservations("POST", "/v1/leases", body)
        assert made.status in (201, 409), made.body
        if made.status == 201:
            assert self.reservations("DELETE", f"/v1/leases/{made.json['lease']['id']}").status == 204
        return made.status == 201

    def accept_offers(self, asked: dict[str, Any]) -> None:
        (reservation,) = asked["reservations"]
        given = {key: str(value) for key, value in reservation.items() if value not in (None, "")}
        given |= {"affinity": given["affinity"].lower()} if "affinity" in given else {}
        query = {"name": "l", "start": asked["start_date"], "end": asked["end_date"], **given}
        status, answer = self.ask("GET", f"/v1/leases/availability?{urlencode(query)}")
        assert status == 200, answer
        assert answer["fits"] is self.is_accepted(asked)
        for offer in answer["offers"]:
            body = offer["request"]["body"]
            assert self.is_accepted(body), (asked, offer)
            arguments = arguments_of(offer["command"], lease_commands.Create)
            assert self.is_accepted({**body, "reservations": lease_commands._reservations(arguments)}), offer
            assert (arguments.name, f"{arguments.end:%Y-%m-%d %H:%M}") == ("l", body["end_date"])
            self.accepted[offer["kind"]] += 1


def situations(accepted: Counter[str], kinds: set[str]) -> Iterator[int]:
    """Count situations until every kind of offer was accepted, and SITUATIONS at least.

    Which hosts a lease gets is random, so no number of them shows every kind for certain.
    """
    for number in range(SITUATIONS_MAX):
        if number >= SITUATIONS and accepted.keys() >= kinds:
            return
        yield number


def test_every_offer_of_a_lease_is_accepted_in_random_situations(ask: Conversation) -> None:
    chance = random.Random(15)
    for number, node in enumerate(enrol_fleet(ask.ledger, chance, 8)):
        register(ask.ledger, node, rack=f"r{number % 2 + 1}")
    for number in range(3):
        make_host(ask.ledger, f"c{number}", rack="r1")
    client = LeaseClient(ask, chance)
    for _ in range(40):
        client.change_calendar()
    kinds = {"later", "shorter", "fewer", "without", "class"}
    for _ in situations(client.accepted, kinds):
        client.change_calendar()
        client.accept_offers(client.random_lease())
    assert client.accepted.keys() == kinds


class AllocationClient:
    """Asks for nodes, and accepts what it is offered."""

    def __init__(self, ask: Conversation, chance: random.Random) -> None:
        self.ask, self.chance, self.ledger = ask, chance, ask.ledger
        self.nodes: list[Any] = []
        self.waiting: list[str] = []
        self.accepted = Counter[str]()

    def renew_fleet(self) -> None:
        """Replace all nodes, and empty the queue."""
        for node in self.nodes:
            force(self.ledger, node, maintenance=True)
        self.delete(self.waiting)
        self.waiting = []
        self.nodes = enrol_fleet(self.ledger, self.chance, 8)

    def change_fleet(self) -> None:
        """Occupy a node, or let an allocation wait."""
        node, seconds = self.ledger.node(self.chance.choice(self.nodes)), self.chance.randint(60, 900)
        event = self.chance.choice(("hold", "use", "maintenance", "wait"))
        if event == "wait":
            made = allocate(self.ledger, resource_class=node.resource_class, wait_seconds=seconds)
            self.waiting.append(made.uuid)
        elif not node.maintenance and (self.ledger.unit(node) or {})["used"] == 0:
            if event == "hold":
                hold(self.ledger, node, access=SERVICE, seconds=seconds)
            elif event == "maintenance":
                force(self.ledger, node, maintenance=True)
            else:
                force(self.ledger, node, provision_state="active")
                allocate(self.ledger, resource_class=None, node=node.uuid, lifetime=Lifetime(seconds=seconds))

    def accept_offers(self, **query: Any) -> None:
        status, answer = self.ask("GET", f"/v1/why?{urlencode(query)}")
        assert status == 200, answer
        for offer in answer["offers"]:
            body = offer["request"]["body"]
            made = self.ask.ask(SERVICE_ACTOR, **body)
            entry = QueueEntry(key=made[0]["batch"] or made[0]["uuid"], batch=made[0]["batch"] is not None)
            match = self.ledger.runner.read(match_entry, SERVICE, MatchEntry(entry=entry))
            has_node = made[0]["state"] == "active"
            expected = Outcome.WAITING if offer["kind"] == "later" else Outcome.SETTLED if has_node else None
            assert match.outcome is expected, (query, answer, match)
            arguments = arguments_of(offer["command"], allocation_commands.Create)
            assert (arguments.resource_class, arguments.bulk) == (body["resource_class"], body["count"])
            assert (arguments.trait, arguments.wait) == (body.get("traits", []), body.get("wait_seconds"))
            self.accepted[offer["kind"]] += 1
            self.delete([allocation["uuid"] for allocation in made])

    def delete(self, allocations: list[str]) -> None:
        for uuid in allocations:
            self.ledger.runner.write(delete_allocation, SERVICE, uuid)


def test_every_offer_of_nodes_is_accepted_in_random_situations(ask: Conversation) -> None:
    chance = random.Random(15)
    client = AllocationClient(ask, chance)
    kinds = {"later", "fewer", "without", "class"}
    for number in situations(client.accepted, kinds):
        if number % 10 == 0:
            client.renew_fleet()
        client.change_fleet()
        traits = ",".join(trait for trait in TRAITS if chance.random() < 0.4)
        client.accept_offers(resource_class=chance.choice(CLASSES), traits=traits, count=chance.randint(1, 3))
    assert client.accepted.keys() == kinds


def test_only_a_caller_that_could_accept_an_offer_gets_one(ask: Conversation) -> None:
    ask.ledger.enrol(resource_class="gold", owner="p1")
    url = "/v1/why?resource_class=gold&count=2"
    assert [offer["kind"] for offer in ask("GET", url, actor=person("member"))[1]["offers"]] == ["fewer"]
    assert ask("GET", url, actor=person("reader"))[1]["offers"] == []


def test_an_offer_is_a_request_and_a_command(ask: Conversation) -> None:
    for _ in range(2):
        ask.ledger.enrol(resource_class="gold", with_traits=("CUSTOM_A",))
    (fewer,) = ask("GET", "/v1/why?resource_class=gold&traits=CUSTOM_A&count=3")[1]["offers"]
    assert fewer == {
        "kind": "fewer",
        "text": "ask for 2 instead of 3",
        "request": {
            "method": "POST",
            "path": "/dibs/v1/allocations",
            "body": {"resource_class": "gold", "count": 2, "traits": ["CUSTOM_A"]},
        },
        "command": "dibs allocation create --resource-class gold --trait CUSTOM_A --bulk 2",
    }


def test_a_start_now_stays_now_in_the_offers_of_a_lease(ask: Conversation) -> None:
    make_host(ask.ledger)
    lease(ask.ledger, 2, 3, whole())
    url = f"/v1/leases/availability?start=now&end={time_in(4)}"
    later, shorter = ask("GET", url)[1]["offers"]
    assert later["request"]["body"]["start_date"] == format_minute(at(3))
    assert (shorter["kind"], shorter["request"]["body"]["start_date"]) == ("shorter", "now")
    assert shorter["command"] == f"dibs lease create --start now --end {time_in(2)} --count 1"


def test_what_has_no_option_is_offered_as_a_reservation_in_json(ask: Conversation) -> None:
    make_host(ask.ledger, VCPU=4)
    query = "resource_type=virtual:instance&amount=9&vcpus=1&memory_mb=1&affinity=true"
    (fewer,) = ask("GET", f"/v1/leases/availability?end={time_in(4)}&{query}")[1]["offers"]
    assert "--reservation" in fewer["command"]
    arguments = arguments_of(fewer["command"], lease_commands.Create)
    assert arguments.reservation == fewer["request"]["body"]["reservations"]
    assert arguments.reservation[0]["amount"] == 4


def test_instances_without_processors_are_not_offered_because_they_cannot_be_reserved(ask: Conversation) -> None:
    make_host(ask.ledger, DISK_GB=10)
    query = "resource_type=virtual:instance&amount=9&disk_gb=4"
    answer = ask("GET", f"/v1/leases/availability?end={time_in(4)}&{query}")[1]
    assert (answer["fits"], answer["offers"]) == (False, [])
