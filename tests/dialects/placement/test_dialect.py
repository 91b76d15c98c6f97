"""Every path: versions, headers, and the order of the checks."""

import httpx
import pytest

from dibs.access.actor import Actor
from tests.bed.dibs_server import DibsServer
from tests.dialects.placement.conversation import Conversation

NO_ROLES = Actor(user="eva", project="eva")
PROVIDERS = "/resource_providers"


def test_every_response_names_its_version(ask: Conversation) -> None:
    answer = ask("GET", "/", version="1.7")
    assert answer.headers["openstack-api-version"] == "placement 1.7"
    assert answer.headers["vary"] == "openstack-api-version"
    assert ask("GET", "/nowhere", version="1.7").headers["openstack-api-version"] == "placement 1.7"


@pytest.mark.parametrize("path", ["/nowhere", "/resource_providers/", "/resource_providers/a/b", "/traits/A/B"])
def test_an_unknown_path_is_404_and_so_is_a_trailing_slash(ask: Conversation, path: str) -> None:
    answer = ask("GET", path)
    assert (answer.status, answer.error["detail"]) == (404, "The resource could not be found.")


@pytest.mark.parametrize("method", ["DELETE", "HEAD", "OPTIONS", "PATCH"])
def test_an_unknown_method_is_405_and_the_response_lists_the_others(ask: Conversation, method: str) -> None:
    answer = ask(method, PROVIDERS)
    assert (answer.status, answer.headers["allow"]) == (405, "GET, POST")
    assert answer.error["detail"].startswith(f"The method {method} is not allowed for this resource.")


def test_a_path_is_404_before_its_first_version(ask: Conversation) -> None:
    assert ask("GET", "/traits", version="1.5").status == 404
    assert ask("GET", "/traits", version="1.6").status == 200


def test_deleting_all_inventories_is_405_before_its_first_version(ask: Conversation) -> None:
    assert ask("DELETE", f"{PROVIDERS}/a/inventories", version="1.4").status == 405


def test_checks_have_the_order_of_the_original(ask: Conversation) -> None:
    """Each request also has the mistakes of all requests after it."""
    bad = {"content-type": "text/plain"}
    assert ask("POST", "/nowhere", b"{", version="1.40", actor=NO_ROLES, headers={"content-type": ""}).status == 406
    assert ask("POST", "/nowhere", b"{", actor=NO_ROLES, headers={"content-type": ""}).status == 400
    assert ask("POST", "/nowhere", b"{", actor=NO_ROLES, headers=bad).status == 404
    assert ask("POST", "/reshaper", b"{", version="1.29", actor=NO_ROLES, headers=bad).status == 404
    assert ask("POST", PROVIDERS, b"{", actor=NO_ROLES, headers=bad).status == 415
    assert ask("POST", PROVIDERS, b"{", actor=NO_ROLES).status == 403
    assert ask("POST", PROVIDERS, b"{").status == 400


def test_a_body_without_a_content_type_is_400(ask: Conversation) -> None:
    answer = ask("POST", PROVIDERS, b"{}", headers={"content-type": ""})
    assert (answer.status, "content-type header required" in answer.error["detail"]) == (400, True)


def test_no_body_where_one_is_required_is_415(ask: Conversation) -> None:
    answer = ask("POST", PROVIDERS)
    assert (answer.status, "media type None is not supported" in answer.error["detail"]) == (415, True)


def test_a_client_that_does_not_accept_json_gets_406_as_text(ask: Conversation) -> None:
    answer = ask("GET", PROVIDERS, headers={"accept": "text/plain"})
    assert (answer.status, answer.headers["content-type"]) == (406, "text/plain; charset=UTF-8")
    assert b"Only application/json is provided" in answer.body


@pytest.mark.parametrize("path", ["%00", "resource_providers?name=%00", "nowhere"])
def test_every_error_has_the_request_id_whichever_layer_raises_it(shared_server: DibsServer, path: str) -> None:
    answer = httpx.get(f"{shared_server.url}/placement/{path}", headers={"x-auth-token": "admin"})
    (error,) = answer.json()["errors"]
    assert error["request_id"] == answer.headers["x-openstack-request-id"]
