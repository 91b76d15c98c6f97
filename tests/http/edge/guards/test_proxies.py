import pytest

from dibs.http.edge.guards.proxies import UNIX, Peer, TrustedProxies

FORWARDED = {
    "host": "inner",
    "x-forwarded-for": "6.6.6.6, 203.0.113.9, 10.0.0.2",
    "x-forwarded-proto": "https",
    "x-forwarded-host": "dibs.example",
}


def peer_of(trusted: str, client: str | None, headers: dict[str, str] = FORWARDED) -> Peer:
    scope = {"client": (client, 4711) if client else None, "scheme": "http"}
    return TrustedProxies.parse(trusted).peer(scope, headers)


@pytest.mark.parametrize("trusted", ["", "10.0.0.0/8", "unix"])
def test_headers_of_other_clients_are_ignored(trusted: str) -> None:
    assert peer_of(trusted, "127.0.0.1") == Peer("127.0.0.1", "http", "inner")


def test_trusted_proxy_names_scheme_host_and_the_last_client_that_it_saw() -> None:
    assert peer_of("10.0.0.0/8, ::1", "10.0.0.1") == Peer("203.0.113.9", "https", "dibs.example")


def test_proxy_on_a_unix_socket_can_be_trusted() -> None:
    assert peer_of("unix", None) == Peer("10.0.0.2", "https", "dibs.example")
    assert peer_of("", None) == Peer(UNIX, "http", "inner")


def test_proxy_that_forwards_nothing_is_the_client() -> None:
    assert peer_of("10.0.0.1", "10.0.0.1", {"host": "inner"}) == Peer("10.0.0.1", "http", "inner")
    assert peer_of("10.0.0.1", "10.0.0.1", {"x-forwarded-proto": "gopher"}) == Peer("10.0.0.1", "http", None)


@pytest.mark.parametrize("text", ["nowhere", "10.0.0.1/8", "300.1.1.1"])
def test_text_that_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        TrustedProxies.parse(text)
