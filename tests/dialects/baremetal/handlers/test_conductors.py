import pytest

from tests.dialects.baremetal.conversation import Conversation


def test_conductors_show_whether_they_are_alive(ask: Conversation) -> None:
    listed = ask("GET", "/v1/conductors").json["conductors"]
    assert [set(entry) for entry in listed] == [{"hostname", "conductor_group", "alive", "links"}]
    assert listed[0]["alive"] is True
    ask.ledger.clock.move(3600)
    shown = ask("GET", "/v1/conductors/conductor-1").json
    assert (shown["alive"], shown["drivers"]) == (False, ["fake-hardware"])


@pytest.mark.parametrize(
    ("url", "version", "status"),
    [
        ("/v1/conductors?detail=true", "1.115", 200),
        ("/v1/conductors?sort_key=hostname&sort_dir=desc&limit=1", "1.115", 200),
        ("/v1/conductors?marker=conductor-1", "1.115", 200),
        ("/v1/conductors?marker=nosuch", "1.115", 404),
        ("/v1/conductors?sort_key=alive", "1.115", 400),
        ("/v1/conductors?fields=nosuch", "1.115", 400),
        ("/v1/conductors/nosuch", "1.115", 404),
        ("/v1/conductors", "1.48", 404),
    ],
)
def test_conductors_are_listed_in_pages(ask: Conversation, url: str, version: str, status: int) -> None:
    assert ask("GET", url, version=version).status == status


def test_before_their_version_conductors_are_not_supported(ask: Conversation) -> None:
    assert ask("GET", "/v1/conductors", version="1.48").reason == "The API is not supported for this version"
