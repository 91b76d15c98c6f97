"""Malformed leases, with the answers of a running Blazar, or a 4xx where Blazar answers 500."""

from typing import Any

import pytest

from tests.builders import Ledger
from tests.dialects.reservation.conversation import Conversation
from tests.dialects.reservation.lease_bodies import END, START, flavored, hosts, instances, lease, without
from tests.lease_builders import make_host

HUGE = 2**31
FORMAT = "is an invalid date. Required format: %Y-%m-%d %H:%M"
RANGE = "Malformed parameter min and max (must be greater than or equal to 1)"
AFFINITY = "Malformed parameter affinity (must be a bool value or None)"

MISTAKES: dict[str, tuple[Any, int, str]] = {
    "nothing": ({}, 400, "Missing parameter start_date, end_date, name"),
    "no name": (without("name", lease()), 400, "Missing parameter name"),
    "no end": (without("end_date", lease()), 400, "Missing parameter end_date"),
    "name that is no text": (lease(name=5), 400, "Malformed parameter name"),
    "name of 81": (lease(name="x" * 81), 400, "Malformed parameter name (must have at most 80 characters)"),
    "start in the past": (lease(start_date="2020-01-01 10:00"), 400, "Start date must be later than current date"),
    "end before start": (lease(end_date="2090-02-01 10:00"), 400, "End date must be later than start date."),
    "end at start": (lease(end_date=START), 400, "End date must be later than start date."),
    "seconds": (lease(start_date="2090-01-01 10:00:00"), 400, f"2090-01-01 10:00:00 {FORMAT}"),
    "ISO date": (lease(start_date="2090-01-01T10:00"), 400, f"2090-01-01T10:00 {FORMAT}"),
    "date that is no text": (lease(end_date=5), 400, f"5 {FORMAT}"),
    "before the end no date": (lease(before_end_date="x"), 400, f"x {FORMAT}"),
    "before the end now": (lease(before_end_date="now"), 400, f"now {FORMAT}"),
    "before the end outside": (lease(before_end_date="2090-04-01 10:00"), 403, "Datetime is out of lease limits"),
    "before the end at the end": (lease(before_end_date=END), 403, "Datetime is out of lease limits"),
    "events that are no list": (lease(events="x"), 400, "Malformed parameter events"),
    "reservations that are no list": (lease() | {"reservations": {}}, 400, "Malformed parameter reservations"),
    "reservations of text": (lease("x"), 400, "Malformed parameter reservations"),
    "many reservations": (lease(*[hosts()] * 33), 400, "A lease has at most 32 reservations."),
    "no type": (lease({"min": 1, "max": 1}), 400, "Missing parameter resource_type"),
    "unknown type": (lease({"resource_type": "network"}), 400, "The network resource type is not supported"),
    "type that is no text": (lease({"resource_type": []}), 400, "The [] resource type is not supported"),
    # physical:host
    "no max": (lease(without("max", hosts())), 400, "Missing parameter max"),
    "no hypervisor_properties": (
        lease(without("hypervisor_properties", hosts())),
        400,
        "Missing parameter hypervisor_properties",
    ),
    "no resource_properties": (
        lease(without("resource_properties", hosts())),
        400,
        "Missing parameter resource_properties",
    ),
    "more at least than at most": (
        lease(hosts(min=3, max=2)),
        400,
        "Invalid values for min/max of hosts. Max must be equal to or larger than min.",
    ),
    "no hosts": (lease(hosts(min=0)), 400, RANGE),
    "negative hosts": (lease(hosts(min=-1, max=-1)), 400, RANGE),
    "number as text": (lease(hosts(min="1", max="1")), 400, "Malformed parameter min"),
    "no number": (lease(hosts(min="foo", max="bar")), 400, "Malformed parameter min"),
    "truth as number": (lease(hosts(max=True)), 400, "Malformed parameter max"),
    "fraction": (lease(hosts(max=1.5)), 400, "Malformed parameter max"),
    "huge number": (lease(hosts(max=HUGE)), 400, "Malformed parameter max"),
    "bad before_end": (lease(hosts(before_end="zap")), 400, "Malformed parameter before_end"),
    "before_end that is no text": (lease(hosts(before_end=["default"])), 400, "Malformed parameter before_end"),
    "requirement without dollar": (
        lease(hosts(hypervisor_properties='[">=", "vcpus", "4"]')),
        400,
        "Malformed requirements ['>=', 'vcpus', '4']",
    ),
    "not with two requirements": (
        lease(hosts(hypervisor_properties='["not", ["==", "$vcpus", "4"], ["==", "$vcpus", "64"]]')),
        400,
        "Malformed requirements ['not', ['==', '$vcpus', '4'], ['==', '$vcpus', '64']]",
    ),
    "requirement that is no JSON": (lease(hosts(resource_properties="gpu")), 400, "Malformed requirements gpu"),
    "requirement that is no text": (
        lease(hosts(resource_properties=["==", "$gpu", "a"])),
        400,
        "Malformed parameter resource_properties",
    ),
    "long requirement": (
        lease(hosts(resource_properties="x" * 4_001)),
        400,
        "Malformed parameter resource_properties",
    ),
    "unknown property": (lease(hosts(resource_properties='["==", "$zzz", "1"]')), 400, "No host has the property zzz"),
    "number compared with text": (
        lease(hosts(hypervisor_properties='[">=", "$vcpus", "many"]')),
        400,
        "Malformed requirements ['>=', '$vcpus', 'many']",
    ),
    # virtual:instance
    "no amount": (lease(without("amount", instances())), 400, "Missing parameter amount"),
    "no vcpus": (lease(without("vcpus", instances())), 400, "Missing parameter vcpus"),
    "no instance": (lease(instances(amount=0)), 400, "amount must be >= 1"),
    "amount as text": (lease(instances(amount="2")), 400, "Malformed parameter amount"),
    "no processor": (lease(instances(vcpus=0)), 400, "Malformed parameter vcpus (must be greater than or equal to 1)"),
    "negative disk": (
        lease(instances(disk_gb=-1)),
        400,
        "Malformed parameter disk_gb (must be greater than or equal to 0)",
    ),
    "empty text as size": (lease(instances(disk_gb="")), 400, "Malformed parameter disk_gb"),
    "bad affinity": (lease(instances(affinity="zap")), 400, AFFINITY),
    "affinity as number": (lease(instances(affinity=1)), 400, AFFINITY),
    # flavor:instance
    "no flavor": (lease(without("flavor_id", flavored())), 400, "Missing parameter flavor_id"),
    "unknown flavor": (lease(flavored(flavor_id="nope")), 400, "Flavor nope could not be found."),
    "flavor that is no text": (lease(flavored(flavor_id=5)), 400, "Malformed parameter flavor_id"),
    "flavor with affinity": (lease(flavored(affinity=True)), 409, "Affinity not supported yet"),
}


@pytest.fixture
def ask(ledger: Ledger) -> Conversation:
    """The dialect with one host that has a property."""
    make_host(ledger, "compute-1", gpu="a")
    return Conversation(ledger)


def test_malformed_lease_is_refused_with_the_message_of_blazar(ask: Conversation) -> None:
    for mistake, (body, status, message) in MISTAKES.items():
        answer = ask("POST", "/v1/leases", body)
        said = {"error_code": status, "error_message": message, "error_name": status}
        assert (answer.status, answer.json) == (status, said), mistake
    assert ask("GET", "/v1/leases").json == {"leases": []}


@pytest.mark.parametrize(
    "part",
    [hosts(hypervisor_properties='[">=", "$vcpus", "4096"]'), hosts(min=2, max=2), instances(vcpus=4096)],
    ids=["too few processors", "too few hosts", "too large"],
)
def test_refusal_says_that_a_lease_would_never_fit(ask: Conversation, part: Any) -> None:
    answer = ask("POST", "/v1/leases", lease(part))
    assert answer.status == 409
    assert answer.message.startswith("Not enough hosts available: 1 host: ")
    assert "It would not fit at any time." in answer.message


def test_affinity_is_a_value_or_a_word(ask: Conversation) -> None:
    for word in (None, "None", "none", "", False, "False", True, "true"):
        answer = ask("POST", "/v1/leases", lease(instances(amount=1, affinity=word)))
        expected = {"false": False, "true": True}.get(str(word).lower())
        assert answer.json["lease"]["reservations"][0]["affinity"] is expected


@pytest.mark.parametrize("given", [{}, {"before_end": ""}, {"before_end": None}, {"before_end": "default"}])
def test_before_end_action_has_a_default(ask: Conversation, given: Any) -> None:
    answer = ask("POST", "/v1/leases", lease(hosts(**given)))
    assert answer.json["lease"]["reservations"][0]["before_end"] == "default"
