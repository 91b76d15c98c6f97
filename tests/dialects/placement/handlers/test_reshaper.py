"""The reshaper over HTTP: cases that Placement's own suite lacks."""

from typing import Any

import pytest

from dibs.access.actor import Actor
from tests.dialects.placement.conversation import Conversation
from tests.provider_builders import claim, make

SERVICE = Actor(user="nova", project="service", roles=frozenset({"service"}))
UNKNOWN = "99999999-9999-4999-8999-999999999999"


def inventories(generation: int, **totals: int) -> dict[str, Any]:
    sizes = {name: {"total": total} for name, total in totals.items()}
    return {"resource_provider_generation": generation, "inventories": sizes}


def test_inventories_move_with_their_allocations(ask: Conversation) -> None:
    old = make(ask.ledger, "old", VCPU=4)
    new = make(ask.ledger, "new", parent=old)
    consumer = claim(ask.ledger, old, VCPU=3)
    generation = ask("GET", f"/resource_providers/{old.uuid}").json["generation"]
    allocations = {
        "allocations": {new.uuid: {"resources": {"VCPU": 3}}},
        "project_id": "p",
        "user_id": "u",
        "consumer_generation": 1,
        "consumer_type": "INSTANCE",
    }
    body = {
        "inventories": {old.uuid: inventories(generation), new.uuid: inventories(0, VCPU=4)},
        "allocations": {consumer: allocations},
    }
    assert ask("POST", "/reshaper", body, actor=SERVICE).status == 204
    assert ask("GET", f"/allocations/{consumer}").json["allocations"].keys() == {new.uuid}
    assert ask("GET", f"/resource_providers/{old.uuid}/inventories").json["inventories"] == {}


@pytest.mark.parametrize(
    ("generation", "known", "status", "code"),
    [
        (0, False, 400, "placement.resource_provider.not_found"),
        (7, True, 409, "placement.concurrent_update"),
        (None, True, 409, "placement.inventory.inuse"),
    ],
)
def test_a_refused_reshape_changes_nothing(
    ask: Conversation, generation: int | None, known: bool, status: int, code: str
) -> None:
    provider = make(ask.ledger, VCPU=4)
    claim(ask.ledger, provider, VCPU=1)
    current = ask("GET", f"/resource_providers/{provider.uuid}").json["generation"]
    sent = inventories(current if generation is None else generation, DISK_GB=1)
    body = {"inventories": {provider.uuid if known else UNKNOWN: sent}, "allocations": {}}
    refused = ask("POST", "/reshaper", body, actor=SERVICE)
    assert (refused.status, refused.error["code"]) == (status, code)
    shown = ask("GET", f"/resource_providers/{provider.uuid}/inventories").json
    assert (shown["resource_provider_generation"], list(shown["inventories"])) == (current, ["VCPU"])


def test_an_admin_may_not_reshape(ask: Conversation) -> None:
    assert ask("POST", "/reshaper", {}).status == 403


@pytest.mark.parametrize("part", ["inventories", "allocations"])
def test_a_reshape_that_names_one_id_in_two_spellings_changes_nothing(ask: Conversation, part: str) -> None:
    provider = make(ask.ledger, VCPU=4)
    consumer = claim(ask.ledger, provider, VCPU=1)
    current = ask("GET", f"/resource_providers/{provider.uuid}").json["generation"]
    allocations = {
        "allocations": {provider.uuid: {"resources": {"VCPU": 2}}},
        "project_id": "p",
        "user_id": "u",
        "consumer_generation": 1,
        "consumer_type": "INSTANCE",
    }
    body: dict[str, Any] = {
        "inventories": {provider.uuid: inventories(current, VCPU=8)},
        "allocations": {consumer: allocations},
    }
    ((key, value),) = body[part].items()
    body[part] = {key.upper(): value, key: value}
    refused = ask("POST", "/reshaper", body, actor=SERVICE)
    assert refused.status == 400
    assert f"{key} is in the request more than once: {key.upper()}, {key}" in refused.error["detail"]
    shown = ask("GET", f"/resource_providers/{provider.uuid}/inventories").json
    assert (shown["resource_provider_generation"], shown["inventories"]["VCPU"]["total"]) == (current, 4)
