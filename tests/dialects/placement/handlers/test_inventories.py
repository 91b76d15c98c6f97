"""Inventories over HTTP: cases that Placement's own suite lacks."""

import uuid

import pytest

from tests.dialects.placement.conversation import Conversation

PROVIDER = "11111111-1111-4111-8111-111111111111"
HERE = f"/resource_providers/{PROVIDER}/inventories"


@pytest.fixture
def ask(ask: Conversation) -> Conversation:
    ask("POST", "/resource_providers", {"name": "p", "uuid": PROVIDER})
    return ask


def claim(ask: Conversation, **resources: int) -> None:
    body = {
        "allocations": {PROVIDER: {"resources": resources}},
        "project_id": "p",
        "user_id": "u",
        "consumer_generation": None,
        "consumer_type": "INSTANCE",
    }
    assert ask("PUT", f"/allocations/{uuid.uuid4()}", body).status == 204


def test_a_provider_without_inventories_has_no_modification_time(ask: Conversation) -> None:
    empty = ask("GET", HERE)
    assert "last-modified" not in empty.headers
    assert empty.headers["cache-control"] == "no-cache"
    ask("POST", HERE, {"resource_class": "VCPU", "total": 1})
    assert "last-modified" in ask("GET", HERE).headers


def test_every_removal_of_a_claimed_inventory_is_refused_as_in_use(ask: Conversation) -> None:
    ask("POST", HERE, {"resource_class": "VCPU", "total": 4})
    claim(ask, VCPU=1)
    generation = ask("GET", HERE).json["resource_provider_generation"]
    for refused in (
        ask("DELETE", f"{HERE}/VCPU"),
        ask("DELETE", HERE),
        ask("PUT", HERE, {"resource_provider_generation": generation, "inventories": {}}),
    ):
        assert (refused.status, refused.error["code"]) == (409, "placement.inventory.inuse")


def test_a_second_inventory_of_a_class_is_refused_without_sql_in_the_message(ask: Conversation) -> None:
    ask("POST", HERE, {"resource_class": "VCPU", "total": 4})
    again = ask("POST", HERE, {"resource_class": "VCPU", "total": 4})
    assert (again.status, again.error["code"]) == (409, "placement.concurrent_update")
    assert "Update conflict" in again.error["detail"]
    assert not any(word in again.error["detail"] for word in ("INSERT", "UNIQUE", "constraint"))


@pytest.mark.parametrize(
    "inventories", [{"lower": {"total": 1}}, {"VCPU": {"total": 1, "colour": 2}}, {"VCPU": 1}, {"VCPU": {}}]
)
def test_bad_inventories_are_refused(ask: Conversation, inventories: object) -> None:
    body = {"resource_provider_generation": 0, "inventories": inventories}
    assert ask("PUT", HERE, body).status == 400


def test_integers_may_be_written_with_a_decimal_point(ask: Conversation) -> None:
    made = ask("POST", HERE, {"resource_class": "VCPU", "total": 4.0, "allocation_ratio": 2})
    assert made.status == 201
    assert made.headers["location"].endswith(f"{HERE}/VCPU")
    assert b'"total":4,' in made.body
    assert made.json["allocation_ratio"] == 2.0
    assert made.json["max_unit"] == 2**31 - 1
