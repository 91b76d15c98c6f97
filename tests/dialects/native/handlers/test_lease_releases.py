"""Release a host of an active lease over HTTP."""

from dibs.access.access import SERVICE
from dibs.leases.model.leases import START
from dibs.leases.operations.events import DueEvent, run_event
from tests.dialects.native.conversation import Conversation, person
from tests.lease_builders import lease, make_host, whole

MEMBER = person("member", "p")


def test_host_is_released_and_refusals_are_explained(ask: Conversation) -> None:
    for name in ("a", "b"):
        make_host(ask.ledger, name)
    made = lease(ask.ledger, 1, 9, whole(2))
    path = f"/v1/leases/{made.uuid}/release"
    status, document = ask("POST", path, {"host": "a"}, actor=MEMBER)
    assert (status, document["error"]["code"]) == (409, "lease_conflict")
    ask.ledger.clock.move((made.start_at - ask.ledger.clock()) / 1_000_000 + 1)
    ask.ledger.runner.write(run_event, SERVICE, DueEvent(lease=made.uuid, kind=START))
    assert ask("POST", path, {"host": "a"}, actor=person("member", "q"))[0] == 403
    assert ask("POST", path, {"host": ""}, actor=MEMBER)[0] == 400
    assert ask("POST", path, {}, actor=MEMBER)[0] == 400
    assert ask("POST", path, {"host": "zzz"}, actor=MEMBER)[0] == 400
    assert ask("POST", path, {"host": "a"}, actor=MEMBER) == (200, {"lease": made.uuid, "hosts": {"b": 1}})
    assert ask("POST", path, {"host": "b"}, actor=MEMBER)[0] == 409
    assert ask("POST", "/v1/leases/no-such/release", {"host": "a"}, actor=MEMBER)[0] == 404
