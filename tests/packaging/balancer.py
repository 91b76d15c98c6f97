"""A TCP load balancer, with what an operator of one does: take a server out, and put it back."""

import contextlib
import itertools
import select
import socket
import threading
from collections import Counter

from tests.bed.waiting import eventually

BYTES_MAX = 65536


class Balancer:
    """Forwards connections to local ports in turn; a port that refuses is passed over, as every balancer does."""

    def __init__(self, *ports: int) -> None:
        self._ports = list(ports)
        self._turns = itertools.count()
        self._open: Counter[int] = Counter()
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = int(self._listener.getsockname()[1])
        threading.Thread(target=self._accept_forever, name="balancer", daemon=True).start()

    def take_out(self, port: int) -> None:
        """Send no more connections to a port, and wait until those that it has are closed."""
        with self._lock:
            self._ports.remove(port)
        eventually(lambda: self._open[port] == 0, 60, f"the end of the connections to {port}")

    def put_back(self, port: int) -> None:
        """Send connections to a port again."""
        with self._lock:
            self._ports.append(port)

    def close(self) -> None:
        """Accept no more connections."""
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept_forever(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._forward, args=(client,), name="balancer", daemon=True).start()

    def _forward(self, client: socket.socket) -> None:
        with client, contextlib.suppress(OSError):
            server, port = self._connect()
            with server:
                _pump(client, server)
            with self._lock:
                self._open[port] -= 1

    def _connect(self) -> tuple[socket.socket, int]:
        while True:
            with self._lock:
                port = self._ports[next(self._turns) % len(self._ports)]
                self._open[port] += 1
            try:
                return socket.create_connection(("127.0.0.1", port)), port
            except ConnectionRefusedError:
                with self._lock:
                    self._open[port] -= 1


def _pump(client: socket.socket, server: socket.socket) -> None:
    """Forward both directions until one side closes or breaks its connection."""
    other = {client: server, server: client}
    while True:
        for readable in select.select(list(other), [], [])[0]:
            try:
                data = readable.recv(BYTES_MAX)
                if not data:
                    return
                other[readable].sendall(data)
            except OSError:
                return
