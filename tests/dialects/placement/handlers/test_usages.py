"""Usages over HTTP: cases that Placement's own suite lacks."""

import pytest

from dibs.access.actor import Actor
from tests.dialects.placement.conversation import Conversation
from tests.provider_builders import claim, make

READER = Actor(user="r", project="p", roles=frozenset({"reader"}))


@pytest.fixture
def ask(ask: Conversation) -> Conversation:
    provider = make(ask.ledger, "host", VCPU=4, DISK_GB=10)
    claim(ask.ledger, provider, VCPU=1)
    claim(ask.ledger, provider, VCPU=2)
    return ask


def test_a_reader_sees_the_usages_of_its_own_project_only(ask: Conversation) -> None:
    assert ask("GET", "/usages?project_id=p", version="1.9", actor=READER).json == {"usages": {"VCPU": 3}}
    refused = ask("GET", "/usages?project_id=q", actor=READER)
    assert refused.status == 403
    assert "Policy does not allow placement:usages to be performed." in refused.error["detail"]


def test_the_policy_is_checked_before_the_parameters(ask: Conversation) -> None:
    assert ask("GET", "/usages?project_id=q&colour=red", actor=READER).status == 403
    assert ask("GET", "/usages?project_id=p&colour=red", actor=READER).status == 400


@pytest.mark.parametrize(
    ("wanted", "usages"),
    [
        ("", {"unknown": {"VCPU": 3, "consumer_count": 2}}),
        ("&consumer_type=all", {"all": {"VCPU": 3, "consumer_count": 2}}),
        ("&consumer_type=INSTANCE", {}),
        ("&user_id=other", {}),
    ],
)
def test_usages_have_a_type_since_1_38(ask: Conversation, wanted: str, usages: object) -> None:
    assert ask("GET", f"/usages?project_id=p{wanted}").json == {"usages": usages}


def test_the_usages_of_a_provider_include_unused_classes(ask: Conversation) -> None:
    (provider,) = ask("GET", "/resource_providers?name=host").json["resource_providers"]
    shown = ask("GET", f"/resource_providers/{provider['uuid']}/usages").json
    assert shown == {"resource_provider_generation": provider["generation"], "usages": {"DISK_GB": 0, "VCPU": 3}}
