import pytest

from tests.dialects.reservation.conversation import Conversation


@pytest.mark.parametrize("path", ["/", "/versions"])
def test_versions_are_listed_with_status_300(ask: Conversation, path: str) -> None:
    answer = ask("GET", path)
    assert answer.status == 300
    (version,) = answer.json["versions"]
    assert (version["id"], version["min_version"], version["max_version"]) == ("v1.0", "1.0", "1.0")


def test_version_links_to_itself(ask: Conversation) -> None:
    (link,) = ask("GET", "/v1").json["version"]["links"]
    assert link["href"].endswith("/v1")
