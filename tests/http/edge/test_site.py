"""Paths outside every dialect."""

import httpx
import pytest
from keystoneauth1 import discover
from keystoneauth1.session import Session

from tests.http.edge.echo_server import RunningServer, running_server


def test_discovery_links_have_the_origin_that_the_client_used(echo: RunningServer) -> None:
    document = httpx.get(f"{echo.url}/", headers={"Host": "dibs.example:99"}).json()
    [entry] = document["versions"]
    assert entry["links"] == [{"rel": "self", "href": "http://dibs.example:99/echo"}]
    assert entry["name"] == "Echo"


def test_keystoneauth_can_read_the_discovery_document(echo: RunningServer) -> None:
    found = discover.Discover(Session(), f"{echo.url}/")
    assert [entry["url"] for entry in found.version_data()] == [f"{echo.url}/echo"]


@pytest.mark.parametrize("path", ["/healthcheck", "/readyz", "/livez", "/livez/"])
def test_probes_are_200_when_ready(echo: RunningServer, path: str) -> None:
    assert httpx.get(echo.url + path).status_code == 200


def test_server_that_is_not_ready_gives_the_reasons_and_stays_alive() -> None:
    with running_server() as server:
        server.not_ready.append("the database cannot be reached")
        for path in ("/healthcheck", "/readyz"):
            answer = httpx.get(server.url + path)
            assert answer.status_code == 503
            assert answer.json()["reasons"] == ["the database cannot be reached"]
        assert httpx.get(f"{server.url}/livez").status_code == 200


@pytest.mark.parametrize("path", ["/", "/metrics", "/openapi.json", "/livez"])
def test_pages_refuse_other_methods(echo: RunningServer, path: str) -> None:
    answer = httpx.post(echo.url + path)
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD")
    assert httpx.head(echo.url + path).status_code == 200


def test_metrics_count_requests_by_dialect_method_and_status(echo: RunningServer) -> None:
    def count() -> float:
        line = 'dibs_requests_total{dialect="/echo",method="PUT",status="200"} '
        found = [text for text in httpx.get(f"{echo.url}/metrics").text.splitlines() if text.startswith(line)]
        return float(found[0].removeprefix(line)) if found else 0

    before = count()
    httpx.put(f"{echo.url}/echo/x")
    assert count() == before + 1


def test_openapi_document_describes_every_operation(echo: RunningServer) -> None:
    document = httpx.get(f"{echo.url}/openapi.json").json()
    assert document["openapi"] == "3.1.0"
    assert document["paths"].keys() == {"/echo/v1/things/{thing}"}
