"""Aggregates over HTTP: cases that Placement's own suite lacks."""

import pytest

from tests.dialects.placement.conversation import Conversation

PROVIDER = "11111111-1111-4111-8111-111111111111"
HERE = f"/resource_providers/{PROVIDER}/aggregates"
AGGREGATE = "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa"


@pytest.fixture
def ask(ask: Conversation) -> Conversation:
    ask("POST", "/resource_providers", {"name": "p", "uuid": PROVIDER})
    return ask


def test_the_older_form_is_a_list_and_keeps_the_generation(ask: Conversation) -> None:
    old = ask("PUT", HERE, [AGGREGATE], version="1.18")
    assert old.json == {"aggregates": [AGGREGATE]}
    assert ask("GET", HERE).json == {"aggregates": [AGGREGATE], "resource_provider_generation": 0}


@pytest.mark.parametrize("written", [AGGREGATE.upper(), AGGREGATE.replace("-", "")])
def test_the_case_and_the_dashes_of_an_aggregate_do_not_matter(ask: Conversation, written: str) -> None:
    ask("PUT", HERE, {"aggregates": [written], "resource_provider_generation": 0})
    for asked in (written, AGGREGATE):
        (found,) = ask("GET", f"/resource_providers?member_of={asked}").json["resource_providers"]
        assert found["uuid"] == PROVIDER
    assert ask("GET", f"/resource_providers?member_of=!{AGGREGATE}").json["resource_providers"] == []


@pytest.mark.parametrize("written", [AGGREGATE.upper(), AGGREGATE.replace("-", "")])
def test_an_aggregate_is_shown_as_it_was_sent(ask: Conversation, written: str) -> None:
    sent = ask("PUT", HERE, {"aggregates": [written], "resource_provider_generation": 0}).json
    assert sent == {"aggregates": [written], "resource_provider_generation": 1}
    assert ask("GET", HERE).json == sent
    again = ask("PUT", HERE, {"aggregates": [AGGREGATE], "resource_provider_generation": 1}).json
    assert again == ask("GET", HERE).json == {"aggregates": [AGGREGATE], "resource_provider_generation": 2}


def test_one_aggregate_in_two_spellings_is_refused(ask: Conversation) -> None:
    twice = [AGGREGATE, AGGREGATE.upper()]
    refused = ask("PUT", HERE, {"aggregates": twice, "resource_provider_generation": 0})
    assert refused.status == 400
    assert f"aggregate {AGGREGATE} is in the request more than once: {', '.join(twice)}" in refused.error["detail"]
    assert ask("GET", HERE).json == {"aggregates": [], "resource_provider_generation": 0}


def test_an_aggregate_with_more_dashes_than_fit_is_refused(ask: Conversation) -> None:
    assert ask("PUT", HERE, [AGGREGATE + "-"], version="1.18").status == 400


def test_a_node_may_join_an_aggregate(ask: Conversation) -> None:
    node = ask.ledger.enrol()
    body = {"aggregates": [AGGREGATE], "resource_provider_generation": 0}
    assert ask("PUT", f"/resource_providers/{node.uuid}/aggregates", body).status == 200
