"""The shell over a real socket."""

import contextlib
import json
import logging
import re
import socket
import threading

import httpx
import pytest

from dibs.http.edge.guards.browsers import BrowserGuard
from dibs.http.edge.guards.limits import Limits
from dibs.http.edge.guards.proxies import TrustedProxies
from dibs.http.edge.logs import JsonFormatter
from tests.bed.waiting import eventually
from tests.http.edge.echo_server import EchoDialect, RunningServer, running_server

REQUEST_ID = "req-00000000-1111-2222-3333-444444444444"


def test_dialect_gets_the_whole_request(echo: RunningServer) -> None:
    answer = httpx.put(f"{echo.url}/echo/v1/a%20b?x=1&x=&y=%C3%A4", json={"a": 1})
    seen = answer.json()
    assert seen["method"] == "PUT"
    assert seen["path"] == "/v1/a b"
    assert seen["query"] == [["x", "1"], ["x", ""], ["y", "ä"]]
    assert json.loads(seen["body"]) == {"a": 1}
    assert seen["base_url"] == f"{echo.url}/echo"
    assert answer.headers["content-type"] == "application/json"


@pytest.mark.parametrize(
    ("sent", "seen"), [("/echo", "/"), ("/echo/", "/"), ("/echo/v1/n/", "/v1/n"), ("/echo/v1/n//", "/v1/n")]
)
def test_trailing_slash_is_removed(echo: RunningServer, sent: str, seen: str) -> None:
    assert httpx.get(echo.url + sent).json()["path"] == seen


def test_path_outside_every_mount_is_404(echo: RunningServer) -> None:
    answer = httpx.get(f"{echo.url}/echoes")
    assert answer.status_code == 404
    assert answer.json()["errors"][0]["request_id"] == answer.headers["x-openstack-request-id"]


def test_valid_request_id_is_kept(echo: RunningServer) -> None:
    answer = httpx.get(f"{echo.url}/echo/x", headers={"X-OpenStack-Request-ID": REQUEST_ID})
    assert answer.headers["x-openstack-request-id"] == REQUEST_ID
    assert answer.headers["openstack-request-id"] == REQUEST_ID
    assert answer.json()["request_id"] == REQUEST_ID


@pytest.mark.parametrize("offered", ["req-1", REQUEST_ID + "0", REQUEST_ID[4:], "req-" + "g" * 36, "req-" + "-" * 36])
def test_any_other_request_id_is_replaced(echo: RunningServer, offered: str) -> None:
    answer = httpx.get(f"{echo.url}/echo/x", headers={"X-OpenStack-Request-ID": offered})
    given = answer.headers["x-openstack-request-id"]
    assert given != offered
    assert re.fullmatch(r"req-[0-9a-f-]{36}", given)


@pytest.mark.parametrize("path", ["/", "/echo/fail", "/nowhere", "/livez", "/echo/%ff"])
def test_every_response_has_a_request_id(echo: RunningServer, path: str) -> None:
    answer = httpx.get(echo.url + path)
    assert answer.headers["x-openstack-request-id"] == answer.headers["openstack-request-id"]


def test_head_reaches_the_dialect_as_head(echo: RunningServer) -> None:
    answer = httpx.head(f"{echo.url}/echo/x")
    assert answer.status_code == 200
    assert answer.content == b""


def test_response_without_content_has_no_body(echo: RunningServer) -> None:
    answer = httpx.get(f"{echo.url}/echo/nothing")
    assert (answer.status_code, answer.content) == (204, b"")
    assert "content-length" not in answer.headers


def test_failing_dialect_is_500_without_internals_and_one_traceback(
    echo: RunningServer, caplog: pytest.LogCaptureFixture
) -> None:
    answer = httpx.get(f"{echo.url}/echo/fail")
    assert answer.status_code == 500
    assert "secret" not in answer.text
    assert "echo_error" in answer.json()
    assert len([record for record in caplog.records if record.exc_info]) == 1


def test_header_that_cannot_be_sent_is_500(echo: RunningServer) -> None:
    assert httpx.get(f"{echo.url}/echo/bad-header").status_code == 500


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("/echo/%ff", "path is not valid UTF-8"),
        ("/echo/a%00b", "path contains a NUL"),
        ("/echo/a?x=%ff", "query string is not valid UTF-8"),
        ("/echo/a?name=%00", "'name' contains a NUL"),
        ("/echo/a?" + "&".join(["x=1"] * 1001), "more than 1000 parameters"),
    ],
)
def test_invalid_text_is_400_and_the_message_names_the_place(echo: RunningServer, path: str, place: str) -> None:
    answer = httpx.get(echo.url + path)
    assert answer.status_code == 400
    assert place in answer.json()["echo_error"]


def test_invalid_host_header_is_400(echo: RunningServer) -> None:
    assert httpx.get(f"{echo.url}/echo/x", headers={"Host": 'a"b'}).status_code == 400


@pytest.mark.parametrize(
    "content_type", ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", "", None]
)
def test_body_that_is_not_json_is_415(echo: RunningServer, content_type: str | None) -> None:
    headers = {} if content_type is None else {"Content-Type": content_type}
    answer = httpx.post(f"{echo.url}/echo/x", content=b"a", headers=headers)
    assert answer.status_code == 415
    assert "echo_error" in answer.json()


@pytest.mark.parametrize("content_type", ["application/json; charset=utf-8", "Application/JSON-Patch+json"])
def test_json_body_is_accepted(echo: RunningServer, content_type: str) -> None:
    headers = {"Content-Type": content_type}
    assert httpx.post(f"{echo.url}/echo/x", content=b"a", headers=headers).status_code == 200


def test_request_without_a_body_needs_no_content_type(echo: RunningServer) -> None:
    assert httpx.post(f"{echo.url}/echo/x").status_code == 200


def test_accept_header_without_json_is_406(echo: RunningServer) -> None:
    answer = httpx.get(f"{echo.url}/echo/x", headers={"Accept": "text/html"})
    assert answer.status_code == 406
    assert "echo_error" in answer.json()


def test_dialect_gets_the_authenticated_actor(echo: RunningServer) -> None:
    seen = httpx.get(f"{echo.url}/echo/x", headers={"X-Auth-Token": "eva:blue", "X-Roles": "Member,reader"}).json()
    assert (seen["user"], seen["project"], seen["roles"]) == ("eva", "blue", ["member", "reader"])


def test_only_public_paths_answer_before_authentication() -> None:
    with running_server(dialect=EchoDialect(anonymous_is_admin=False)) as server:
        assert httpx.get(f"{server.url}/echo/v1/").json()["roles"] == []
        refused = httpx.get(f"{server.url}/echo/v1/things")
        assert refused.status_code == 401
        assert "echo_error" in refused.json()


def test_request_without_credentials_is_refused_before_its_body_is_read() -> None:
    with running_server(dialect=EchoDialect(anonymous_is_admin=False)) as server:
        address = (server.address.host, server.address.port)
        with socket.create_connection(address, timeout=10) as client:
            client.sendall(b"POST /echo/x HTTP/1.1\r\nHost: a\r\nContent-Length: 4000000\r\n\r\nabc")
            assert client.recv(65536).startswith(b"HTTP/1.1 401 ")


def test_caller_over_its_limit_gets_429_and_others_are_answered() -> None:
    with running_server(Limits(caller_limit=1)) as server:
        slow = threading.Thread(target=lambda: httpx.get(f"{server.url}/echo/slow", timeout=20))
        slow.start()
        eventually(lambda: "dibs_requests_running 1.0" in httpx.get(f"{server.url}/metrics").text)
        refused = httpx.get(f"{server.url}/echo/x")
        assert (refused.status_code, refused.headers["retry-after"]) == (429, "1")
        assert "echo_error" in refused.json()
        assert httpx.get(f"{server.url}/echo/x", headers={"X-Auth-Token": "eva:blue"}).status_code == 200
        server.dialect.gate.set()
        slow.join()
        assert httpx.get(f"{server.url}/echo/x").status_code == 200


def test_further_large_body_of_a_caller_waits_until_an_earlier_one_has_ended() -> None:
    large = {"text": "x" * 100_000}
    with running_server() as server, contextlib.ExitStack() as unfinished:
        address = (server.address.host, server.address.port)
        for _ in range(2):
            client = unfinished.enter_context(socket.create_connection(address, timeout=10))
            client.sendall(b"POST /echo/x HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\nabc")
        eventually(lambda: len(server.connections) == 2)
        further: list[int] = []
        thread = threading.Thread(
            target=lambda: further.append(httpx.post(f"{server.url}/echo/x", json=large, timeout=20).status_code)
        )
        thread.start()
        eventually(lambda: len(server.connections) == 3)
        assert httpx.post(f"{server.url}/echo/x", json={}).status_code == 200
        other = httpx.post(f"{server.url}/echo/x", json=large, headers={"X-Auth-Token": "eva:blue"})
        assert (other.status_code, further) == (200, [])
        unfinished.close()
        thread.join()
        assert further == [200]


def test_expensive_requests_of_a_caller_run_one_at_a_time() -> None:
    with running_server() as server:
        for _ in range(2):
            httpx.get(f"{server.url}/echo/large")
        threads = [threading.Thread(target=lambda: httpx.get(f"{server.url}/echo/slow", timeout=20)) for _ in range(2)]
        for thread in threads:
            thread.start()
        eventually(lambda: "dibs_requests_waiting 1.0" in httpx.get(f"{server.url}/metrics").text)
        assert "dibs_requests_running 1.0" in httpx.get(f"{server.url}/metrics").text
        server.dialect.gate.set()
        for thread in threads:
            thread.join()


def test_page_of_another_site_is_refused_by_a_server_with_a_guard() -> None:
    with running_server(browser_guard=BrowserGuard(loopback_only=True)) as server:
        assert httpx.get(f"{server.url}/echo/x", headers={"Host": "evil.example"}).status_code == 403
        assert httpx.post(f"{server.url}/echo/x", headers={"Origin": "https://evil.example"}).status_code == 403
        assert httpx.post(f"{server.url}/echo/x").status_code == 200


@pytest.mark.parametrize(("trusted", "seen"), [("", "http://inner/echo"), ("127.0.0.1", "https://dibs.example/echo")])
def test_forwarded_headers_count_from_a_trusted_proxy_only(trusted: str, seen: str) -> None:
    forwarded = {"Host": "inner", "X-Forwarded-Proto": "https", "X-Forwarded-Host": "dibs.example"}
    with running_server(proxies=TrustedProxies.parse(trusted)) as server:
        assert httpx.get(f"{server.url}/echo/x", headers=forwarded).json()["base_url"] == seen


def test_request_beyond_the_queue_gets_503_at_once() -> None:
    with running_server(Limits(threads=1, queue_limit=1)) as server:
        taken: list[int] = []
        threads = [
            threading.Thread(target=lambda: taken.append(httpx.get(f"{server.url}/echo/slow", timeout=20).status_code))
            for _ in range(2)
        ]
        for thread in threads:
            thread.start()
        eventually(lambda: "dibs_requests_waiting 1.0" in httpx.get(f"{server.url}/metrics").text)
        refused = httpx.post(f"{server.url}/echo/x", json={})
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "1")
        assert "echo_error" in refused.json()
        assert httpx.get(f"{server.url}/livez").status_code == 200
        server.dialect.gate.set()
        for thread in threads:
            thread.join()
        assert taken == [200, 200]
        assert httpx.get(f"{server.url}/echo/x").status_code == 200


def test_access_line_has_caller_and_request_but_no_secret(
    echo: RunningServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    httpx.get(
        f"{echo.url}/echo/v1/n?token=hidden",
        headers={"X-Auth-Token": "eva:blue", "X-OpenStack-Request-ID": REQUEST_ID, "Authorization": "Basic hidden"},
    )
    # The line is written after the answer was sent.
    [record] = eventually(lambda: [record for record in caplog.records if record.name == "dibs.access"])
    line = json.loads(JsonFormatter().format(record))
    assert (line["method"], line["path"], line["status"]) == ("GET", "/echo/v1/n", 200)
    assert (line["user"], line["project"]) == ("eva", "blue")
    assert line["milliseconds"] > 0
    assert line["message"].startswith("GET /echo/v1/n 200 ")
    assert "hidden" not in str(line)


def test_path_in_the_log_has_no_proof(echo: RunningServer, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    httpx.get(f"{echo.url}/echo/v1/proofs/hidden/renew")
    # The line is written after the answer was sent.
    [record] = eventually(lambda: [record for record in caplog.records if record.name == "dibs.access"])
    line = json.loads(JsonFormatter().format(record))
    assert line["path"] == "/echo/v1/proofs/***/renew"
    assert "hidden" not in str(line)
