from dibs.http.edge.guards.connections import Connections
from dibs.http.edge.guards.limits import Limits
from dibs.http.edge.guards.proxies import UNIX, TrustedProxies


def test_one_address_gets_half_of_the_connections() -> None:
    connections = Connections(Limits(connection_limit=4), TrustedProxies())
    assert [connections.enter("10.0.0.1") for _ in range(3)] == [True, True, False]
    connections.leave("10.0.0.1")
    assert connections.enter("10.0.0.2")
    assert not connections.enter("10.0.0.1")


def test_total_is_limited() -> None:
    connections = Connections(Limits(connection_limit=2), TrustedProxies())
    assert [connections.enter(f"10.0.0.{number}") for number in range(3)] == [True, True, False]
    connections.leave("10.0.0.0")
    connections.leave("10.0.0.2")
    assert connections.enter("10.0.0.3")


def test_proxy_and_unix_socket_may_have_all_connections() -> None:
    for address in ("10.0.0.1", UNIX):
        connections = Connections(Limits(connection_limit=4), TrustedProxies.parse("10.0.0.1"))
        assert [connections.enter(address) for _ in range(5)] == [True, True, True, True, False]
