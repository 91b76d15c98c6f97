"""A TCP proxy in front of a server, which can swallow everything as a broken network or a hanging server does."""

import contextlib
import socket
import threading

BYTES_MAX = 65536


class Proxy:
    """Forwards connections to a local port. ``swallow`` keeps them open and delivers nothing, in either direction."""

    def __init__(self, target_port: int) -> None:
        self._target_port = target_port
        self._swallowing = False
        self._open: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self.accepted = 0
        threading.Thread(target=self._accept_forever, name="proxy", daemon=True).start()

    def swallow(self) -> None:
        """Deliver nothing from now on; clients can still connect."""
        self._swallowing = True

    def forward(self) -> None:
        """Deliver what is sent from now on."""
        self._swallowing = False

    def close(self) -> None:
        """Close every connection."""
        for sock in (self._listener, *self._open):
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
            sock.close()

    def _accept_forever(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
                server = socket.create_connection(("127.0.0.1", self._target_port))
            except OSError:
                return
            self.accepted += 1
            self._open += [client, server]
            for source, sink in ((client, server), (server, client)):
                threading.Thread(target=self._pump, args=(source, sink), name="proxy", daemon=True).start()

    def _pump(self, source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(BYTES_MAX):
                if not self._swallowing:
                    sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
