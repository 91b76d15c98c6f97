"""Slow and oversized requests, as bytes on a socket."""

import contextlib
import select
import socket
from functools import partial

import httpx
import pytest

from dibs.http.edge.guards.limits import Limits
from tests.bed.waiting import eventually
from tests.http.edge.echo_server import LARGE, RunningServer, running_server

POST = b"POST /echo/x HTTP/1.1\r\nHost: a\r\n"
JSON = {"Content-Type": "application/json"}


def connect(server: RunningServer, source: str = "127.0.0.1") -> socket.socket:
    address = (server.address.host, server.address.port)
    return socket.create_connection(address, timeout=10, source_address=(source, 0))


def read_all(connection: socket.socket) -> bytes:
    """Return everything until the server closes the connection."""
    received = b""
    while piece := connection.recv(65536):
        received += piece
    return received


def test_body_over_the_limit_is_413_with_and_without_content_length() -> None:
    with running_server(Limits(body_limit_bytes=1000)) as server:
        exact = httpx.post(f"{server.url}/echo/x", content=b"a" * 1000, headers=JSON)
        declared = httpx.post(f"{server.url}/echo/x", content=b"a" * 1001)
        chunked = httpx.post(f"{server.url}/echo/x", content=iter([b"a" * 600, b"a" * 600]))
    assert [exact.status_code, declared.status_code, chunked.status_code] == [200, 413, 413]
    assert "1000 bytes" in declared.json()["echo_error"]


def test_connection_can_be_used_again_after_413() -> None:
    with running_server(Limits(body_limit_bytes=1000)) as server, httpx.Client() as client:
        assert client.post(f"{server.url}/echo/x", content=b"a" * 3_000_000).status_code == 413
        assert client.get(f"{server.url}/echo/x").status_code == 200


def test_reading_the_rest_of_a_refused_body_times_out() -> None:
    with running_server(Limits(body_limit_bytes=1000, body_timeout_seconds=0.2)) as server, connect(server) as client:
        client.sendall(POST + b"Content-Length: 2000\r\n\r\nabc")
        assert b" 413 " in client.recv(65536)
        eventually(lambda: len(server.connections) == 0)


def test_slow_body_is_408_and_the_connection_closes() -> None:
    with running_server(Limits(body_timeout_seconds=0.2)) as server, connect(server) as client:
        client.sendall(POST + b"Content-Length: 10\r\n\r\nabc")
        answer = read_all(client)
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b"echo_error" in answer
    assert b"connection: close" in answer


def test_total_size_of_the_bodies_of_one_caller_is_limited() -> None:
    half = POST + b"Content-Length: 1000\r\n\r\n" + b"a" * 900
    with running_server(Limits(threads=1, body_limit_bytes=1000)) as server:
        with connect(server) as first, connect(server) as second:
            first.sendall(half)
            second.sendall(half)
            refused, _, _ = select.select([first, second], [], [], 10)
            assert len(refused) == 1
            assert b" 429 " in refused[0].recv(65536)
        post = partial(httpx.post, f"{server.url}/echo/x", content=b"a" * 1000, headers=JSON)
        eventually(lambda: post().status_code == 200)


def test_connection_beyond_the_limit_of_its_address_gets_503() -> None:
    with running_server(Limits(connection_limit=4)) as server, connect(server), connect(server):
        eventually(lambda: len(server.connections) == 2)
        with connect(server) as third:
            answer = read_all(third)
        assert answer.startswith(b"HTTP/1.1 503 ")
        assert b"retry-after: 1\r\n" in answer
        with connect(server, source="127.0.0.2") as other:
            other.sendall(b"GET /echo/x HTTP/1.1\r\nHost: a\r\n\r\n")
            assert b" 200 " in other.recv(65536)


@pytest.mark.parametrize("sent", [b"", b"GET /echo/x HTTP/1.1\r\nHost: a\r\nX-Slow: "])
def test_slow_headers_close_the_connection(sent: bytes) -> None:
    with running_server(Limits(header_timeout_seconds=0.2)) as server, connect(server) as client:
        client.sendall(sent)
        assert read_all(client) == b""


def test_dripping_headers_close_the_connection() -> None:
    with running_server(Limits(header_timeout_seconds=0.3)) as server, connect(server) as client:
        client.sendall(b"GET /echo/x HTTP/1.1\r\n")
        eventually(lambda: len(server.connections) == 1)

        def drip_until_closed() -> bool:
            with contextlib.suppress(ConnectionError):
                client.sendall(b"X-A: b\r\n")
            return len(server.connections) == 0

        eventually(drip_until_closed)


def test_second_request_of_a_connection_times_out_too() -> None:
    with running_server(Limits(header_timeout_seconds=0.2)) as server, connect(server) as client:
        client.sendall(b"GET /livez HTTP/1.1\r\nHost: a\r\n\r\n")
        answer = client.recv(65536)
        while not answer.endswith(b"}"):
            answer += client.recv(65536)
        client.sendall(b"GET /livez HTTP/1.1\r\n")
        assert read_all(client) == b""


def test_idle_connection_is_closed_after_the_keep_alive_time() -> None:
    with running_server(Limits(keep_alive_seconds=0.2)) as server, connect(server) as client:
        client.sendall(b"GET /livez HTTP/1.1\r\nHost: a\r\n\r\n")
        assert b" 200 " in read_all(client)


def test_running_request_outlives_the_header_timeout() -> None:
    with running_server(Limits(header_timeout_seconds=0.1)) as server:
        assert httpx.get(f"{server.url}/echo/pause").status_code == 200


@pytest.mark.parametrize(
    "head",
    [
        b"GET /echo/x HTTP/1.1\r\nHost: a\r\nX-A: " + b"a" * 3000 + b"\r\n\r\n",
        b"GET /echo/x HTTP/1.1\r\nHost: a\r\n" + b"X-A: a\r\n" * 300 + b"\r\n",
        b"GET /echo/" + b"a" * 3000 + b" HTTP/1.1\r\nHost: a\r\n\r\n",
    ],
)
def test_large_head_is_431(head: bytes) -> None:
    with running_server(Limits(header_limit_bytes=2000)) as server, connect(server) as client:
        client.sendall(head)
        answer = read_all(client)
    assert answer.startswith(b"HTTP/1.1 431 ")
    assert b"x-openstack-request-id: req-" in answer


def test_endless_header_is_431() -> None:
    with running_server(Limits(header_limit_bytes=2000)) as server, connect(server) as client:
        client.sendall(b"GET /echo/x HTTP/1.1\r\nX-A: ")
        for _ in range(4):
            client.sendall(b"a" * 600)
        assert client.recv(65536).startswith(b"HTTP/1.1 431 ")


def test_head_just_below_the_limit_is_accepted() -> None:
    with running_server(Limits(header_limit_bytes=2000)) as server:
        assert httpx.get(f"{server.url}/echo/x", headers={"X-A": "a" * 1700}).status_code == 200


def test_invalid_http_is_400_with_a_request_id(echo: RunningServer) -> None:
    with connect(echo) as client:
        client.sendall(b"\x16\x03\x01 nonsense\r\n\r\n")
        answer = read_all(client)
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b"x-openstack-request-id: req-" in answer


def test_connection_of_a_client_that_does_not_read_is_aborted() -> None:
    with running_server(Limits(body_timeout_seconds=0.2)) as server, connect(server) as client:
        client.sendall(b"GET /echo/large HTTP/1.1\r\nHost: a\r\n\r\n")
        eventually(lambda: len(server.connections) == 1)
        eventually(lambda: len(server.connections) == 0)
        assert len(read_all(client)) < LARGE


def test_upgrade_request_is_answered_with_http_1_1(echo: RunningServer) -> None:
    headers = {"Connection": "Upgrade, HTTP2-Settings", "Upgrade": "h2c", "HTTP2-Settings": "AAMAAABkAAQ"}
    assert httpx.get(f"{echo.url}/echo/x", headers=headers).status_code == 200


def test_pipelined_requests_are_answered_in_order(echo: RunningServer) -> None:
    with connect(echo) as client:
        client.sendall(
            b"GET /echo/pause HTTP/1.1\r\nHost: a\r\n\r\n"
            b"GET /echo/second HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
        )
        answer = read_all(client)
    assert answer.index(b'"/pause"') < answer.index(b'"/second"')


def test_client_that_waits_for_permission_to_send_its_body_gets_it() -> None:
    with running_server(Limits()) as server, connect(server) as client:
        client.sendall(POST + b"Content-Type: application/json\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
        assert client.recv(65536).startswith(b"HTTP/1.1 100 ")
        client.sendall(b"{}")
        assert client.recv(65536).startswith(b"HTTP/1.1 200 ")


def test_response_without_a_body_is_sent() -> None:
    with running_server(Limits()) as server, httpx.Client() as client:
        assert client.head(f"{server.url}/echo/x").status_code == 200
        assert client.get(f"{server.url}/echo/nothing").status_code == 204
        assert client.get(f"{server.url}/echo/x").status_code == 200
