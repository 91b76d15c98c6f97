"""Check the laws of the ledger after every race."""

from collections.abc import Iterator

import pytest

from dibs.database.engines import pool
from tests.laws import broken_laws, read_tables


@pytest.fixture(autouse=True)
def check_laws_afterwards(database_url: str) -> Iterator[None]:
    yield
    tables = read_tables(database_url)
    if len(tables["providers"]) == len(tables["nodes"]):
        assert broken_laws(tables) == []


@pytest.fixture(autouse=True)
def wait_for_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let callers wait for a connection of the pool: on a busy machine, more of them than it has need longer."""
    monkeypatch.setattr(pool, "WAIT_SECONDS", 600)
