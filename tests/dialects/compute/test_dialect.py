import pytest

from tests.dialects.compute.conversation import Conversation


@pytest.mark.parametrize(
    ("version", "status"), [("2.1", 200), ("2.61", 200), ("latest", 200), ("2.62", 406), ("1.1", 406), ("two", 400)]
)
def test_version_outside_the_range_is_refused(ask: Conversation, version: str, status: int) -> None:
    assert ask("GET", "/v2.1/flavors", version=version).status == status


def test_response_has_its_version_in_both_headers(ask: Conversation) -> None:
    headers = ask("GET", "/v2.1/flavors", version="2.40").headers
    assert headers["openstack-api-version"] == "compute 2.40"
    assert headers["x-openstack-nova-api-version"] == "2.40"


def test_unknown_path_is_404_and_unknown_method_405(ask: Conversation) -> None:
    assert ask("GET", "/v2.1/nothing").fault[0] == "itemNotFound"
    refused = ask("PATCH", "/v2.1/flavors")
    assert (refused.status, refused.headers["allow"]) == (405, "GET, POST")


def test_body_that_is_not_json_is_400(ask: Conversation) -> None:
    assert ask("POST", "/v2.1/flavors", b"{").fault[0] == "badRequest"
