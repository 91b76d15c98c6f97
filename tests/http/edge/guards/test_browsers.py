import pytest

from dibs.http.edge.guards.browsers import BrowserGuard

LOCAL = BrowserGuard(loopback_only=True, origins=frozenset({"https://console.example"}))
REMOTE = BrowserGuard(loopback_only=False)


@pytest.mark.parametrize(
    "host", ["localhost", "localhost:8780", "127.0.0.1:8780", "127.9.9.9", "[::1]:8780", "a.localhost"]
)
def test_loopback_host_is_accepted(host: str) -> None:
    assert LOCAL.problem("GET", {"host": host}) is None


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8780", "10.0.0.1", "localhost.evil.example", "[::1"])
def test_other_host_is_refused_on_loopback_only(host: str) -> None:
    assert "is not a loopback name" in str(LOCAL.problem("GET", {"host": host}))
    assert REMOTE.problem("GET", {"host": host}) is None


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://localhost:1"])
def test_change_from_a_page_of_another_site_is_refused(method: str, origin: str) -> None:
    headers = {"host": "localhost:8780", "origin": origin}
    assert "may not change anything" in str(LOCAL.problem(method, headers))
    assert LOCAL.problem("GET", headers) is None


@pytest.mark.parametrize("origin", ["http://localhost:8780", "https://console.example"])
def test_change_from_the_own_site_and_from_an_allowed_origin_is_accepted(origin: str) -> None:
    assert LOCAL.problem("POST", {"host": "localhost:8780", "origin": origin}) is None
