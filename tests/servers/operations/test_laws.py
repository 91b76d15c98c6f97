"""The law of servers holds for what operations wrote, and finds a row that was changed by hand."""

from sqlalchemy import delete, update

from dibs.ledger.tables import consumers, inventories
from dibs.servers.tables import servers
from tests import server_builders as build
from tests.builders import Ledger
from tests.law_checks import broken, change


def test_servers_without_a_host_or_without_a_claim_are_found(ledger: Ledger) -> None:
    build.host(ledger)
    small = build.flavor(ledger)
    build.launch(ledger, small)
    build.launch(ledger, build.flavor(ledger, vcpus=100))
    assert broken(ledger) == []
    change(ledger, update(servers).where(servers.c.status == "ACTIVE").values(provider_id=None))
    assert [violation.rpartition(") ")[2] for violation in broken(ledger)] == ["has claims without a host."]


def test_a_server_without_its_claim_is_found(ledger: Ledger) -> None:
    build.host(ledger, "rack1")
    build.launch(ledger, build.flavor(ledger))
    change(ledger, delete(consumers))
    change(ledger, update(inventories).values(used=0))
    assert [violation.rpartition(") ")[2] for violation in broken(ledger)] == ["runs on rack1 without a claim."]
