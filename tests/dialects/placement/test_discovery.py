"""Version discovery."""

from dibs.access.actor import Actor
from tests.dialects.placement.conversation import Conversation


def test_the_root_lists_the_versions_without_authentication(ask: Conversation) -> None:
    answer = ask("GET", "/", actor=Actor(), version=None)
    (version,) = answer.json["versions"]
    assert (version["id"], version["min_version"], version["max_version"]) == ("v1.0", "1.0", "1.39")
    assert version["links"] == [{"rel": "self", "href": ""}]
