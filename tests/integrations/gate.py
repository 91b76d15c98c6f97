"""A TCP proxy on loopback that a test can close and open again, like a failing network."""

import contextlib
import socket
import threading


class Gate:
    """Forwards connections to another port while it is open; ``port`` is where it listens."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listening.getsockname()[1])
        self._open = True
        self._pairs: list[socket.socket] = []
        self._held_method = b""
        self._go = threading.Event()
        self.held = threading.Event()
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Cut all connections, and refuse new ones."""
        self._open = False
        pairs, self._pairs = self._pairs, []
        for each in pairs:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def open(self) -> None:
        """Forward connections again."""
        self._open = True

    def hold(self, method: str) -> None:
        """Keep back requests with this method; ``held`` is set when one has come."""
        self._held_method = method.encode() + b" "

    def let_go(self) -> None:
        """Forward the requests that were kept back, unless their connections were cut meanwhile."""
        self._held_method = b""
        self._go.set()

    def remove(self) -> None:
        """Stop listening."""
        self.close()
        self.let_go()
        self._listening.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                caller, _ = self._listening.accept()
                if not self._open:
                    caller.close()
                    continue
                there = socket.create_connection(("127.0.0.1", self._target))
                self._pairs += [caller, there]
                for one, other in ((caller, there), (there, caller)):
                    threading.Thread(target=self._forward, args=(one, other), daemon=True).start()

    def _forward(self, one: socket.socket, other: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := one.recv(65_536):
                if self._held_method and data.startswith(self._held_method):
                    self.held.set()
                    self._go.wait()
                other.sendall(data)
        for each in (one, other):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
