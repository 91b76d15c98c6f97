"""However the callers met, the ledger is in order afterwards."""

from collections.abc import Iterator

import pytest

from tests.laws import broken_laws, read_tables


@pytest.fixture(autouse=True)
def the_ledger_is_in_order_afterwards(database_url: str) -> Iterator[None]:
    yield
    tables = read_tables(database_url)
    if len(tables["providers"]) == len(tables["nodes"]):
        assert broken_laws(tables) == []
