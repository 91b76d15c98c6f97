"""The routing table matches the contract, and every route checks its rule."""

from collections.abc import Callable

import httpx
import pytest

from dibs.access.actor import Actor
from dibs.access.lease_policy import RULES
from dibs.dialects.reservation import Reservation
from dibs.dialects.reservation.routes import ROUTES
from tests.bed.dibs_server import DibsServer
from tests.dialects.reservation.conversation import READER, Conversation

NOBODY = Actor(user="n", project="p-member")
CONTRACT = {
    "/": {"GET"},
    "/versions": {"GET"},
    "/v1": {"GET"},
    "/v1/leases": {"GET", "POST"},
    "/v1/leases/{lease}": {"GET", "PUT", "DELETE"},
    "/v1/os-hosts": {"GET", "POST"},
    "/v1/os-hosts/{host}": {"GET", "PUT", "DELETE"},
    "/v1/os-hosts/allocations": {"GET"},
    "/v1/os-hosts/{host}/allocation": {"GET"},
    "/v1/os-hosts/properties": {"GET"},
    "/v1/os-hosts/properties/{name}": {"PATCH"},
    "/v1/floatingips": {"GET", "POST"},
    "/v1/floatingips/{address}": {"GET", "DELETE"},
}
PRIVATE = [(route.method, route.path) for route in ROUTES if route.path not in Reservation.public_paths]


def test_routes_are_those_of_the_contract() -> None:
    found: dict[str, set[str]] = {}
    for route in ROUTES:
        found.setdefault(route.path, set()).add(route.method)
    assert found == CONTRACT


def test_every_rule_of_the_policy_guards_a_route_and_every_guarded_route_has_a_rule() -> None:
    assert {route.handler.rule for route in ROUTES} - {None} == {rule for rule in RULES if rule.startswith("blazar:")}


def test_caller_without_a_role_gets_403_before_the_body_is_read(ask: Conversation) -> None:
    for method, path in PRIVATE:
        answer = ask(method, path, b"{", actor=NOBODY, headers={"content-type": "text/plain"})
        assert (answer.status, answer.json["error_code"]) == (403, 403)
        assert answer.message.startswith("Policy doesn't allow blazar:")


def test_reader_cannot_change_anything(ask: Conversation) -> None:
    for method, path in PRIVATE:
        assert method == "GET" or ask(method, path, {}, actor=READER).status == 403


@pytest.mark.one_engine
def test_without_credentials_everything_but_discovery_is_401(
    serve: Callable[..., DibsServer], tmp_path_factory: pytest.TempPathFactory
) -> None:
    users = tmp_path_factory.mktemp("auth") / "users"
    users.write_text("# nobody\n")
    server = serve("--auth-file", str(users), auth="http_basic")
    with httpx.Client(base_url=f"{server.url}/reservation") as client:
        for method, path in PRIVATE:
            answer = client.request(method, path)
            assert answer.status_code == 401
            assert answer.json()["error"].keys() == {"code", "title", "message"}
        assert [client.get(path).status_code for path in ("/", "/versions", "/v1")] == [300, 300, 200]
