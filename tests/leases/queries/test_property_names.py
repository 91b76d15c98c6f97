from dibs.leases.queries import property_names
from tests.builders import Ledger
from tests.lease_builders import make_host, set_properties


def test_names_stay_when_no_host_has_them_any_more(ledger: Ledger) -> None:
    host = make_host(ledger, rack="r1", gpu="b")
    make_host(ledger, gpu="a")
    set_properties(ledger, host, rack=None)
    assert [each.name for each in ledger.store.read(property_names.every)] == ["gpu", "rack"]
    assert ledger.store.read(property_names.values) == {"gpu": ["a", "b"]}


def test_privacy_is_set_by_name(ledger: Ledger) -> None:
    make_host(ledger, rack="r1")
    assert ledger.run(lambda tx: property_names.set_private(tx, "rack", True, 5))
    assert not ledger.run(lambda tx: property_names.set_private(tx, "unknown", True, 5))
    found = ledger.store.read(lambda tx: property_names.get(tx, "rack"))
    assert found is not None
    assert (found.private, found.updated_at) == (True, 5)
