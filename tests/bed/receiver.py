"""A receiver of webhooks: an HTTP server that keeps what it gets and answers as a test decides."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Receiver:
    """Listens on loopback until it is closed."""

    def __init__(self) -> None:
        self.messages: list[tuple[dict[str, str], bytes]] = []
        """Headers, with lower-case names, and body of each message, in the order of arrival."""
        self.status = 204
        self.hangs = threading.Event()
        """While it is set, a message gets no answer."""
        self._released = threading.Event()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                receiver.messages.append(({name.lower(): value for name, value in self.headers.items()}, body))
                if receiver.hangs.is_set():
                    receiver._released.wait(60)
                    return
                self.send_response(receiver.status)
                self.send_header("location", receiver.url)
                self.end_headers()

            def log_message(self, *arguments: Any) -> None:
                """Log nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/hook"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def events(self) -> list[dict[str, Any]]:
        """The CloudEvents that arrived."""
        return [json.loads(body) for _, body in list(self.messages)]

    def close(self) -> None:
        """Stop listening."""
        self._released.set()
        self._server.shutdown()
        self._server.server_close()
