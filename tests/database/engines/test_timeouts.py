"""A database server that does not answer: every wait ends."""

from collections.abc import Callable, Iterator

import pytest
from sqlalchemy import text

from dibs.database import Store, health, open_store
from dibs.database.engines import timeouts
from dibs.database.errors import StatementTimeout, StoreUnavailable
from dibs.database.transaction import Transaction
from tests.bed.proxy import Proxy
from tests.bed.session import Bed

SLOW = {"postgresql": "SELECT pg_sleep(60)", "mariadb": "SELECT SLEEP(60)"}
COUNT = text("SELECT count(*) FROM conductors")

Opened = Callable[[str], tuple[Store, Proxy]]


@pytest.fixture
def opened(bed: Bed, monkeypatch: pytest.MonkeyPatch) -> Iterator[Opened]:
    """Open a store behind a proxy, with short limits."""
    monkeypatch.setattr(timeouts, "CONNECT_SECONDS", 1)
    monkeypatch.setattr(timeouts, "ANSWER_SECONDS", 1)
    made: list[tuple[Store, Proxy, str, str]] = []

    def open_behind_proxy(engine: str) -> tuple[Store, Proxy]:
        url = bed.databases(engine).fresh()
        port = url.rpartition(":")[2].partition("/")[0]
        proxy = Proxy(int(port))
        store = open_store(url.replace(f":{port}/", f":{proxy.port}/"))
        made.append((store, proxy, engine, url))
        return store, proxy

    yield open_behind_proxy
    for store, proxy, engine, url in made:
        store.close()
        proxy.close()
        bed.databases(engine).discard(url)


@pytest.mark.parametrize("engine", SLOW)
def test_statement_without_an_answer_ends_and_the_store_recovers(engine: str, opened: Opened) -> None:
    store, proxy = opened(engine)
    store.read(lambda tx: tx.values(COUNT))
    proxy.swallow()
    with pytest.raises(StoreUnavailable):
        store.read(lambda tx: tx.values(COUNT))
    assert health.problems(store), "connecting ends too"
    proxy.forward()
    assert health.problems(store) == []


@pytest.mark.parametrize("engine", SLOW)
def test_commit_without_an_answer_ends_and_is_not_repeated(engine: str, opened: Opened) -> None:
    store, proxy = opened(engine)
    runs = []

    def body(tx: Transaction) -> None:
        runs.append(tx.values(COUNT))
        proxy.swallow()

    with pytest.raises(StoreUnavailable):
        store.write(body)
    assert len(runs) == 1


@pytest.mark.parametrize("engine", SLOW)
def test_slow_statement_is_stopped_by_the_server_and_not_taken_for_a_lost_connection(
    engine: str, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timeouts, "STATEMENT_SECONDS", 0.1)
    monkeypatch.setattr(timeouts, "ANSWER_SECONDS", 30)
    store, proxy = opened(engine)
    with pytest.raises(StatementTimeout):
        store.write(lambda tx: tx.values(text(SLOW[engine])))
    assert proxy.accepted == 1
    assert health.problems(store) == []


def test_each_limit_is_longer_than_those_that_should_be_reached_before() -> None:
    assert timeouts.LOCK_SECONDS < timeouts.STATEMENT_SECONDS < timeouts.ANSWER_SECONDS
    assert timeouts.ANSWER_SECONDS < timeouts.IDLE_TRANSACTION_SECONDS
