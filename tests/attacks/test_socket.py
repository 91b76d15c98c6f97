"""Invalid HTTP on a real socket: the server answers or closes the connection, and keeps running."""

import contextlib
import re
import socket
import urllib.request

import pytest

from tests.bed.dibs_server import DibsServer

GET = b"GET /baremetal/v1/nodes?limit=1 HTTP/1.1\r\nHost: localhost\r\n"
POST = b"POST /baremetal/v1/nodes HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"

REFUSED = {
    "no HTTP": b"\x16\x03\x01\x02\x00 this is TLS \xff\xfe\r\n\r\n",
    "only line ends": b"\r\n" * 500 + b"what\r\n\r\n",
    "NUL in the head": b"GET /\0 HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "HTTP/2 preface": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "header without colon": GET + b"what is this\r\n\r\n",
    "space before colon": GET + b"Content-Length : 5\r\n\r\nabcde",
    "line end inside a header": GET + b"X: a\r b\r\n\r\n",
    "10,000 headers": GET + b"".join(b"X-%d: y\r\n" % n for n in range(10_000)) + b"\r\n",
    "a huge header": GET + b"X: " + b"a" * 200_000 + b"\r\n\r\n",
    "a huge path": b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "bad host": b"GET /baremetal HTTP/1.1\r\nHost: a b\r\n\r\n",
    "text as length": POST + b"Content-Length: five\r\n\r\n{}",
    "negative length": POST + b"Content-Length: -5\r\n\r\n{}",
    "two lengths": POST + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
    "length and chunks": POST + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "bad chunk size": POST + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
    "chunks of no JSON": POST + b"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n0\r\n\r\n",
    "length beyond the limit": POST + b"Content-Length: 99999999999\r\n\r\n{}",
    "length beyond 64 bits": POST + b"Content-Length: 99999999999999999999999\r\n\r\n{}",
    "bytes in the path": b"GET /baremetal/v1/nodes/\xff\xfe HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "bytes in the query": b"GET /baremetal/v1/nodes?limit=\xff HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "dots in the path": b"GET /baremetal/../../etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a whole URL": b"GET http://elsewhere/baremetal/v1/nothing HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "unknown expectation": POST + b"Expect: the-moon\r\nContent-Length: 1\r\n\r\n{",
}
"""Requests that get a 4xx or a closed connection."""

CUT_OFF = {
    "nothing": b"",
    "half a method": b"GE",
    "half a head": GET,
    "half a body": POST + b'Content-Length: 100\r\n\r\n{"driver":',
    "half a chunk": POST + b"Transfer-Encoding: chunked\r\n\r\n5\r\n{}",
    "no body after Expect": POST + b"Expect: 100-continue\r\nContent-Length: 100\r\n\r\n",
}


def connect(server: DibsServer) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.port), timeout=20)


def read_all(connection: socket.socket) -> bytes:
    """Return everything until the server closes or resets the connection."""
    pieces = []
    with contextlib.suppress(ConnectionResetError):
        while piece := connection.recv(65_536):
            pieces.append(piece)
    return b"".join(pieces)


def send(server: DibsServer, data: bytes) -> bytes:
    """Send, and return the first response, or b"" when the server closes the connection."""
    with connect(server) as connection:
        # The server may close before it has read everything; its response may still be readable.
        with contextlib.suppress(ConnectionError):
            connection.sendall(data)
        return read_answer(connection)


def read_answer(connection: socket.socket) -> bytes:
    """Return one complete response, or b"" when the server closes the connection."""
    received = b""
    with contextlib.suppress(ConnectionResetError):
        while b"\r\n\r\n" not in received or len(received.partition(b"\r\n\r\n")[2]) < length_in(received):
            piece = connection.recv(65_536)
            if not piece:
                break
            received += piece
    return received


def length_in(head: bytes) -> int:
    found = re.search(rb"content-length: (\d+)", head)
    return int(found[1]) if found else 0


def is_running(server: DibsServer) -> bool:
    with urllib.request.urlopen(f"{server.url}/healthcheck", timeout=10) as answer:
        return bool(answer.status == 200) and server.process is not None and server.process.poll() is None


@pytest.mark.parametrize("name", REFUSED)
def test_invalid_http_is_refused_and_the_server_keeps_running(shared_server: DibsServer, name: str) -> None:
    answer = send(shared_server, REFUSED[name])
    assert answer == b"" or answer.startswith(b"HTTP/1.1 4"), answer[:300]
    assert is_running(shared_server)


@pytest.mark.parametrize("name", CUT_OFF)
def test_client_that_disconnects_during_a_request_changes_nothing(shared_server: DibsServer, name: str) -> None:
    with connect(shared_server) as connection:
        connection.sendall(CUT_OFF[name])
        connection.shutdown(socket.SHUT_WR)
        answer = read_all(connection)
    assert re.match(rb"(HTTP/1.1 (100|4\d\d) |$)", answer), answer[:300]
    assert is_running(shared_server)


def test_chunked_body_is_accepted(shared_server: DibsServer) -> None:
    chunks = b"Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
    for piece in (b'{"dri', b'ver": "no', b'ne"}'):
        chunks += b"%x\r\n%b\r\n" % (len(piece), piece)
    answer = send(shared_server, POST + chunks + b"0\r\n\r\n")
    assert b"No conductor service registered which supports driver none" in answer


def test_expect_100_continue_is_answered(shared_server: DibsServer) -> None:
    body = b'{"driver": "none"}'
    with connect(shared_server) as connection:
        head = b"Expect: 100-continue\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(body)
        connection.sendall(POST + head)
        assert connection.recv(100).startswith(b"HTTP/1.1 100")
        connection.sendall(body)
        assert b"supports driver none" in read_all(connection)


def test_pipelined_requests_are_answered_in_order(shared_server: DibsServer) -> None:
    version = b"X-OpenStack-Ironic-API-Version: 1.80"
    one = b"GET /baremetal/v1/nodes/n%d HTTP/1.1\r\nHost: localhost\r\n%b\r\n\r\n"
    requests = b"".join(one % (number, version) for number in range(50))
    last = b"GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    with connect(shared_server) as connection:
        connection.sendall(requests + last)
        answers = read_all(connection)
    found = [answers.find(b"Node n%d could not be found" % n) for n in range(50)]
    assert -1 not in found
    assert found == sorted(found)
    assert answers.endswith(b'{"status": "ok"}')


def test_bytes_beyond_content_length_are_not_a_second_request(shared_server: DibsServer) -> None:
    with connect(shared_server) as connection:
        connection.sendall(POST + b"Content-Length: 2\r\n\r\n{}GARBAGE\r\n\r\n")
        answers = read_all(connection)
    assert set(re.findall(rb"HTTP/1.1 (\d+)", answers)) == {b"400"}
    assert is_running(shared_server)


def test_many_idle_connections_do_not_block_others(shared_server: DibsServer) -> None:
    idle = [connect(shared_server) for _ in range(300)]
    try:
        for connection in idle:
            connection.sendall(b"GET /bare")
        assert is_running(shared_server)
    finally:
        for connection in idle:
            connection.close()
