"""A service that has a say in leases, as an operator would write one: it keeps what it hears, and answers as told."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar


class Overseer:
    """Runs until it is stopped; ``answers`` is what it says to each path, 204 unless told otherwise."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        self.answers: dict[str, tuple[int, bytes]] = {}
        self.silent = threading.Event()
        handler = type("Handler", (_Handler,), {"overseer": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/base"
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def stop(self) -> None:
        """Hear nothing more."""
        self.silent.clear()
        self._server.shutdown()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    overseer: ClassVar[Overseer]

    def do_POST(self) -> None:
        """Keep what was said, and answer."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.overseer.heard.append((self.path, dict(self.headers), body))
        if self.overseer.silent.is_set():
            # Longer than anybody waits; the caller hangs up.
            self.rfile.read(1)
            return
        status, answer = self.overseer.answers.get(self.path.rpartition("/")[2], (204, b""))
        self.send_response(status)
        if status == 302:
            self.send_header("Location", "/elsewhere")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""
