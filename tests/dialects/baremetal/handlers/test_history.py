"""The history of a node: every change, who made it, and the errors."""

from typing import Any

import pytest

from dibs.machines.model import states
from tests.dialects.baremetal.conversation import Conversation, person
from tests.manual_conductor import ManualConductor

pytestmark = pytest.mark.every_engine
"""These requests run queries that no test of an operation runs."""

URL = "/v1/nodes/n/history"
SHORT = {"uuid", "created_at", "severity", "event", "links"}
LONG = SHORT | {"event_type", "conductor", "user"}


def listed(ask: Conversation, query: str = "", **options: Any) -> list[dict[str, Any]]:
    answer = ask("GET", URL + query, **options)
    assert answer.status == 200, answer.json
    found: list[dict[str, Any]] = answer.json["history"]
    return found


@pytest.fixture
def ask(ask: Conversation) -> Conversation:
    """A conversation about a node whose cleaning failed."""
    conductor = ManualConductor(ask.ledger)
    node = ask.ledger.enrol(name="n", state=states.MANAGEABLE, owner="p1")
    assert ask("PUT", "/v1/nodes/n/states/provision", {"target": "provide"}).status == 202
    conductor.take(node)
    conductor.fail(node, states.CLEAN, "no disk")
    return ask


def test_every_change_is_listed_and_an_error_is_marked(ask: Conversation) -> None:
    first, requested, *_, failed = listed(ask)
    assert (first["event"], first["severity"], set(first)) == ("The node was created.", "INFO", SHORT)
    assert "provision_state: manageable → cleaning" in requested["event"]
    assert (failed["severity"], "no disk" in failed["event"]) == ("ERROR", True)
    assert listed(ask, "?sort_dir=desc")[0] == failed


def test_detail_names_the_user_and_the_operation(ask: Conversation) -> None:
    _, requested, *_, failed = listed(ask, "?detail=true")
    assert (requested["user"], requested["event_type"]) == ("root", "request_provision")
    assert (failed["user"], failed["state"]) == ("dibs", states.CLEAN_FAILED)
    path = failed["links"][0]["href"].removeprefix("http://dibs.example:8780/baremetal")
    assert ask("GET", path).json == failed
    for version, names in (("1.78", LONG), ("1.113", LONG | {"project"})):
        assert set(ask("GET", path, version=version).json) == names
    assert ask("GET", path, version="1.77").status == 404


def test_pages_continue_after_the_marker_in_both_directions(ask: Conversation) -> None:
    for direction in ("asc", "desc"):
        every = listed(ask, f"?sort_dir={direction}")
        page = ask("GET", f"{URL}?sort_dir={direction}&limit=1").json
        assert page["history"] == every[:1]
        rest = ask("GET", page["next"].removeprefix("http://dibs.example:8780/baremetal").replace("limit=1", "limit=9"))
        assert rest.json["history"] == every[1:]


def test_owner_sees_changes_from_the_time_when_it_owned_the_node(ask: Conversation) -> None:
    assert len(listed(ask, actor=person("p1", "reader"))) == len(listed(ask))
    ask.ledger.change(ask.ledger.enrol(name="m", owner="p1", lessee="p3"), owner="p2")
    own = ask("GET", "/v1/nodes/m/history", actor=person("p2", "reader")).json["history"]
    assert [entry["event"] for entry in own] == ["owner: p1 → p2"]
    assert ask("GET", "/v1/nodes/m/history", actor=person("p3", "admin", "member", "reader")).status == 403
    assert ask("GET", "/v1/nodes/m/history", actor=person("p1", "admin", "reader")).status == 404


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("?marker=x", 400),
        ("?sort_key=event", 400),
        ("?unknown=1", 400),
        ("/x", 400),
        ("/00000000-0000-0000-0000-00000000ffff", 404),
        ("/ffffffff-0000-4000-8000-00000000ffff", 404),
        ("?marker=ffffffff-0000-4000-8000-00000000ffff", 404),
    ],
)
def test_unusable_request_is_refused(ask: Conversation, path: str, status: int) -> None:
    assert ask("GET", URL + path).status == status
