"""Check the laws of the ledger after every race."""

from collections.abc import Iterator

import pytest

from tests.laws import broken_laws, read_tables


@pytest.fixture(autouse=True)
def check_laws_afterwards(database_url: str) -> Iterator[None]:
    yield
    tables = read_tables(database_url)
    if len(tables["providers"]) == len(tables["nodes"]):
        assert broken_laws(tables) == []
