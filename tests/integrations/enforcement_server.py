"""An enforcement service for tests: it records requests and gives the answers that a test sets."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar


class EnforcementServer:
    """Runs until it is stopped; ``answers`` has the status and body by the last part of the path, 204 by default."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        self.answers: dict[str, tuple[int, bytes]] = {}
        self.silent = threading.Event()
        handler = type("Handler", (_Handler,), {"service": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/base"
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def stop(self) -> None:
        """Stop listening."""
        self.silent.clear()
        self._server.shutdown()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    service: ClassVar[EnforcementServer]

    def do_POST(self) -> None:
        """Record the request, and answer."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.service.requests.append((self.path, dict(self.headers), body))
        if self.service.silent.is_set():
            # Blocks until the client times out and closes the connection.
            self.rfile.read(1)
            return
        status, answer = self.service.answers.get(self.path.rpartition("/")[2], (204, b""))
        self.send_response(status)
        if status == 302:
            self.send_header("Location", "/elsewhere")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""
