"""Several servers of one database: the next one is used when one fails."""

import logging
from collections.abc import Callable, Iterator

import pytest
from sqlalchemy import URL, make_url, text

from dibs.database import Store, health, open_store
from dibs.database.engines import engine_for, timeouts
from dibs.database.engines.servers import Servers, Unreachable, split_url
from dibs.database.errors import StoreUnavailable
from dibs.database.transaction import Transaction
from dibs.errors import BadValue
from dibs.ledger.queries import providers
from tests.bed.proxy import At, Proxy
from tests.bed.session import Bed

IDENTITY = "11111111-0000-4000-8000-000000000001"
COUNT = text("SELECT count(*) FROM providers")


@pytest.mark.parametrize(
    ("url", "hosts"),
    [
        ("mariadb://u:p@a/d", ["mariadb://u:p@a/d"]),
        ("mariadb://u:p@a,b:2/d", ["mariadb://u:p@a/d", "mariadb://u:p@b:2/d"]),
        (
            "postgresql://u:p,w/x@a:1, [::1]:2/d?k=v,w",
            [
                "postgresql://u:p,w/x@a:1/d?k=v,w",
                "postgresql://u:p,w/x@[::1]:2/d?k=v,w",
            ],
        ),
        ("postgresql://a,b,c/d", ["postgresql://a/d", "postgresql://b/d", "postgresql://c/d"]),
        ("sqlite:///a,b.sqlite", ["sqlite:///a,b.sqlite"]),
    ],
)
def test_hosts_of_a_url_are_separated_by_commas(url: str, hosts: list[str]) -> None:
    assert split_url(url) == [make_url(host) for host in hosts]


@pytest.mark.parametrize("url", ["mariadb://a,/d", "mariadb://a:x,b/d", "mariadb://a:x/d", "a,b", ""])
def test_wrong_hosts_are_refused(url: str) -> None:
    with pytest.raises(BadValue, match="commas"):
        engine_for(url)


class Down(Exception):
    pass


@pytest.fixture
def servers() -> Servers:
    return Servers([make_url(f"mariadb://{host}/d") for host in "abc"])


def connector(*up: str) -> Callable[[URL], str]:
    def connect(url: URL) -> str:
        if url.host not in up:
            raise Down(f"{url.host} is down.\nIs it running?")
        return str(url.host)

    return connect


def test_server_that_worked_is_used_until_it_fails(servers: Servers) -> None:
    used = [servers.connect(connector(*up), _is_down) for up in ("abc", "bc", "abc", "ac", "ab", "abc")]
    assert used == ["a", "b", "b", "c", "a", "a"]


def test_reason_is_given_for_each_server_when_all_are_down(servers: Servers) -> None:
    with pytest.raises(Unreachable, match=r"^a: a is down; b: b is down; c: c is down$"):
        servers.connect(connector(), _is_down)


def test_error_of_another_kind_is_raised_at_once(servers: Servers) -> None:
    with pytest.raises(Down, match=r"^a is down"):
        servers.connect(connector("b"), lambda error: False)


def _is_down(error: Exception) -> bool:
    return isinstance(error, Down)


@pytest.fixture
def proxied(bed: Bed, engine_name: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Store, Proxy, Proxy]]:
    """A store that reaches one database through two proxies, as if they were two nodes of a cluster."""
    monkeypatch.setattr(timeouts, "CONNECT_SECONDS", 2)
    url = bed.databases(engine_name).fresh()
    port = make_url(url).port
    assert port is not None
    proxies = Proxy(port), Proxy(port)
    hosts = ",".join(f"127.0.0.1:{proxy.port}" for proxy in proxies)
    store = open_store(url.replace(f"127.0.0.1:{port}", hosts))
    yield store, *proxies
    store.close()
    for proxy in proxies:
        proxy.close()
    bed.databases(engine_name).discard(url)


def insert(tx: Transaction) -> None:
    providers.insert_provider(tx, IDENTITY, "one", 1)


@pytest.mark.server_engines
def test_transactions_go_on_at_the_next_server_when_one_is_lost(proxied: tuple[Store, Proxy, Proxy]) -> None:
    store, first, second = proxied
    assert store.read(lambda tx: tx.values(COUNT)) == [0]
    assert (first.accepted, second.accepted) == (1, 0)
    first.close()
    store.write(insert)
    assert store.read(lambda tx: tx.values(COUNT)) == [1]
    assert second.accepted >= 1


@pytest.mark.server_engines
def test_server_that_hangs_delays_a_connection_for_a_bounded_time(proxied: tuple[Store, Proxy, Proxy]) -> None:
    store, first, second = proxied
    first.swallow()
    assert store.read(lambda tx: tx.values(COUNT)) == [0]
    assert (first.accepted, second.accepted) == (1, 1)


@pytest.mark.server_engines
@pytest.mark.parametrize(("lost", "rows"), [(At.LOSE_STATEMENT, 0), (At.LOSE_ANSWER, 1)])
def test_commit_without_an_answer_is_not_repeated_at_the_next_server_which_shows_its_outcome(
    proxied: tuple[Store, Proxy, Proxy], lost: At, rows: int
) -> None:
    store, first, second = proxied
    runs = []

    def body(tx: Transaction) -> None:
        runs.append(insert(tx))

    store.read(lambda tx: tx.values(COUNT))
    first.at(b"COMMIT", lost)
    with pytest.raises(StoreUnavailable):
        store.write(body)
    first.close()
    assert store.read(lambda tx: tx.values(COUNT)) == [rows]
    assert (len(runs), second.accepted) == (1, 1)


@pytest.mark.server_engines
def test_every_server_is_named_when_none_can_be_reached(
    proxied: tuple[Store, Proxy, Proxy], caplog: pytest.LogCaptureFixture
) -> None:
    store, first, second = proxied
    ports = first.port, second.port
    first.close()
    second.close()
    with caplog.at_level(logging.ERROR):
        assert health.problems(store) == [str(StoreUnavailable())]
    assert all(f"127.0.0.1:{port}: " in caplog.text for port in ports)


@pytest.mark.needs_engine("postgresql")
def test_standby_is_not_used_for_anything(bed: Bed) -> None:
    """A server that accepts no writes would show an older state; here a setting makes it refuse them."""
    url = bed.databases("postgresql").blank()
    store = open_store(url)
    name = make_url(url).database
    store.write(lambda tx: tx.change(text(f"ALTER DATABASE {name} SET default_transaction_read_only = on")))
    store.close()
    port = make_url(url).port
    several = engine_for(url.replace(f":{port}", f":{port},127.0.0.1:{port}"))
    with pytest.raises(Unreachable, match="read-only"):
        several.connect(writing=False)
    bed.databases("postgresql").discard(url)
