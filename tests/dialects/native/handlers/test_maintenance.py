"""Maintenance over HTTP: who may plan and see it, and bad requests."""

from typing import Any

import pytest

from dibs.access.actor import Actor
from dibs.dialects.native.handlers import maintenance
from dibs.http.auth import with_implied_roles
from dibs.leases.model.errors import NotEnoughHosts
from tests.builders import Ledger
from tests.dialects.native.conversation import Conversation, person
from tests.lease_builders import booked, lease, make_host, whole

ADMIN = Actor(user="root", roles=with_implied_roles({"admin"}), system_scope=True)
THREE_HOURS = {"nodes": "rack4-*", "seconds": 10_800}


def test_maintenance_is_planned_booked_listed_and_canceled(ask: Conversation, ledger: Ledger) -> None:
    make_host(ledger, "rack4-01")
    made = lease(ledger, 0, 1_000, whole())
    new = make_host(ledger, "rack5-01")
    status, plan = ask("POST", "/v1/maintenance", THREE_HOURS, actor=ADMIN)
    assert (status, plan["uuid"], plan["hosts"]) == (200, None, ["rack4-01"])
    assert plan["moves"] == [{"lease": made.uuid, "before": ["rack4-01"], "after": ["rack5-01"]}]
    assert ask("GET", "/v1/maintenance")[1] == {"maintenance": []}
    status, done = ask("POST", "/v1/maintenance", {**THREE_HOURS, "name": "fans", "apply": True}, actor=ADMIN)
    assert (status, done["moves"]) == (201, plan["moves"])
    assert booked(ledger, made) == {new.id: 1}
    status, seen = ask("GET", "/v1/maintenance", actor=person("reader"))
    shown = {name: done[name] for name in ("uuid", "name", "start", "end", "hosts")}
    assert (status, seen) == (200, {"maintenance": [shown]})
    assert ask("DELETE", f"/v1/maintenance/{done['uuid']}", actor=ADMIN)[0] == 204
    status, document = ask("DELETE", f"/v1/maintenance/{done['uuid']}", actor=ADMIN)
    assert (status, document["error"]["code"]) == (404, "lease_not_found")


def test_members_see_maintenance_and_do_not_plan_it(ask: Conversation) -> None:
    assert ask("GET", "/v1/maintenance", actor=person("member"))[0] == 200
    for actor in (person("member"), person("admin"), person("reader")):
        assert ask("POST", "/v1/maintenance", THREE_HOURS, actor=actor)[0] == 403
        assert ask("DELETE", "/v1/maintenance/x", actor=actor)[0] == 403


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"nodes": "rack4-*"}, "seconds"),
        ({**THREE_HOURS, "seconds": 1}, "seconds"),
        ({**THREE_HOURS, "before": "soon"}, "before is not a valid ISO 8601 timestamp: soon"),
        ({**THREE_HOURS, "nodes": ""}, "nodes"),
        ({**THREE_HOURS, "nodes": "rack9-*"}, "No host has a name that matches rack9-*."),
        ({**THREE_HOURS, "after": "now"}, "after"),
    ],
)
def test_bad_request_names_the_field(ask: Conversation, ledger: Ledger, body: dict[str, Any], words: str) -> None:
    make_host(ledger, "rack4-01")
    status, document = ask("POST", "/v1/maintenance", body, actor=ADMIN)
    assert (status, words in document["error"]["message"]) == (400, True), document


def test_plan_is_made_again_when_another_client_was_faster(
    ask: Conversation, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_host(ledger, "rack4-01")
    book, calls = maintenance.book_maintenance, []

    def lose(tx: Any, access: Any, now: int, command: Any) -> Any:
        calls.append(command)
        if len(calls) == 1:
            raise NotEnoughHosts(shortage="")
        return book(tx, access, now, command)

    monkeypatch.setattr(maintenance, "book_maintenance", lose)
    assert ask("POST", "/v1/maintenance", {**THREE_HOURS, "apply": True}, actor=ADMIN)[0] == 201
    assert len(calls) == 2
