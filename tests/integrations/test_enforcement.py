"""The client of the enforcement service against a real HTTP server: requests, and the effect of each answer."""

from collections.abc import Callable, Iterator

import httpx
import pytest

from dibs.conductor.outbox import OutboxRunner
from dibs.integrations import HttpEnforcement
from dibs.leases.model.dates import LeaseRules
from dibs.leases.model.outbox import LONGEST_PAUSE_SECONDS
from tests import lease_builders as leases
from tests.bed.dibs_server import DibsServer
from tests.bed.waiting import eventually
from tests.builders import Ledger
from tests.dialects.reservation.conversation import MEMBER, Conversation
from tests.integrations.conftest import hosts, instances
from tests.integrations.enforcement_server import EnforcementServer

START, END, LATER = "2092-05-01 12:00", "2092-05-01 14:00", "2092-05-01 15:00"


@pytest.fixture
def service() -> Iterator[EnforcementServer]:
    """A service that approves everything unless a test sets another answer."""
    made = EnforcementServer()
    yield made
    made.stop()


@pytest.fixture
def enforcement(service: EnforcementServer) -> HttpEnforcement:
    return HttpEnforcement(
        service.url + "/", token="t", timeout_seconds=1, auth_url="http://keystone/v3", region="here"
    )


@pytest.fixture
def ask(ledger: Ledger, enforcement: HttpEnforcement) -> Conversation:
    """The reservation API with an enforcement service."""
    return Conversation(ledger, MEMBER, enforcement=enforcement, rules=LeaseRules(enforced=True))


@pytest.fixture
def outbox(ledger: Ledger, enforcement: HttpEnforcement) -> OutboxRunner:
    return OutboxRunner(ledger.runner, None, enforcement)


def new(*parts: dict[str, object]) -> dict[str, object]:
    return {"name": "l", "start_date": START, "end_date": END, "reservations": list(parts or [hosts()])}


def test_service_receives_a_new_lease_with_its_proposed_hosts(
    ledger: Ledger, ask: Conversation, service: EnforcementServer
) -> None:
    host = leases.make_host(ledger, "h", gpu="a100")
    made = ask("POST", "/v1/leases", new(instances(), hosts() | {"resource_properties": '["==", "$gpu", "a100"]'}))
    assert made.status == 409
    assert service.requests == []
    assert ask("POST", "/v1/leases", new(hosts())).status == 201
    ((path, headers, body),) = service.requests
    assert path == "/base/check-create"
    assert headers["X-Auth-Token"] == "t"
    assert headers["Content-Type"] == "application/json"
    assert body.keys() == {"context", "lease"}
    assert body["context"] == {
        "user_id": MEMBER.user,
        "project_id": MEMBER.project,
        "auth_url": "http://keystone/v3",
        "region_name": "here",
    }
    lease = body["lease"]
    (part,) = lease.pop("reservations")
    assert lease == {
        "name": "l",
        "user_id": MEMBER.user,
        "project_id": MEMBER.project,
        "start_date": "2092-05-01T12:00:00",
        "end_date": "2092-05-01T14:00:00",
        "before_end_date": "2092-05-01T13:00:00",
    }
    (allocation,) = part.pop("allocations")
    assert part == {**hosts(), "before_end": "default"}
    assert (allocation["id"], allocation["hypervisor_hostname"]) == (str(host.id), "h")
    assert (allocation["vcpus"], allocation["gpu"]) == (64, "a100")


@pytest.mark.one_engine
@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ((403, b'{"message": "Quota exceeded."}'), "Quota exceeded."),
        ((403, b"no"), "The lease was refused because the enforcement service answered 403 without a reason."),
        ((403, b'["message"]'), "The lease was refused because the enforcement service answered 403 without a reason."),
        ((200, b"{}"), "The lease was refused because the enforcement service answered 200 without a reason."),
        ((302, b""), "The lease was refused because the enforcement service answered 302 without a reason."),
        ((500, b"!"), "The lease was refused because the enforcement service answered 500 without a reason."),
    ],
)
def test_lease_is_refused_unless_the_answer_is_204(
    ledger: Ledger, ask: Conversation, service: EnforcementServer, answer: tuple[int, bytes], message: str
) -> None:
    leases.make_host(ledger)
    service.answers["check-create"] = answer
    refused = ask("POST", "/v1/leases", new())
    assert (refused.status, refused.message) == (400, message)
    assert ask("GET", "/v1/leases").json == {"leases": []}


@pytest.mark.one_engine
def test_lease_is_refused_without_an_answer(ledger: Ledger, ask: Conversation, service: EnforcementServer) -> None:
    leases.make_host(ledger)
    message = "The lease was refused because the enforcement service cannot be reached."
    service.silent.set()
    refused = ask("POST", "/v1/leases", new())
    assert (refused.status, refused.message) == (400, message)
    service.stop()
    refused = ask("POST", "/v1/leases", new())
    assert (refused.status, refused.message) == (400, message)


@pytest.mark.one_engine
def test_service_receives_a_lease_before_and_after_an_update(
    ledger: Ledger, ask: Conversation, service: EnforcementServer
) -> None:
    host = leases.make_host(ledger)
    lease = ask("POST", "/v1/leases", new()).json["lease"]
    url = f"/v1/leases/{lease['id']}"
    assert ask("PUT", url, {"name": "another"}).status == 200
    assert len(service.requests) == 1
    assert ask("PUT", url, {"end_date": LATER}).status == 200
    path, _, body = service.requests[-1]
    assert path == "/base/check-update"
    assert body.keys() == {"context", "lease", "current_lease"}
    assert body["current_lease"]["end_date"] == "2092-05-01T14:00:00"
    assert body["lease"]["end_date"] == "2092-05-01T15:00:00"
    for document in (body["lease"], body["current_lease"]):
        (part,) = document["reservations"]
        assert (document["id"], part["id"]) == (lease["id"], lease["reservations"][0]["id"])
        assert [each["id"] for each in part["allocations"]] == [str(host.id)]

    service.answers["check-update"] = (403, b'{"message": "No longer."}')
    refused = ask("PUT", url, {"end_date": "2092-05-01 16:00"})
    assert (refused.status, refused.message) == (400, "No longer.")
    assert ask("GET", url).json["lease"]["end_date"] == "2092-05-01T15:00:00.000000"


def test_service_is_notified_of_the_end_with_the_hosts(
    ledger: Ledger, ask: Conversation, service: EnforcementServer, outbox: OutboxRunner
) -> None:
    host = leases.make_host(ledger)
    lease = ask("POST", "/v1/leases", new()).json["lease"]
    assert ask("DELETE", f"/v1/leases/{lease['id']}").status == 204
    assert [path for path, _, _ in service.requests] == ["/base/check-create"]
    assert outbox.run() == 1
    path, headers, body = service.requests[-1]
    assert (path, headers["X-Auth-Token"]) == ("/base/on-end", "t")
    assert (body["context"]["project_id"], body["lease"]["id"]) == (MEMBER.project, lease["id"])
    (part,) = body["lease"]["reservations"]
    assert [each["id"] for each in part["allocations"]] == [str(host.id)]
    assert outbox.run() == 0


@pytest.mark.one_engine
def test_notification_is_repeated_until_the_service_takes_it(
    ledger: Ledger, ask: Conversation, service: EnforcementServer, outbox: OutboxRunner
) -> None:
    leases.make_host(ledger)
    lease = ask("POST", "/v1/leases", new()).json["lease"]
    ask("DELETE", f"/v1/leases/{lease['id']}")
    service.answers["on-end"] = (500, b"")
    for _ in range(2):
        assert outbox.run() == 0
        ledger.clock.move(LONGEST_PAUSE_SECONDS)
    service.answers["on-end"] = (404, b"")
    assert outbox.run() == 1


@pytest.mark.one_engine
def test_server_process_calls_the_service_of_its_settings(
    serve: Callable[..., DibsServer], service: EnforcementServer
) -> None:
    server = serve("--enforcement-url", service.url, "--enforcement-token", "t", "--region-name", "here")
    url = f"{server.url}/reservation/v1/leases"
    body = {"name": "l", "start_date": "now", "end_date": END, "reservations": []}
    lease = httpx.post(url, json=body).json()["lease"]
    assert httpx.delete(f"{url}/{lease['id']}").status_code == 204
    eventually(lambda: [path for path, _, _ in service.requests] == ["/base/check-create", "/base/on-end"], 30, "both")
    assert {body["context"]["region_name"] for _, _, body in service.requests} == {"here"}
