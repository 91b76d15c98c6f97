"""Calendars over HTTP: who may create, see and delete which, and what a caller is shown."""

import pytest

from dibs.access.actor import SERVICE_ACTOR, Actor
from dibs.calendars.model.calendars import CALENDARS_MAX
from dibs.http.auth import with_implied_roles
from tests.dialects.conversation import send
from tests.dialects.native.conversation import Conversation, person

SYSTEM_READER = Actor(user="root", roles=with_implied_roles({"reader"}), system_scope=True)
NOBODY = Actor(user="guest", project="p1", roles=frozenset())
WITHOUT_PROJECT = Actor(user="eva", roles=with_implied_roles({"admin"}))


def test_new_calendar_shows_its_url_once(ask: Conversation) -> None:
    status, made = ask("POST", "/v1/calendars", {"mine": True}, actor=person("reader"))
    assert status == 201, made
    assert made["url"].startswith("http://dibs.example:8780/dibs/v1/feeds/")
    assert made["url"].endswith(".ics")
    assert (made["project"], made["user"], made["node"], made["created_by"]) == ("p1", "eva", None, "eva")
    shown = ask("GET", f"/v1/calendars/{made['uuid']}", actor=person("reader"))[1]
    assert shown == {name: value for name, value in made.items() if name != "url"}
    assert ask("GET", "/v1/calendars", actor=person("reader"))[1] == {"calendars": [shown]}
    assert send(ask.dialect, "DELETE", f"/v1/calendars/{made['uuid']}", actor=person("reader")).status == 204
    assert ask("GET", f"/v1/calendars/{made['uuid']}", actor=person("reader"))[0] == 404


@pytest.mark.parametrize(
    ("actor", "project", "status"),
    [
        (person("reader", "p1"), "p1", 201),
        (person("admin", "p1"), "p2", 403),
        (person("admin", "p1"), None, 403),
        (NOBODY, "p1", 403),
        (WITHOUT_PROJECT, None, 403),
        (SYSTEM_READER, None, 201),
        (SYSTEM_READER, "p2", 201),
        (SERVICE_ACTOR, None, 201),
    ],
)
def test_caller_may_create_calendars_only_of_projects_that_it_may_see(
    ask: Conversation, actor: Actor, project: str | None, status: int
) -> None:
    assert ask("POST", "/v1/calendars", {"project": project}, actor=actor)[0] == status


def test_project_sees_and_deletes_only_its_own_calendars(ask: Conversation) -> None:
    made = ask("POST", "/v1/calendars", {}, actor=person("member", "p2"))[1]
    path = f"/v1/calendars/{made['uuid']}"
    assert ask("GET", "/v1/calendars", actor=person("admin", "p1"))[1] == {"calendars": []}
    assert ask("GET", path, actor=person("admin", "p1"))[0] == 404
    assert ask("DELETE", path, actor=person("admin", "p1"))[0] == 404
    assert ask("DELETE", path, actor=SYSTEM_READER)[0] == 403
    assert ask("GET", "/v1/calendars", actor=NOBODY)[0] == 403


@pytest.mark.parametrize("body", [{"node": ""}, {"mine": 1}, {"x": 1}, {"project": ""}, []])
def test_unusable_calendar_is_refused(ask: Conversation, body: object) -> None:
    assert ask("POST", "/v1/calendars", body)[0] == 400
    assert ask("GET", "/v1/calendars")[1] == {"calendars": []}


def test_calendar_of_an_unknown_node_is_refused(ask: Conversation) -> None:
    assert ask("POST", "/v1/calendars", {"node": "rack9"})[0] == 404


def test_too_many_calendars_are_a_conflict_and_the_list_has_pages(ask: Conversation) -> None:
    made = [ask("POST", "/v1/calendars", {})[1]["uuid"] for _ in range(CALENDARS_MAX)]
    status, document = ask("POST", "/v1/calendars", {})
    assert (status, document["error"]["code"]) == (409, "too_many_calendars")
    first = ask("GET", "/v1/calendars?limit=15")[1]
    assert first["next"].endswith(f"marker={made[14]}")
    assert [each["uuid"] for each in ask("GET", f"/v1/calendars?marker={made[14]}")[1]["calendars"]] == made[15:]
