import pytest

from tests.dialects.compute.conversation import MEMBER, Conversation


@pytest.mark.parametrize(("noun", "own"), [("project", "p"), ("user", "mia")])
def test_every_name_exists_and_is_its_own_id(ask: Conversation, noun: str, own: str) -> None:
    (found,) = ask("GET", f"/identity/v3/{noun}s?name=blue", actor=MEMBER).json[f"{noun}s"]
    assert (found["id"], found["name"], found["enabled"]) == ("blue", "blue", True)
    assert ask("GET", f"/identity/v3/{noun}s/blue", actor=MEMBER).json[noun] == found
    assert [each["id"] for each in ask("GET", f"/identity/v3/{noun}s", actor=MEMBER).json[f"{noun}s"]] == [own]


def test_identity_service_is_discovered_on_both_levels(ask: Conversation) -> None:
    (version,) = ask("GET", "/identity", version=None).json["versions"]["values"]
    assert ask("GET", "/identity/v3", version=None).json["version"] == version
