import pytest

from tests.builders import Ledger
from tests.dialects.compute.conversation import Conversation
from tests.lease_builders import make_host

AGGREGATES = "/v2.1/os-aggregates"


def test_pool_of_free_hosts_is_listed_and_shown(ask: Conversation, ledger: Ledger) -> None:
    make_host(ledger, "compute-1")
    (pool,) = ask("GET", AGGREGATES).json["aggregates"]
    assert (pool["name"], pool["hosts"], pool["metadata"], pool["deleted"]) == ("freepool", ["compute-1"], {}, False)
    assert ask("GET", f"{AGGREGATES}/{pool['id']}").json == {"aggregate": pool}
    assert "uuid" not in ask("GET", AGGREGATES, version="2.40").json["aggregates"][0]
    assert ask("GET", f"{AGGREGATES}/99").status == 404
    assert ask("GET", f"{AGGREGATES}/x").status == 404


@pytest.mark.parametrize(
    ("method", "path"),
    [("POST", ""), ("PUT", "/1"), ("DELETE", "/1"), ("POST", "/1/action")],
)
def test_changes_are_refused_with_a_sentence(ask: Conversation, method: str, path: str) -> None:
    answer = ask(method, AGGREGATES + path, {"aggregate": {"name": "a"}} if method != "DELETE" else None)
    assert answer.status == 409
    assert "Aggregates follow from hosts and leases" in answer.json["conflictingRequest"]["message"]
