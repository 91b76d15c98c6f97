"""One request and its response: body, caching headers and links."""

import pytest

from tests.dialects.placement.conversation import BASE_URL, Conversation

PROVIDERS = "/resource_providers"


@pytest.mark.parametrize("body", [b"{", b"\xff", b'{"name": NaN}'])
def test_a_body_that_is_not_json_is_400(ask: Conversation, body: bytes) -> None:
    answer = ask("POST", PROVIDERS, body)
    assert (answer.status, "Malformed JSON" in answer.error["detail"]) == (400, True)


def test_responses_have_caching_headers_since_1_15(ask: Conversation) -> None:
    assert "last-modified" not in ask("GET", "/", version="1.14").headers
    new = ask("GET", "/", version="1.15").headers
    assert new["last-modified"].endswith("GMT")
    assert new["cache-control"] == "no-cache"


def test_an_empty_response_has_caching_headers_only_if_it_shows_something(ask: Conversation) -> None:
    assert "cache-control" in ask("GET", "/traits/HW_CPU_X86_VMX").headers
    assert "cache-control" not in ask("PUT", "/resource_classes/CUSTOM_A").headers


def test_locations_are_absolute_and_links_begin_at_the_mount(ask: Conversation) -> None:
    made = ask("POST", PROVIDERS, {"name": "p"})
    uuid = made.json["uuid"]
    assert made.headers["location"] == f"{BASE_URL}{PROVIDERS}/{uuid}"
    assert made.json["links"][0]["href"] == f"/placement{PROVIDERS}/{uuid}"
