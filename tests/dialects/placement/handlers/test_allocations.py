"""Allocations over HTTP: cases that Placement's own suite lacks."""

import uuid
from typing import Any

import pytest

from dibs.access.actor import Actor
from tests.dialects.placement.conversation import Conversation

PROVIDER = "11111111-1111-4111-8111-111111111111"
CONSUMER = "22222222-2222-4222-8222-222222222222"
HERE = f"/allocations/{CONSUMER}"


@pytest.fixture
def ask(ask: Conversation) -> Conversation:
    ask("POST", "/resource_providers", {"name": "p", "uuid": PROVIDER})
    ask("POST", f"/resource_providers/{PROVIDER}/inventories", {"resource_class": "VCPU", "total": 4})
    return ask


def body(amount: int, **values: Any) -> dict[str, Any]:
    return {
        "allocations": {PROVIDER: {"resources": {"VCPU": amount}}},
        "project_id": "p",
        "user_id": "u",
        "consumer_generation": None,
        "consumer_type": "INSTANCE",
        **values,
    }


def test_allocations_are_shown_to_the_consumer_and_on_the_provider(ask: Conversation) -> None:
    assert ask("PUT", HERE, body(3)).status == 204
    shown = ask("GET", HERE).json
    assert shown["allocations"][PROVIDER]["resources"] == {"VCPU": 3}
    assert (shown["project_id"], shown["consumer_generation"], shown["consumer_type"]) == ("p", 1, "INSTANCE")
    on_provider = ask("GET", f"/resource_providers/{PROVIDER}/allocations").json["allocations"]
    assert on_provider == {CONSUMER: {"resources": {"VCPU": 3}, "consumer_generation": 1}}


def test_a_consumer_without_owner_and_type_is_shown_with_placeholders(ask: Conversation) -> None:
    allocations = [{"resource_provider": {"uuid": PROVIDER}, "resources": {"VCPU": 1}}]
    assert ask("PUT", HERE, {"allocations": allocations}, version="1.0").status == 204
    shown = ask("GET", HERE).json
    assert (shown["project_id"], shown["consumer_type"]) == (str(uuid.UUID(int=0)), "unknown")
    assert ask("GET", HERE, version="1.11").json.keys() == {"allocations"}


def test_an_unknown_consumer_has_no_allocations_and_cannot_be_deleted(ask: Conversation) -> None:
    assert ask("GET", HERE).json == {"allocations": {}}
    assert ask("DELETE", HERE).status == 404


def test_a_refusal_has_the_prefix_of_the_original(ask: Conversation) -> None:
    full = ask("PUT", HERE, body(5))
    assert full.status == 409
    assert "Unable to allocate inventory: Unable to create allocation for 'VCPU'" in full.error["detail"]
    unknown = body(1, allocations={PROVIDER: {"resources": {"CUSTOM_NONE": 1}}})
    assert f"Unable to allocate inventory for consumer {CONSUMER}: No such" in ask("PUT", HERE, unknown).error["detail"]


def test_the_newest_generation_of_the_consumer_is_required(ask: Conversation) -> None:
    ask("PUT", HERE, body(1))
    stale = ask("PUT", HERE, body(2))
    assert (stale.status, stale.error["code"]) == (409, "placement.concurrent_update")
    assert ask("PUT", HERE, body(2, consumer_generation=1)).status == 204


@pytest.mark.parametrize(("method", "url"), [("PUT", HERE), ("DELETE", HERE), ("GET", HERE), ("POST", "/allocations")])
def test_a_member_may_neither_see_nor_change_allocations(ask: Conversation, method: str, url: str) -> None:
    ask("PUT", HERE, body(1))
    member = Actor(user="u", project="p", roles=frozenset({"member", "reader"}))
    sent = {"PUT": body(2), "POST": {CONSUMER: body(2)}}.get(method)
    refused = ask(method, url, sent, actor=member)
    assert refused.status == 403
    assert "Policy does not allow placement:allocations:" in refused.error["detail"]
    assert ask("GET", HERE).json["allocations"][PROVIDER]["resources"] == {"VCPU": 1}


SHOUTED = "ABCDEFAB-2222-4222-8222-222222222222"
ONE, OTHER = SHOUTED, SHOUTED.lower()


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param({"allocations": {}}, {}, id="released-and-claimed"),
        pytest.param({}, {}, id="the-same-class-twice"),
    ],
)
def test_one_consumer_in_two_spellings_is_refused(
    ask: Conversation, first: dict[str, Any], second: dict[str, Any]
) -> None:
    refused = ask("POST", "/allocations", {ONE: body(1, **first), OTHER: body(1, **second)})
    assert refused.status == 400
    assert f"consumer {OTHER} is in the request more than once: {ONE}, {OTHER}" in refused.error["detail"]
    assert ask("GET", f"/allocations/{OTHER}").json == {"allocations": {}}
    assert ask("GET", f"/resource_providers/{PROVIDER}/usages").json["usages"] == {"VCPU": 0}


def test_one_provider_in_two_spellings_is_refused(ask: Conversation) -> None:
    ask("POST", "/resource_providers", {"name": "q", "uuid": OTHER})
    ask("POST", f"/resource_providers/{OTHER}/inventories", {"resource_class": "VCPU", "total": 4})
    twice = {"allocations": {ONE: {"resources": {"VCPU": 1}}, OTHER: {"resources": {"VCPU": 2}}}}
    for method, url, sent in (("PUT", HERE, body(1, **twice)), ("POST", "/allocations", {CONSUMER: body(1, **twice)})):
        refused = ask(method, url, sent)
        assert refused.status == 400
        assert f"resource provider {OTHER} is in the request more than once" in refused.error["detail"]
    assert ask("GET", HERE).json == {"allocations": {}}


def test_one_provider_twice_in_the_older_list_is_refused(ask: Conversation) -> None:
    allocations = [{"resource_provider": {"uuid": PROVIDER}, "resources": {"VCPU": amount}} for amount in (1, 2)]
    refused = ask("PUT", HERE, {"allocations": allocations}, version="1.0")
    assert refused.status == 400
    assert f"resource provider {PROVIDER} is in the request more than once" in refused.error["detail"]


@pytest.mark.parametrize("key", [CONSUMER + "\n", "2" * 36, "-" * 36])
def test_a_key_that_is_not_a_uuid_is_refused(ask: Conversation, key: str) -> None:
    assert ask("POST", "/allocations", {key: body(1)}).status == 400
    assert ask("GET", f"/resource_providers/{PROVIDER}/usages").json["usages"] == {"VCPU": 0}


def test_a_consumer_with_its_dashes_elsewhere_is_the_same_consumer(ask: Conversation) -> None:
    digits = CONSUMER.replace("-", "")
    assert ask("POST", "/allocations", {f"----{digits}": body(1)}).status == 204
    assert ask("GET", HERE).json["allocations"][PROVIDER]["resources"] == {"VCPU": 1}
