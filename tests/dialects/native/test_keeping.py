"""How long an allocation or a lease can be kept at most."""

from tests.dialects.native.conversation import Conversation, person
from tests.lease_builders import lease, make_host, whole


def test_latest_end_of_an_allocation_and_of_a_lease(ask: Conversation) -> None:
    (made,) = ask.ask(until="2090-01-01T12:00:00", wait_seconds=60)
    status, found = ask("GET", f"/v1/allocations/{made['uuid']}/latest-end")
    assert (status, found) == (200, {"end": made["until"], "latest": None, "reason": ""})
    make_host(ask.ledger)
    first, second = (lease(ask.ledger, start, start + 1, whole()) for start in (1, 3))
    status, found = ask("GET", f"/v1/leases/{first.uuid}/latest-end", actor=person("admin", "p"))
    assert (status, found["reason"]) == (200, "a lease has it from then on")
    assert found["end"] < found["latest"]
    assert ask("GET", f"/v1/leases/{second.uuid}/latest-end", actor=person("member", "red"))[0] in (403, 404)
    assert ask("GET", "/v1/allocations/no-such/latest-end")[0] == 404
