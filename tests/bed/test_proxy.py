"""Each fault of the proxy, in front of a server that answers every message with the same message."""

import socket
import threading
from collections.abc import Iterator

import pytest

from tests.bed.proxy import At, Proxy


class Echo:
    """The server; ``received`` holds every message."""

    def __init__(self) -> None:
        self.received: list[bytes] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with connection:
            while message := connection.recv(100):
                self.received.append(message)
                connection.sendall(message)


@pytest.fixture
def echo() -> Iterator[Echo]:
    server = Echo()
    yield server
    server.close()


@pytest.fixture
def proxy(echo: Echo) -> Iterator[Proxy]:
    made = Proxy(echo.port)
    yield made
    made.close()


def connect(proxy: Proxy) -> socket.socket:
    return socket.create_connection(("127.0.0.1", proxy.port), timeout=30)


BEGIN = b"BEGIN ISOLATION LEVEL READ COMMITTED\0"


def ask(connection: socket.socket, message: bytes) -> bytes:
    connection.sendall(message)
    return connection.recv(100)


def test_messages_are_forwarded(proxy: Proxy) -> None:
    with connect(proxy) as connection:
        assert ask(connection, b"SELECT 1") == b"SELECT 1"


@pytest.mark.parametrize(("action", "executed"), [(At.LOSE_STATEMENT, []), (At.LOSE_ANSWER, [b"COMMIT"])])
def test_chosen_statement_breaks_its_connection_only(
    proxy: Proxy, echo: Echo, action: At, executed: list[bytes]
) -> None:
    with connect(proxy) as one, connect(proxy) as other:
        proxy.at(b"COMMIT", action)
        assert ask(other, BEGIN) == BEGIN
        assert ask(one, b"COMMIT") == b""
        assert ask(other, b"COMMIT") == b"COMMIT"
    assert echo.received == [BEGIN, *executed, b"COMMIT"]


def test_held_answer_never_comes(proxy: Proxy, echo: Echo) -> None:
    with connect(proxy) as connection, connect(proxy) as other:
        proxy.at(b"COMMIT", At.HOLD_ANSWER)
        connection.sendall(b"COMMIT")
        connection.settimeout(0.2)
        with pytest.raises(TimeoutError):
            connection.recv(100)
        assert ask(other, b"SELECT 1") == b"SELECT 1"
    assert echo.received[0] == b"COMMIT"


def test_cut_and_truncated_connections_end(proxy: Proxy) -> None:
    with connect(proxy) as cut:
        assert ask(cut, b"SELECT 1") == b"SELECT 1"
        proxy.cut()
        assert cut.recv(100) == b""
    proxy.truncate()
    with connect(proxy) as truncated:
        assert ask(truncated, b"SELECT 1") == b"SELE"
        assert truncated.recv(100) == b""


def test_proxy_outlives_its_server(echo: Echo, proxy: Proxy) -> None:
    unreachable = Proxy(1)
    for _ in range(2):
        with connect(unreachable) as connection:
            assert connection.recv(100) == b""
    unreachable.close()
