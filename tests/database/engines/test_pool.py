"""The connections of a store, with an engine that counts them."""

import threading
from typing import Any, cast

import pytest

from dibs.database.engines import Engine, pool
from dibs.database.engines.pool import Pool, PoolExhausted


class Connection:
    def __init__(self, engine: "CountingEngine", *, writing: bool) -> None:
        self.engine = engine
        self.writing = writing

    def close(self) -> None:
        self.engine.open -= 1


class CountingEngine:
    def __init__(self) -> None:
        self.open = self.opened = self.most = 0
        self.fails = False

    def connect(self, *, writing: bool) -> Connection:
        if self.fails:
            raise ConnectionError
        self.open += 1
        self.opened += 1
        self.most = max(self.most, self.open)
        return Connection(self, writing=writing)

    def switch(self, connection: Any, *, writing: bool) -> None:
        if self.fails:
            raise ConnectionError
        connection.writing = writing


@pytest.fixture
def engine() -> CountingEngine:
    return CountingEngine()


@pytest.fixture
def pooled(engine: CountingEngine, monkeypatch: pytest.MonkeyPatch) -> Pool:
    monkeypatch.setattr(pool, "WAIT_SECONDS", 0.01)
    return Pool(cast(Engine, engine), 3)


def test_connection_is_used_again(pooled: Pool, engine: CountingEngine) -> None:
    for _ in range(5):
        pooled.put_back(pooled.take(writing=True))
    assert engine.opened == 1


def test_reading_and_writing_connections_share_one_limit(pooled: Pool, engine: CountingEngine) -> None:
    taken = [pooled.take(writing=True) for _ in range(3)]
    with pytest.raises(PoolExhausted):
        pooled.take(writing=False)
    for connection in taken:
        pooled.put_back(connection)
    readers = [pooled.take(writing=False) for _ in range(3)]
    assert [reader.driver.writing for reader in readers] == [False] * 3
    assert engine.most == 3


def test_limit_holds_when_connections_are_dropped_while_others_are_in_use(pooled: Pool, engine: CountingEngine) -> None:
    first = [pooled.take(writing=True) for _ in range(3)]
    pooled.discard(first.pop())
    pooled.drop()
    second = pooled.take(writing=True)
    with pytest.raises(PoolExhausted):
        pooled.take(writing=True)
    for connection in (*first, second):
        pooled.put_back(connection)
    assert engine.open == 1, "connections from before the drop are closed, not kept"
    assert engine.most == 3


@pytest.mark.parametrize("idle", [False, True])
def test_failure_to_connect_does_not_use_up_the_limit(pooled: Pool, engine: CountingEngine, *, idle: bool) -> None:
    if idle:
        for connection in [pooled.take(writing=False) for _ in range(3)]:
            pooled.put_back(connection)
    engine.fails = True
    for _ in range(5):
        with pytest.raises(ConnectionError):
            pooled.take(writing=True)
    engine.fails = False
    assert len([pooled.take(writing=True) for _ in range(3)]) == 3
    assert engine.open == 3


def test_waiting_thread_gets_the_connection_that_is_put_back(pooled: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "WAIT_SECONDS", 60)
    taken = [pooled.take(writing=True) for _ in range(3)]
    got = threading.Event()

    def wait() -> None:
        pooled.take(writing=True)
        got.set()

    threading.Thread(target=wait, daemon=True).start()
    pooled.put_back(taken[0])
    assert got.wait(60)
