import pytest

from dibs.flavors.model.errors import FlavorAccessExists, FlavorExists
from dibs.flavors.queries import flavors
from tests.builders import Ledger
from tests.server_builders import flavor

SIZES = {"vcpus": 1, "memory_mb": 1, "disk_gb": 1, "created_at": 1}


@pytest.mark.parametrize(
    ("values", "field"), [({"flavor": "a", "name": "x"}, "ID"), ({"flavor": "x", "name": "a"}, "name")]
)
def test_id_and_name_are_unique(ledger: Ledger, values: dict[str, str], field: str) -> None:
    ledger.run(lambda tx: flavors.create(tx, {"flavor": "a", "name": "a", **SIZES}))
    with pytest.raises(FlavorExists, match=field):
        ledger.run(lambda tx: flavors.create(tx, {**values, **SIZES}))


def test_access_is_granted_once_and_revoked(ledger: Ledger) -> None:
    private = flavor(ledger, public=False)
    ledger.run(lambda tx: flavors.grant(tx, private, "p"))
    with pytest.raises(FlavorAccessExists):
        ledger.run(lambda tx: flavors.grant(tx, private, "p"))
    assert [ledger.run(lambda tx: flavors.revoke(tx, private, "p")) for _ in range(2)] == [True, False]
