import pytest

from dibs.errors import Forbidden
from dibs.leases.model.errors import NotEnoughHosts
from dibs.leases.operations.leases import ListLeases, list_leases
from dibs.leases.operations.proposals import propose_lease, propose_update
from dibs.leases.operations.updates import UpdateLease
from tests import lease_builders as leases
from tests.builders import Ledger, trusted


def test_proposed_lease_has_hosts_and_is_not_stored(ledger: Ledger) -> None:
    host = leases.make_host(ledger)
    document = ledger.runner.read(propose_lease, leases.OWNER, leases.new_lease(1, 2, leases.whole()))
    (reservation,) = document["reservations"]
    assert [each["id"] for each in reservation["allocations"]] == [str(host.id)]
    assert "id" not in document
    assert ledger.runner.read(list_leases, leases.OWNER, ListLeases(limit=1)) == []


def test_proposal_is_refused_like_the_lease(ledger: Ledger) -> None:
    with pytest.raises(NotEnoughHosts):
        ledger.runner.read(propose_lease, leases.OWNER, leases.new_lease(1, 2, leases.whole()))


def test_proposed_update_shows_the_lease_before_and_after(ledger: Ledger) -> None:
    leases.make_host(ledger)
    made = leases.lease(ledger, 1, 2, leases.whole())
    command = UpdateLease(uuid=made.uuid, name="longer", end_at=leases.at(5), seed=1)
    change = ledger.runner.read(propose_update, leases.MEMBER, command)
    assert (change.current["name"], change.lease["name"]) == ("l", "longer")
    assert change.current["end_date"] < change.lease["end_date"]
    assert change.current["reservations"][0]["allocations"] == change.lease["reservations"][0]["allocations"]
    assert leases.shown(ledger, made) == made


def test_update_of_another_project_is_not_proposed(ledger: Ledger) -> None:
    made = leases.lease(ledger, 1, 2, access=trusted(user="v", project="q"))
    with pytest.raises(Forbidden):
        ledger.runner.read(propose_update, leases.MEMBER, UpdateLease(uuid=made.uuid, end_at=leases.at(5)))
