"""Leases over HTTP, beyond the exchanges in tests/contracts."""

from typing import Any

import pytest

from dibs.dialects.reservation.handlers import leases as handlers
from dibs.integrations import leasing
from dibs.leases.model.dates import LeaseRules
from dibs.leases.model.matching.budgets import SearchBudget
from dibs.leases.model.matching.earliest_start import EarliestStart, StartSearch
from dibs.leases.operations.planning import LARGE_LEASE
from tests.builders import Ledger
from tests.dialects.reservation.conversation import ADMIN, MEMBER, READER, STRANGER, Conversation
from tests.dialects.reservation.lease_bodies import END, LATER, START, hosts, instances, lease
from tests.lease_builders import make_host
from tests.provider_builders import statements

LEASES = "/v1/leases"


@pytest.fixture
def ask(ledger: Ledger) -> Conversation:
    """Send requests to the dialect with two hosts."""
    make_host(ledger, "compute-1", rack="r1")
    make_host(ledger, "compute-2", rack="r2")
    return Conversation(ledger)


def made(ask: Conversation, *parts: Any, **values: Any) -> Any:
    answer = ask("POST", LEASES, lease(*parts, **values))
    assert answer.status == 201, answer.body
    return answer.json["lease"]


def changed(ask: Conversation, before: Any, body: Any) -> Any:
    answer = ask("PUT", f"{LEASES}/{before['id']}", body)
    assert answer.status == 200, answer.body
    return answer.json["lease"]


def test_list_takes_as_many_statements_for_fifty_leases_as_for_one(ask: Conversation, ledger: Ledger) -> None:
    made(ask, hosts(), instances())
    few = statements(ledger, lambda: ask("GET", LEASES))
    for _ in range(49):
        made(ask, instances(amount=1))
    assert len(ask("GET", LEASES).json["leases"]) == 50
    assert statements(ledger, lambda: ask("GET", LEASES)) == few
    ours = statements(ledger, lambda: ask("GET", LEASES, actor=MEMBER))
    ask("POST", LEASES, lease(), actor=MEMBER)
    assert statements(ledger, lambda: ask("GET", LEASES, actor=MEMBER)) <= ours + 2


def test_pages_lead_to_every_lease_once(ask: Conversation) -> None:
    ids = [made(ask)["id"] for _ in range(5)]
    found, path = [], f"{LEASES}?limit=2"
    while path:
        page = ask("GET", path).json
        assert len(page["leases"]) <= 2
        found += [each["id"] for each in page["leases"]]
        (link,) = page.get("leases_links") or [{"href": ""}]
        path = link["href"].partition("/reservation")[2]
    assert found == ids


def test_list_without_a_limit_has_every_lease(ask: Conversation, monkeypatch: pytest.MonkeyPatch) -> None:
    """The stock client sends no limit and follows no link."""
    monkeypatch.setattr(handlers, "LIMIT_MAX", 2)
    ids = [made(ask)["id"] for _ in range(5)]
    answer = ask("GET", LEASES).json
    assert [each["id"] for each in answer["leases"]] == ids
    assert "leases_links" not in answer
    monkeypatch.setattr(handlers, "LIST_BYTES_MAX", 100)
    answer = ask("GET", LEASES).json
    assert [each["id"] for each in answer["leases"]] == ids[:2]
    assert answer["leases_links"][0]["href"].endswith(f"{LEASES}?marker={ids[1]}")


@pytest.mark.parametrize("query", ["limit=0", "limit=-1", "limit=x", "limit=", "marker=unknown"])
def test_bad_limits_and_unknown_markers_are_refused(ask: Conversation, query: str) -> None:
    assert ask("GET", f"{LEASES}?{query}").status == 400


def test_only_the_project_and_admins_see_a_lease(ask: Conversation) -> None:
    ours = ask("POST", LEASES, lease(hosts()), actor=MEMBER).json["lease"]
    assert (ours["project_id"], ours["user_id"]) == ("p-member", "u-member")
    for actor, seen in ((MEMBER, [ours]), (READER, [ours]), (ADMIN, [ours]), (STRANGER, [])):
        assert ask("GET", LEASES, actor=actor).json["leases"] == seen
        assert ask("GET", f"{LEASES}/{ours['id']}", actor=actor).status == (200 if seen else 403)


@pytest.mark.every_engine
def test_other_leases_are_created_while_the_earliest_start_is_searched(
    ask: Conversation, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(ask, hosts(min=2, max=2))
    created = []
    search = StartSearch.run

    def run(self: StartSearch, budget: SearchBudget) -> EarliestStart:
        created.append(made(ask, instances(), start_date=END, end_date=LATER))
        return search(self, budget)

    monkeypatch.setattr(StartSearch, "run", run)
    answer = ask("POST", LEASES, lease(hosts()))
    assert (answer.status, len(created)) == (409, 1)
    assert answer.json["error_message"].endswith(f"The earliest start at which this fits is {END}.")


def test_large_lease_is_refused_without_a_writing_transaction(
    ask: Conversation, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger.store, "write", None)
    answer = ask("POST", LEASES, lease(hosts(min=LARGE_LEASE + 1, max=LARGE_LEASE + 1)))
    assert (answer.status, "Not enough hosts available" in answer.json["error_message"]) == (409, True)


def test_lease_that_would_not_fit_at_any_time_is_refused_by_one_search(
    ask: Conversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leasing, "propose_lease", pytest.fail)
    answer = ask("POST", LEASES, lease(hosts(min=LARGE_LEASE, max=LARGE_LEASE)))
    assert answer.status == 409
    assert "It would not fit at any time." in answer.json["error_message"]


def test_refused_update_of_a_pending_lease_names_a_later_start(ask: Conversation) -> None:
    mine = made(ask, hosts())
    made(ask, hosts(min=2, max=2), start_date=END, end_date=LATER)
    answer = ask("PUT", f"{LEASES}/{mine['id']}", {"end_date": LATER})
    assert answer.status == 409
    assert answer.json["error_message"].endswith(f"The earliest start at which this fits is {LATER}.")


def test_lease_that_begins_now_is_pending_until_its_event_runs(ask: Conversation) -> None:
    now = made(ask, hosts(), start_date="now")
    assert now["status"] == "PENDING"
    assert now["start_date"] == "2027-01-15T08:00:00.000000"


def test_requests_about_leases_wake_the_conductor(ledger: Ledger) -> None:
    woken: list[str] = []
    ask = Conversation(ledger, wake=lambda: woken.append("now"))
    before = made(ask)
    changed(ask, before, {"name": "other"})
    ask("DELETE", f"{LEASES}/{before['id']}")
    assert len(woken) == 3


def test_cleaning_minutes_keep_leases_apart(ledger: Ledger) -> None:
    make_host(ledger, "compute-1")
    ask = Conversation(ledger, rules=LeaseRules(cleaning_minutes=30))
    made(ask, hosts())
    answer = ask("POST", LEASES, lease(hosts(), start_date=END, end_date=LATER))
    assert (answer.status, answer.message[-17:]) == (409, "2090-03-01 12:30.")
    assert made(ask, hosts(), start_date="2090-03-01 12:30", end_date=LATER)


def test_duration_is_limited_except_for_exempt_projects(ledger: Ledger) -> None:
    rules = LeaseRules(seconds_max=3600, exempt_projects=frozenset({"p-other"}))
    ask = Conversation(ledger, rules=rules)
    refused = ask("POST", LEASES, lease(), actor=MEMBER)
    assert refused.status == 400
    assert refused.message == "Lease duration of 7200 seconds is greater than the maximum of 3600 seconds"
    assert ask("POST", LEASES, lease(), actor=STRANGER).status == 201
    short = ask("POST", LEASES, lease(end_date="2090-03-01 11:00"), actor=MEMBER).json["lease"]
    assert ask("PUT", f"{LEASES}/{short['id']}", {"end_date": END}, actor=MEMBER).status == 400


@pytest.mark.parametrize(("minutes", "time"), [(0, None), (30, "11:30"), (180, "10:00")])
def test_before_end_event_is_due_as_the_operator_says(ledger: Ledger, minutes: int, time: str | None) -> None:
    ask = Conversation(ledger, rules=LeaseRules(before_end_minutes=minutes))
    events = {event["event_type"]: event["time"] for event in made(ask)["events"]}
    assert events.get("before_end_lease") == (time and f"2090-03-01T{time}:00.000000")


def test_reservation_of_hosts_is_changed_by_its_own_keys(ask: Conversation) -> None:
    before = made(ask, hosts())
    (part,) = before["reservations"]
    change = {"id": part["id"], "max": 2, "before_end": "snapshot", "resource_properties": '["==", "$rack", "r2"]'}
    after = changed(ask, before, {"reservations": [{**change, "vcpus": 5, "amount": 7, "zzz": 1}]})
    (shown,) = after["reservations"]
    assert (shown["min"], shown["max"], shown["before_end"]) == (1, 2, "snapshot")
    assert shown["resource_properties"] == '["==", "$rack", "r2"]'
    allocations = ask("GET", f"/v1/os-hosts/allocations?lease_id={before['id']}").json["allocations"]
    assert [len(each["reservations"]) for each in allocations] == [0, 1]


def test_reservation_of_instances_is_changed_by_its_own_keys(ask: Conversation) -> None:
    before = made(ask, instances())
    (part,) = before["reservations"]
    after = changed(ask, before, {"reservations": [{"id": part["id"], "vcpus": 4, "min": 9, "affinity": "True"}]})
    (shown,) = after["reservations"]
    assert (shown["vcpus"], shown["memory_mb"], shown["amount"], shown["affinity"]) == (4, 1024, 2, True)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"amount": 0}, "amount must be >= 1"),
        ({"amount": "3"}, "Malformed parameter amount"),
        ({"vcpus": 0}, "Malformed parameter vcpus (must be greater than or equal to 1)"),
        ({"affinity": "zap"}, "Malformed parameter affinity (must be a bool value or None)"),
        ({"resource_properties": 5}, "Malformed parameter resource_properties"),
        ({"resource_properties": "[1]"}, "Malformed requirements [1]"),
        ({"id": 5}, "Missing parameter reservation ID"),
    ],
)
def test_malformed_change_of_instances_names_the_parameter(ask: Conversation, change: Any, message: str) -> None:
    before = made(ask, instances())
    body = {"reservations": [{"id": before["reservations"][0]["id"], **change}]}
    answer = ask("PUT", f"{LEASES}/{before['id']}", body)
    assert (answer.status, answer.message) == (400, message)
    assert ask("GET", f"{LEASES}/{before['id']}").json["lease"] == before


@pytest.mark.parametrize(
    ("change", "status"),
    [({"name": 5}, 400), ({"name": "x" * 81}, 400), ({"before_end_date": START}, 403), ({"reservations": "x"}, 400)],
)
def test_malformed_change_of_a_lease_is_refused(ask: Conversation, change: Any, status: int) -> None:
    before = made(ask, hosts())
    assert ask("PUT", f"{LEASES}/{before['id']}", change).status == status
    assert ask("GET", f"{LEASES}/{before['id']}").json["lease"] == before
