"""Hosts over HTTP, beyond the exchanges in tests/contracts."""

from typing import Any

import pytest

from tests.builders import Ledger
from tests.dialects.reservation.conversation import ADMIN, MEMBER, Conversation
from tests.lease_builders import make_host
from tests.provider_builders import statements


@pytest.fixture
def ask(ledger: Ledger) -> Conversation:
    """Send requests to the dialect with one host."""
    make_host(ledger, "compute-1", rack="r1")
    return Conversation(ledger)


def test_lists_of_hosts_take_as_many_statements_for_many_as_for_few(ask: Conversation, ledger: Ledger) -> None:
    paths = ["/v1/os-hosts", "/v1/os-hosts/allocations", "/v1/os-hosts/properties?detail=True"]
    few = [statements(ledger, lambda path=path: ask("GET", path)) for path in paths]
    for number in range(20):
        make_host(ledger, f"more-{number}", rack=f"r{number}")
    assert [statements(ledger, lambda path=path: ask("GET", path)) for path in paths] == few


def test_private_property_is_shown_only_to_admins_who_ask_for_all(ask: Conversation, tmp_path: Any) -> None:
    """By default only admins see properties; a policy may show public ones to others."""
    policy = tmp_path / "policy.yaml"
    policy.write_text('"blazar:oshosts:get_resource_properties": "role:reader"\n')
    ask("PATCH", "/v1/os-hosts/properties/rack", {"private": True})
    open_door = Conversation(ask.ledger, policy_file=str(policy))
    path = "/v1/os-hosts/properties?all=true"
    assert open_door("GET", path, actor=MEMBER).json == {"resource_properties": []}
    assert open_door("GET", path, actor=ADMIN).json == {"resource_properties": [{"property": "rack"}]}


@pytest.mark.parametrize(
    ("body", "status"),
    [({}, 403), ({"name": 5}, 400), ({"name": "x" * 256}, 400), ({"name": "compute-2", "rack": None}, 400)],
    ids=["no name", "number", "long name", "property without a value"],
)
def test_malformed_host_is_refused(ask: Conversation, body: Any, status: int) -> None:
    assert ask("POST", "/v1/os-hosts", body).status == status


def test_update_without_properties_is_refused(ask: Conversation) -> None:
    answer = ask("PUT", "/v1/os-hosts/1", {})
    assert (answer.status, answer.message) == (400, "No data to update")


@pytest.mark.parametrize("private", [None, "yes", 1])
def test_privacy_must_be_a_boolean(ask: Conversation, private: Any) -> None:
    assert ask("PATCH", "/v1/os-hosts/properties/rack", {"private": private}).status == 400
