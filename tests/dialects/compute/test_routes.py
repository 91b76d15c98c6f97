"""Versions and rules of the routing table."""

import pytest

from dibs.access.compute_policy import RULES
from dibs.dialects.compute.routes import ROUTES
from tests.dialects.compute.conversation import MEMBER, READER, Conversation


def test_every_rule_of_the_routing_table_exists() -> None:
    assert {route.handler.rule for route in ROUTES} - {None} <= set(RULES)


@pytest.mark.parametrize(
    ("version", "status"), [("2.1", 200), ("2.61", 200), ("latest", 200), ("2.62", 406), ("1.1", 406), ("two", 400)]
)
def test_versions_outside_the_range_are_refused(ask: Conversation, version: str, status: int) -> None:
    assert ask("GET", "/v2.1/flavors", version=version).status == status


def test_an_answer_says_its_version_in_both_headers(ask: Conversation) -> None:
    headers = ask("GET", "/v2.1/flavors", version="2.40").headers
    assert headers["openstack-api-version"] == "compute 2.40"
    assert headers["x-openstack-nova-api-version"] == "2.40"


@pytest.mark.parametrize(
    ("method", "path", "last", "status"),
    [
        ("GET", "/v2.1/images", "2.35", 404),
        ("GET", "/v2.1/os-hypervisors/x/search", "2.52", 404),
    ],
)
def test_what_a_version_took_away_is_not_found(
    ask: Conversation, method: str, path: str, last: str, status: int
) -> None:
    assert "resource could not" not in ask(method, path, version=last).body.decode()
    after = f"2.{int(last.split('.')[1]) + 1}"
    assert ask(method, path, version=after).status == status


def test_an_unknown_path_is_404_and_an_unknown_method_405(ask: Conversation) -> None:
    assert ask("GET", "/v2.1/nothing").fault[0] == "itemNotFound"
    refused = ask("PATCH", "/v2.1/flavors")
    assert (refused.status, refused.headers["allow"]) == (405, "GET, POST")


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/v2.1/flavors"),
        ("DELETE", "/v2.1/flavors/x"),
        ("POST", "/v2.1/flavors/x/os-extra_specs"),
        ("GET", "/v2.1/os-hypervisors"),
        ("GET", "/v2.1/os-services"),
        ("GET", "/v2.1/os-availability-zone/detail"),
        ("GET", "/v2.1/servers?all_tenants=1"),
    ],
)
def test_what_admins_do_members_may_not(ask: Conversation, method: str, path: str) -> None:
    assert ask(method, path, actor=MEMBER).fault[0] == "forbidden"


def test_a_reader_launches_nothing(ask: Conversation) -> None:
    kind, message = ask("POST", "/v2.1/servers", {}, actor=READER).fault
    assert (kind, "os_compute_api:servers:create" in message) == ("forbidden", True)
