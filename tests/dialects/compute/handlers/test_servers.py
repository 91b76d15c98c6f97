from pathlib import Path

import pytest

from dibs.database import paging
from tests.builders import Ledger
from tests.dialects.compute.conversation import MEMBER, STRANGER, Conversation
from tests.dialects.compute.launching import launch, launched, shown

pytestmark = pytest.mark.every_engine
"""These requests run queries that no test of an operation runs."""


def test_server_is_active_in_the_first_answer_to_get(ask: Conversation, small: str) -> None:
    server = shown(ask, launched(ask, small, metadata={"a": "b"}, description="mine", tags=["x"]))
    assert (server["status"], server["tenant_id"], server["user_id"]) == ("ACTIVE", "p", "mia")
    assert (server["metadata"], server["description"], server["tags"]) == ({"a": "b"}, "mine", ["x"])


def test_launch_without_room_is_202_and_the_server_gives_the_reason(ask: Conversation, small: str) -> None:
    servers = [shown(ask, launched(ask, small)) for _ in range(3)]
    assert [server["status"] for server in servers] == ["ACTIVE", "ACTIVE", "ERROR"]
    assert servers[-1]["fault"]["message"] == "No valid host was found. There is no room for flavor small."
    assert servers[-1]["fault"]["code"] == 500


def test_launch_with_an_unknown_flavor_is_404(ask: Conversation) -> None:
    assert launch(ask, "nothing").fault == ("itemNotFound", "Flavor nothing could not be found.")


def test_several_servers_of_one_request_are_numbered(ask: Conversation, small: str) -> None:
    assert launch(ask, small, max_count=2).status == 202
    names = [each["name"] for each in ask("GET", "/v2.1/servers", actor=MEMBER).json["servers"]]
    assert names == ["s-2", "s-1"]


def test_fewer_places_than_min_count_leave_every_server_of_the_request_without_a_host(
    ask: Conversation, small: str
) -> None:
    assert launch(ask, small, min_count=3, max_count=4).status == 202
    servers = ask("GET", "/v2.1/servers/detail", actor=MEMBER).json["servers"]
    assert [(each["status"], each["fault"]["message"]) for each in servers] == [
        ("ERROR", "No valid host was found. There are not enough hosts available.")
    ] * 4
    assert [shown(ask, launched(ask, small))["status"] for _ in range(2)] == ["ACTIVE", "ACTIVE"]


def test_places_for_min_count_are_enough(ask: Conversation, small: str) -> None:
    assert launch(ask, small, min_count=2, max_count=3).status == 202
    servers = ask("GET", "/v2.1/servers/detail", actor=MEMBER).json["servers"]
    assert [each["status"] for each in reversed(servers)] == ["ACTIVE", "ACTIVE", "ERROR"]


def test_launch_can_answer_with_a_reservation_id(ask: Conversation, small: str) -> None:
    answer = launch(ask, small, return_reservation_id=True)
    assert (answer.status, list(answer.json)) == (202, ["reservation_id"])


def test_server_of_another_project_is_404(ask: Conversation, small: str) -> None:
    uuid = launched(ask, small)
    for method, body in (("GET", None), ("DELETE", None), ("PUT", {"server": {"name": "t"}})):
        assert ask(method, f"/v2.1/servers/{uuid}", body, actor=STRANGER).fault[0] == "itemNotFound"
    assert ask("GET", "/v2.1/servers", actor=STRANGER).json == {"servers": []}


def test_admin_lists_the_servers_of_one_project_or_of_all(ask: Conversation, small: str) -> None:
    mine, theirs = launched(ask, small), launched(ask, small, actor=STRANGER)

    def listed(query: str) -> list[str]:
        return [each["id"] for each in ask("GET", f"/v2.1/servers{query}").json["servers"]]

    assert listed("") == []
    assert listed("?all_tenants=1") == [theirs, mine]
    assert listed("?all_tenants=1&project_id=p") == [mine]


def test_member_may_not_list_the_servers_of_all_projects(ask: Conversation) -> None:
    assert ask("GET", "/v2.1/servers?all_tenants=1", actor=MEMBER).fault[0] == "forbidden"


@pytest.mark.parametrize(
    ("path", "rule"),
    [("/v2.1/servers", "servers:index:get_all_tenants"), ("/v2.1/servers/detail", "servers:detail:get_all_tenants")],
)
def test_each_list_of_every_project_has_its_own_rule(ledger: Ledger, tmp_path: Path, path: str, rule: str) -> None:
    policy = tmp_path / "policy.yaml"
    policy.write_text(f'"os_compute_api:{rule}": "role:member"\n')
    ask = Conversation(ledger, MEMBER, policy_file=str(policy))
    other = "/v2.1/servers" if path.endswith("detail") else "/v2.1/servers/detail"
    assert ask("GET", f"{path}?all_tenants=1").status == 200
    assert ask("GET", f"{other}?all_tenants=1").fault[0] == "forbidden"


def test_full_page_links_to_the_next(ask: Conversation, small: str) -> None:
    launched(ask, small)
    launched(ask, small)
    page = ask("GET", "/v2.1/servers/detail?limit=1&status=ACTIVE", actor=MEMBER).json
    (link,) = page["servers_links"]
    rest = ask("GET", link["href"].replace("http://dibs.example:8780/compute", ""), actor=MEMBER).json
    assert len({page["servers"][0]["id"], rest["servers"][0]["id"]}) == 2


def test_page_that_is_cut_by_its_size_links_to_the_next(
    ask: Conversation, small: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    launched(ask, small)
    launched(ask, small)
    monkeypatch.setattr(paging, "PAGE_BYTES_MAX", 100)
    page = ask("GET", "/v2.1/servers", actor=MEMBER).json
    assert len(page["servers"]) == 1
    (link,) = page["servers_links"]
    rest = ask("GET", link["href"].replace("http://dibs.example:8780/compute", ""), actor=MEMBER).json
    assert len({page["servers"][0]["id"], rest["servers"][0]["id"]}) == 2


@pytest.mark.parametrize(("version", "status"), [("2.37", 200), ("2.38", 400)])
def test_unknown_status_is_400_from_2_38_on(ask: Conversation, version: str, status: int) -> None:
    assert ask("GET", "/v2.1/servers?status=HAPPY", version=version).status == status


def test_status_that_servers_of_dibs_never_have_lists_none(ask: Conversation, small: str) -> None:
    launched(ask, small)
    assert ask("GET", "/v2.1/servers?status=PAUSED", actor=MEMBER).json == {"servers": []}


def test_name_and_description_can_be_changed(ask: Conversation, small: str) -> None:
    uuid = launched(ask, small)
    body = {"server": {"name": "t", "description": "new"}}
    server = ask("PUT", f"/v2.1/servers/{uuid}", body, actor=MEMBER).json["server"]
    assert (server["name"], server["description"]) == ("t", "new")
    server = ask("PUT", f"/v2.1/servers/{uuid}", {"server": {"description": None}}, actor=MEMBER).json["server"]
    assert (server["name"], server["description"]) == ("t", None)


def test_deleted_server_is_404(ask: Conversation, small: str) -> None:
    uuid = launched(ask, small)
    assert ask("DELETE", f"/v2.1/servers/{uuid}", actor=MEMBER).status == 204
    assert ask("GET", f"/v2.1/servers/{uuid}", actor=MEMBER).status == 404
