import pytest

from tests.dialects.baremetal.conversation import Conversation


def test_every_response_has_the_version_range_and_the_version_used(ask: Conversation) -> None:
    for version, used in ((None, "1.1"), ("1.37", "1.37"), ("latest", "1.115")):
        headers = ask("GET", "/v1/nodes/nosuch", version=version).headers
        assert headers["x-openstack-ironic-api-minimum-version"] == "1.1"
        assert headers["x-openstack-ironic-api-maximum-version"] == "1.115"
        assert headers["x-openstack-ironic-api-version"] == used
    assert "x-openstack-ironic-api-version" not in ask("GET", "/v1/nodes", version="1.9999").headers


def test_the_version_in_a_path_is_optional(ask: Conversation) -> None:
    node = ask.ledger.enrol(name="n")
    shown = ask("GET", "/v1/nodes/n").json
    bookmark = next(link["href"] for link in shown["links"] if link["rel"] == "bookmark")
    assert bookmark.endswith(f"/baremetal/nodes/{node.uuid}")
    assert ask("GET", f"/nodes/{node.uuid}").json == shown
    assert ask("GET", "/nodes").json == ask("GET", "/v1/nodes").json
    assert ask("GET", "/v2/nodes").status == 404


@pytest.mark.parametrize("path", ["/v1/nosuch", "/v2", "/v1/nodes/n/nosuch"])
def test_an_unknown_path_is_a_404_of_the_framework(ask: Conversation, path: str) -> None:
    answer = ask("GET", path)
    assert (answer.status, answer.error) == (404, {"code": 404, "title": "Not Found", "description": ""})


@pytest.mark.parametrize("method", ["PUT", "HEAD", "POST", "OPTIONS"])
def test_an_unknown_method_is_405_with_the_allowed_methods(ask: Conversation, method: str) -> None:
    answer = ask(method, "/v1/nodes/n")
    assert (answer.status, answer.headers["allow"]) == (405, "GET, PATCH, DELETE")
    assert answer.error == {"code": 405, "title": "Method Not Allowed", "description": ""}


def test_an_error_of_the_shell_has_the_same_form(ask: Conversation) -> None:
    response = ask.dialect.refuse(None, 413, "too large", (("connection", "close"),))
    assert response.status == 413
    assert ("connection", "close") in response.headers
    assert b"too large" in response.body
