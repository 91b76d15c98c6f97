"""Traits over HTTP: cases that Placement's own suite lacks."""

import pytest

from dibs.ledger.model.traits import standard_traits
from tests.dialects.placement.conversation import Conversation

PROVIDER = "11111111-1111-4111-8111-111111111111"
HERE = f"/resource_providers/{PROVIDER}/traits"


@pytest.fixture
def ask(ask: Conversation) -> Conversation:
    ask("POST", "/resource_providers", {"name": "p", "uuid": PROVIDER})
    return ask


def test_the_traits_of_a_new_node_are_in_the_catalogue(ask: Conversation) -> None:
    ask.ledger.enrol(with_traits=("CUSTOM_NODE", "HW_CPU_X86_VMX"))
    assert ask("GET", "/traits?associated=true").json == {"traits": ["CUSTOM_NODE", "HW_CPU_X86_VMX"]}
    assert ask("DELETE", "/traits/CUSTOM_NODE").status == 409


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ("name=in:CUSTOM_A,HW_CPU_X86_VMX,UNKNOWN", ["CUSTOM_A", "HW_CPU_X86_VMX"]),
        ("name=startswith:CUSTOM_", ["CUSTOM_A"]),
        ("name=startswith:CUSTOM_&associated=TRUE", []),
        ("name=startswith:CUSTOM%25", []),
        ("name=contains:CUSTOM_A&associated=false", [*sorted({*standard_traits(), "CUSTOM_A"})]),
    ],
)
def test_traits_are_filtered_by_name_and_use(ask: Conversation, filters: str, found: list[str]) -> None:
    ask("PUT", "/traits/CUSTOM_A")
    assert ask("GET", f"/traits?{filters}").json == {"traits": found}


@pytest.mark.parametrize("filters", ["name=CUSTOM_A", "associated=maybe", "colour=red"])
def test_bad_filters_are_refused(ask: Conversation, filters: str) -> None:
    assert ask("GET", f"/traits?{filters}").status == 400


def test_a_second_write_with_the_same_generation_is_a_conflict(ask: Conversation) -> None:
    body = {"resource_provider_generation": 0, "traits": ["HW_CPU_X86_VMX"]}
    first, second = ask("PUT", HERE, body), ask("PUT", HERE, {**body, "traits": []})
    assert (first.status, first.json["resource_provider_generation"]) == (200, 1)
    assert (second.status, second.error["code"]) == (409, "placement.concurrent_update")


def test_an_unknown_trait_is_refused_by_name(ask: Conversation) -> None:
    refused = ask("PUT", HERE, {"resource_provider_generation": 0, "traits": ["CUSTOM_NOT_MADE"]})
    assert refused.status == 400
    assert "No such trait CUSTOM_NOT_MADE" in refused.error["detail"]
