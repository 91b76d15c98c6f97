"""The key that all processes of a site share."""

from dibs.access.access import SERVICE
from dibs.sessions.operations.site_keys import read_site_key
from tests.builders import Ledger


def test_every_process_reads_the_same_key(ledger: Ledger) -> None:
    keys = {ledger.runner.read(read_site_key, SERVICE, None) for _ in range(2)}
    assert [len(key) for key in keys] == [32]
