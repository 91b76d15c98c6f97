import pytest

from tests.dialects.compute.conversation import MEMBER, Conversation


def test_version_document_gives_the_range_and_its_own_link(ask: Conversation) -> None:
    (version,) = ask("GET", "/", version=None).json["versions"]
    assert (version["id"], version["min_version"], version["version"]) == ("v2.1", "2.1", "2.61")
    assert version["links"][0]["href"] == "http://dibs.example:8780/compute/v2.1/"
    assert ask("GET", "/v2.1", version=None).json["version"].items() > version.items()


@pytest.mark.parametrize(
    ("name", "removed_in"),
    [("maxTotalFloatingIps", 36), ("maxImageMeta", 39), ("maxPersonality", 57)],
)
def test_limit_disappears_with_its_version(ask: Conversation, name: str, removed_in: int) -> None:
    before = ask("GET", "/v2.1/limits", version=f"2.{removed_in - 1}").json["limits"]["absolute"]
    after = ask("GET", "/v2.1/limits", version=f"2.{removed_in}").json["limits"]["absolute"]
    assert (before[name], name in after, after["maxTotalCores"]) == (-1, False, -1)


def test_only_admins_see_the_limits_of_another_project(ask: Conversation) -> None:
    assert ask("GET", "/v2.1/limits?tenant_id=q").status == 200
    assert ask("GET", "/v2.1/limits", actor=MEMBER).status == 200
    assert ask("GET", "/v2.1/limits?tenant_id=q", actor=MEMBER).fault[0] == "forbidden"
