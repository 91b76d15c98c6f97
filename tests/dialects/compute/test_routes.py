"""Versions and rules of the routing table."""

import pytest

from dibs.access.compute_policy import RULES
from dibs.dialects.compute.routes import ROUTES
from tests.dialects.compute.conversation import MEMBER, READER, Conversation


def test_every_rule_of_the_routing_table_exists() -> None:
    assert {route.handler.rule for route in ROUTES} - {None} <= set(RULES)


@pytest.mark.parametrize(("path", "last"), [("/v2.1/images", 35), ("/v2.1/os-hypervisors/x/search", 52)])
def test_removed_route_is_404_from_its_version_on(ask: Conversation, path: str, last: int) -> None:
    assert "resource could not" not in ask("GET", path, version=f"2.{last}").body.decode()
    assert ask("GET", path, version=f"2.{last + 1}").status == 404


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/v2.1/flavors"),
        ("DELETE", "/v2.1/flavors/x"),
        ("POST", "/v2.1/flavors/x/os-extra_specs"),
        ("GET", "/v2.1/os-hypervisors"),
        ("GET", "/v2.1/os-services"),
        ("GET", "/v2.1/os-availability-zone/detail"),
    ],
)
def test_member_is_refused_what_only_admins_may_do(ask: Conversation, method: str, path: str) -> None:
    assert ask(method, path, actor=MEMBER).fault[0] == "forbidden"


def test_reader_may_not_launch_servers(ask: Conversation) -> None:
    assert ask("POST", "/v2.1/servers", {}, actor=READER).fault == (
        "forbidden",
        "Policy doesn't allow os_compute_api:servers:create to be performed.",
    )
