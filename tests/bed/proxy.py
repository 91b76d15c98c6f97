"""A TCP proxy in front of a server, which fails as a network or a hanging server does."""

import contextlib
import re
import socket
import threading
import time
from enum import Enum

BYTES_MAX = 65536


class At(Enum):
    """What happens to the connection that sends a chosen statement."""

    LOSE_STATEMENT = "the statement is lost, and the connection breaks"
    LOSE_ANSWER = "the server executes the statement, and the connection breaks before its answer"
    HOLD_ANSWER = "the server executes the statement, and its answer never comes"


class Proxy:
    """Forwards connections to a local port. A broken connection stays broken; new connections are forwarded."""

    def __init__(self, target_port: int) -> None:
        self._target_port = target_port
        self._swallowing = False
        self._delay_seconds = 0.0
        self._truncating = False
        self._chosen: tuple[re.Pattern[bytes], At] | None = None
        self._lock = threading.Lock()
        self._pairs: list[_Pair] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self.accepted = 0
        threading.Thread(target=self._accept_forever, name="proxy", daemon=True).start()

    def swallow(self) -> None:
        """Deliver nothing from now on; clients can still connect."""
        self._swallowing = True

    def delay(self, seconds: float) -> None:
        """Wait before each delivery from now on."""
        self._delay_seconds = seconds

    def truncate(self) -> None:
        """Deliver half of the next answer of the server, and break its connection."""
        self._truncating = True

    def at(self, statement: bytes, action: At) -> None:
        """Do this to the next connection that sends a statement that ends with these bytes.

        COMMIT must not stand for READ COMMITTED, with which transactions of PostgreSQL begin.
        """
        with self._lock:
            self._chosen = (re.compile(re.escape(statement) + rb"(?:\0|\Z)"), action)

    def forward(self) -> None:
        """Deliver what is sent from now on."""
        self._swallowing = self._truncating = False
        self._delay_seconds = 0.0
        with self._lock:
            self._chosen = None

    def cut(self) -> None:
        """Break every open connection."""
        with self._lock:
            pairs, self._pairs = self._pairs, []
        for pair in pairs:
            pair.close()

    def close(self) -> None:
        """Close every connection, and accept no more."""
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut()

    def _accept_forever(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(("127.0.0.1", self._target_port))
            except OSError:
                client.close()
                continue
            self.accepted += 1
            pair = _Pair(client, server)
            with self._lock:
                self._pairs.append(pair)
            for pump in (self._pump_statements, self._pump_answers):
                threading.Thread(target=pump, args=(pair,), name="proxy", daemon=True).start()

    def _pump_statements(self, pair: "_Pair") -> None:
        with contextlib.suppress(OSError):
            while data := pair.client.recv(BYTES_MAX):
                time.sleep(self._delay_seconds)
                action = self._action_for(data)
                if action is At.LOSE_STATEMENT:
                    break
                if action is not None:
                    pair.loses_answer = action
                if not self._swallowing:
                    pair.server.sendall(data)
        pair.close()

    def _pump_answers(self, pair: "_Pair") -> None:
        with contextlib.suppress(OSError):
            while data := pair.server.recv(BYTES_MAX):
                time.sleep(self._delay_seconds)
                if pair.loses_answer is At.HOLD_ANSWER:
                    continue
                if pair.loses_answer is At.LOSE_ANSWER:
                    break
                if self._truncating:
                    self._truncating = False
                    pair.client.sendall(data[: len(data) // 2])
                    break
                if not self._swallowing:
                    pair.client.sendall(data)
        if pair.loses_answer is not At.HOLD_ANSWER:
            pair.close()

    def _action_for(self, data: bytes) -> At | None:
        with self._lock:
            if self._chosen is None or not self._chosen[0].search(data):
                return None
            action = self._chosen[1]
            self._chosen = None
            return action


class _Pair:
    """The two connections of one client."""

    def __init__(self, client: socket.socket, server: socket.socket) -> None:
        self.client = client
        self.server = server
        self.loses_answer: At | None = None

    def close(self) -> None:
        for one in (self.client, self.server):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()
