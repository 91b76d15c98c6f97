"""What holds for every path: versions, headers, and the order in which refusals come."""

import httpx
import pytest

from dibs.access.actor import Actor
from tests.bed.dibs_server import DibsServer
from tests.dialects.placement.conversation import Conversation

NOBODY = Actor(user="eva", project="eva")
PROVIDERS = "/resource_providers"


def test_the_root_tells_the_versions_to_anybody(ask: Conversation) -> None:
    answer = ask("GET", "/", actor=Actor(), version=None)
    (version,) = answer.json["versions"]
    assert (version["id"], version["min_version"], version["max_version"]) == ("v1.0", "1.0", "1.39")
    assert version["links"] == [{"rel": "self", "href": ""}]


def test_every_answer_names_its_version(ask: Conversation) -> None:
    answer = ask("GET", "/", version="1.7")
    assert answer.headers["openstack-api-version"] == "placement 1.7"
    assert answer.headers["vary"] == "openstack-api-version"
    assert ask("GET", "/nowhere", version="1.7").headers["openstack-api-version"] == "placement 1.7"


def test_answers_tell_when_they_changed_from_1_15_on(ask: Conversation) -> None:
    assert "last-modified" not in ask("GET", "/", version="1.14").headers
    new = ask("GET", "/", version="1.15").headers
    assert new["last-modified"].endswith("GMT")
    assert new["cache-control"] == "no-cache"


@pytest.mark.parametrize("path", ["/nowhere", "/resource_providers/", "/resource_providers/a/b", "/traits/A/B"])
def test_a_path_that_is_not_there_is_404_and_a_slash_at_the_end_makes_another(ask: Conversation, path: str) -> None:
    answer = ask("GET", path)
    assert (answer.status, answer.error["detail"]) == (404, "The resource could not be found.")


@pytest.mark.parametrize("method", ["DELETE", "HEAD", "OPTIONS", "PATCH"])
def test_a_method_that_a_path_does_not_have_is_405_with_those_it_has(ask: Conversation, method: str) -> None:
    answer = ask(method, PROVIDERS)
    assert (answer.status, answer.headers["allow"]) == (405, "GET, POST")
    assert answer.error["detail"].startswith(f"The method {method} is not allowed for this resource.")


def test_below_its_first_version_a_path_is_404(ask: Conversation) -> None:
    assert ask("GET", "/traits", version="1.5").status == 404
    assert ask("GET", "/traits", version="1.6").status == 200


def test_deleting_all_inventories_is_405_below_its_first_version(ask: Conversation) -> None:
    assert ask("DELETE", f"{PROVIDERS}/a/inventories", version="1.4").status == 405


def test_refusals_come_in_order(ask: Conversation) -> None:
    """Each request has every mistake of those after it as well."""
    bad = {"content-type": "text/plain"}
    assert ask("POST", "/nowhere", b"{", version="1.40", actor=NOBODY, headers={"content-type": ""}).status == 406
    assert ask("POST", "/nowhere", b"{", actor=NOBODY, headers={"content-type": ""}).status == 400
    assert ask("POST", "/nowhere", b"{", actor=NOBODY, headers=bad).status == 404
    assert ask("POST", "/reshaper", b"{", version="1.29", actor=NOBODY, headers=bad).status == 404
    assert ask("POST", PROVIDERS, b"{", actor=NOBODY, headers=bad).status == 415
    assert ask("POST", PROVIDERS, b"{", actor=NOBODY).status == 403
    assert ask("POST", PROVIDERS, b"{").status == 400


def test_a_body_needs_a_type(ask: Conversation) -> None:
    answer = ask("POST", PROVIDERS, b"{}", headers={"content-type": ""})
    assert (answer.status, "content-type header required" in answer.error["detail"]) == (400, True)


def test_an_empty_body_without_a_type_is_415(ask: Conversation) -> None:
    answer = ask("POST", PROVIDERS)
    assert (answer.status, "media type None is not supported" in answer.error["detail"]) == (415, True)


def test_who_does_not_accept_json_gets_406_in_a_form_of_his_own(ask: Conversation) -> None:
    answer = ask("GET", PROVIDERS, headers={"accept": "text/plain"})
    assert (answer.status, answer.headers["content-type"]) == (406, "text/plain; charset=UTF-8")
    assert b"Only application/json is provided" in answer.body


@pytest.mark.parametrize("path", ["%00", "resource_providers?name=%00", "nowhere"])
def test_every_refusal_has_the_id_of_its_request_whoever_refuses(shared_server: DibsServer, path: str) -> None:
    answer = httpx.get(f"{shared_server.url}/placement/{path}", headers={"x-auth-token": "admin"})
    (error,) = answer.json()["errors"]
    assert error["request_id"] == answer.headers["x-openstack-request-id"]


@pytest.mark.parametrize("body", [b"{", b"\xff", b'{"name": NaN}'])
def test_what_is_not_json_is_400(ask: Conversation, body: bytes) -> None:
    answer = ask("POST", PROVIDERS, body)
    assert (answer.status, "Malformed JSON" in answer.error["detail"]) == (400, True)
