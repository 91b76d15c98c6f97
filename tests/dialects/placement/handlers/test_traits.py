"""Traits over the contract: what Placement's own suite does not ask."""

import pytest

from tests.dialects.placement.conversation import Conversation

PROVIDER = "11111111-1111-4111-8111-111111111111"
HERE = f"/resource_providers/{PROVIDER}/traits"


@pytest.fixture
def ask(ask: Conversation) -> Conversation:
    ask("POST", "/resource_providers", {"name": "p", "uuid": PROVIDER})
    return ask


def test_those_of_a_node_are_in_the_catalogue_at_once(ask: Conversation) -> None:
    ask.ledger.enrol(with_traits=("CUSTOM_NODE", "HW_CPU_X86_VMX"))
    assert ask("GET", "/traits?associated=true").json == {"traits": ["CUSTOM_NODE", "HW_CPU_X86_VMX"]}
    assert ask("DELETE", "/traits/CUSTOM_NODE").status == 409


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ("name=in:CUSTOM_A,HW_CPU_X86_VMX,NOBODY", ["CUSTOM_A", "HW_CPU_X86_VMX"]),
        ("name=startswith:CUSTOM_", ["CUSTOM_A"]),
        ("name=startswith:CUSTOM_&associated=TRUE", []),
        ("name=startswith:CUSTOM%25", []),
    ],
)
def test_filters(ask: Conversation, filters: str, found: list[str]) -> None:
    ask("PUT", "/traits/CUSTOM_A")
    assert ask("GET", f"/traits?{filters}").json == {"traits": found}


@pytest.mark.parametrize("filters", ["name=CUSTOM_A", "associated=maybe", "colour=red"])
def test_bad_filters_are_refused(ask: Conversation, filters: str) -> None:
    assert ask("GET", f"/traits?{filters}").status == 400


def test_a_second_writer_with_the_same_generation_is_told_so(ask: Conversation) -> None:
    body = {"resource_provider_generation": 0, "traits": ["HW_CPU_X86_VMX"]}
    first, second = ask("PUT", HERE, body), ask("PUT", HERE, {**body, "traits": []})
    assert (first.status, first.json["resource_provider_generation"]) == (200, 1)
    assert (second.status, second.error["code"]) == (409, "placement.concurrent_update")


def test_a_trait_that_nobody_made_is_named(ask: Conversation) -> None:
    refused = ask("PUT", HERE, {"resource_provider_generation": 0, "traits": ["CUSTOM_NOT_MADE"]})
    assert refused.status == 400
    assert "No such trait CUSTOM_NOT_MADE" in refused.error["detail"]
