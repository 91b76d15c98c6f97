"""Webhooks over HTTP: who may create, see and delete which, and what a caller is shown."""

import pytest

from dibs.access.actor import SERVICE_ACTOR, Actor
from dibs.http.auth import with_implied_roles
from dibs.webhooks.model.webhooks import WEBHOOKS_MAX
from tests.builders import Ledger
from tests.dialects.conversation import send
from tests.dialects.native.conversation import Conversation, person
from tests.webhooks.builders import publish, subscribe

URL = "https://example.org/hook"
SYSTEM_ADMIN = Actor(user="root", roles=with_implied_roles({"admin"}), system_scope=True)
SYSTEM_READER = Actor(user="root", roles=with_implied_roles({"reader"}), system_scope=True)
NOBODY = Actor(user="guest", project="p1", roles=frozenset())
WITHOUT_PROJECT = Actor(user="eva", roles=with_implied_roles({"admin"}))


def test_new_webhook_shows_its_secret_once(ask: Conversation) -> None:
    status, made = ask("POST", "/v1/webhooks", {"url": URL, "types": ["lease", "lease"]}, actor=person("member"))
    assert status == 201, made
    assert made["secret"].startswith("whsec_")
    assert (made["project"], made["types"], made["state"]) == ("p1", ["lease"], "enabled")
    shown = ask("GET", f"/v1/webhooks/{made['uuid']}", actor=person("member"))[1]
    assert shown == {name: value for name, value in made.items() if name != "secret"}
    assert ask("GET", "/v1/webhooks", actor=person("member"))[1] == {"webhooks": [shown]}


@pytest.mark.parametrize(
    ("actor", "project", "status"),
    [
        (person("member", "p1"), "p1", 201),
        (person("admin", "p1"), "p2", 403),
        (person("admin", "p1"), None, 403),
        (person("reader", "p1"), "p1", 403),
        (NOBODY, "p1", 403),
        (WITHOUT_PROJECT, None, 403),
        (SYSTEM_READER, None, 403),
        (SYSTEM_ADMIN, None, 201),
        (SYSTEM_ADMIN, "p2", 201),
        (SERVICE_ACTOR, None, 201),
    ],
)
def test_caller_may_create_webhooks_only_for_events_that_it_may_see(
    ask: Conversation, actor: Actor, project: str | None, status: int
) -> None:
    assert ask("POST", "/v1/webhooks", {"url": URL, "project": project}, actor=actor)[0] == status


@pytest.mark.parametrize(
    ("actor", "seen"),
    [
        (person("member", "p1"), {"p1"}),
        (person("admin", "p2"), {"p2"}),
        (person("admin", "p3"), set()),
        (SYSTEM_ADMIN, {"p1", "p2", None}),
        (SERVICE_ACTOR, {"p1", "p2", None}),
    ],
)
def test_caller_sees_and_deletes_only_webhooks_of_its_project(
    ask: Conversation, ledger: Ledger, actor: Actor, seen: set[str | None]
) -> None:
    made = {project: subscribe(ledger, project=project) for project in ("p1", "p2", None)}
    listed = ask("GET", "/v1/webhooks", actor=actor)[1]["webhooks"]
    assert {each["project"] for each in listed} == seen
    for project, webhook in made.items():
        paths = [f"/v1/webhooks/{webhook.uuid}", f"/v1/webhooks/{webhook.uuid}/deliveries"]
        expected = 200 if project in seen else 404
        assert [ask("GET", path, actor=actor)[0] for path in paths] == [expected] * 2
        assert send(ask.dialect, "DELETE", paths[0], actor=actor).status == (204 if project in seen else 404)


@pytest.mark.parametrize("actor", [NOBODY, WITHOUT_PROJECT, person("reader"), SYSTEM_READER])
def test_caller_without_the_role_may_not_read_webhooks(ask: Conversation, ledger: Ledger, actor: Actor) -> None:
    webhook = subscribe(ledger, project="p1")
    assert ask("GET", "/v1/webhooks", actor=actor)[0] == 403
    assert ask("GET", f"/v1/webhooks/{webhook.uuid}", actor=actor)[0] == 403


def test_failed_deliveries_are_listed_with_their_reasons(ask: Conversation, ledger: Ledger) -> None:
    webhook = subscribe(ledger, types=("node",))
    for _ in range(3):
        ledger.enrol()
    publish(ledger)
    status, document = ask("GET", f"/v1/webhooks/{webhook.uuid}/deliveries?limit=2&state=pending")
    assert status == 200
    first, second = document["deliveries"]
    assert first["id"] > second["id"]
    assert (first["type"], first["attempts"], first["last_error"]) == ("node.created", 0, None)
    assert first["retry_at"] is not None
    assert document["next"].endswith(f"&marker={second['id']}")
    path = f"/v1/webhooks/{webhook.uuid}/deliveries?state="
    assert len(ask("GET", f"{path}pending&marker={second['id']}")[1]["deliveries"]) == 1
    assert ask("GET", f"{path}failed")[1] == {"deliveries": []}


def test_list_has_pages(ask: Conversation, ledger: Ledger) -> None:
    made = [subscribe(ledger).uuid for _ in range(3)]
    document = ask("GET", "/v1/webhooks?limit=2")[1]
    assert [each["uuid"] for each in document["webhooks"]] == made[:2]
    assert document["next"].endswith(f"marker={made[1]}")
    assert [each["uuid"] for each in ask("GET", f"/v1/webhooks?marker={made[1]}")[1]["webhooks"]] == made[2:]
    assert ask("GET", "/v1/webhooks?marker=unknown")[0] == 404


@pytest.mark.parametrize(
    "body",
    [{}, {"url": "ftp://x/"}, {"url": "http://127.0.0.1/"}, {"url": URL, "types": ["Lease!"]}, {"url": URL, "x": 1},
     {"url": "https://user:key@example.org/"}, {"url": 7}],
)  # fmt: skip
def test_unusable_webhook_is_refused(ask: Conversation, body: object) -> None:
    assert ask("POST", "/v1/webhooks", body)[0] == 400
    assert ask("GET", "/v1/webhooks")[1] == {"webhooks": []}


def test_too_many_webhooks_are_a_conflict(ask: Conversation, ledger: Ledger) -> None:
    for _ in range(WEBHOOKS_MAX):
        subscribe(ledger)
    status, document = ask("POST", "/v1/webhooks", {"url": URL})
    assert (status, document["error"]["code"]) == (409, "too_many_webhooks")


@pytest.mark.parametrize(
    ("actor", "status"),
    [
        (person("member", "p1"), 200),
        (person("reader", "p1"), 403),
        (person("member", "p2"), 404),
        (SYSTEM_ADMIN, 200),
        (SYSTEM_READER, 403),
    ],
)
def test_webhook_is_enabled_by_callers_who_may_create_it(
    ask: Conversation, ledger: Ledger, actor: Actor, status: int
) -> None:
    webhook = subscribe(ledger, project="p1")
    assert ask("POST", f"/v1/webhooks/{webhook.uuid}/enable", {}, actor=actor)[0] == status
