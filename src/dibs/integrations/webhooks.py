"""Post the messages of webhooks over HTTP.

The users of projects choose the receivers, so nothing of them is trusted: a message goes only to an address that the
rules allow, redirects are not followed, the body of an answer is not read, and a receiver that answers drop by drop is
cut off at the deadline. The address that was checked is the one that is connected to: a name server that gives another
answer the second time changes nothing.
"""

import contextlib
import functools
import http.client
import socket
import ssl
import threading
from collections.abc import Iterator
from ipaddress import ip_address
from urllib.parse import urlsplit

from dibs.webhooks.model.messages import Message
from dibs.webhooks.model.targets import TargetRules, refusal
from dibs.webhooks.model.webhooks import Attempt

TIMEOUT_SECONDS = 10.0
"""Time for a receiver to accept a connection, and then to accept the message and answer."""
PROBLEM_LENGTH_MAX = 500

_PORTS = {"http": 80, "https": 443}


class HttpSender:
    """Posts messages. Any number of threads may use it."""

    def __init__(self, rules: TargetRules, *, timeout_seconds: float = TIMEOUT_SECONDS) -> None:
        self._rules = rules
        self._timeout_seconds = timeout_seconds

    def post(self, message: Message) -> Attempt:
        """Post a message; return the status of the answer, or why there is none."""
        parts = urlsplit(message.url)
        host = parts.hostname or ""
        try:
            with self._connect(host, parts.port or _PORTS[parts.scheme]) as plain, self._deadline(plain):
                secure = self._tls.wrap_socket(plain, server_hostname=host) if parts.scheme == "https" else plain
                with secure:
                    return Attempt(status=_exchange(secure, message))
        except (OSError, ValueError, http.client.HTTPException) as error:
            return Attempt(problem=f"{host}: {error or type(error).__name__}"[:PROBLEM_LENGTH_MAX])

    @functools.cached_property
    def _tls(self) -> ssl.SSLContext:
        """The certificates of the system, which take a while to load."""
        return ssl.create_default_context()

    def _connect(self, host: str, port: int) -> socket.socket:
        """Connect to the first address of a host that can be reached; every address must be allowed."""
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        addresses = list(dict.fromkeys(ip_address(str(each[4][0]).partition("%")[0]) for each in found))
        if not all(map(self._rules.allow, addresses)):
            raise OSError(refusal(host, addresses))
        problem = OSError("the name has no address")
        for address in addresses:
            try:
                return socket.create_connection((str(address), port), self._timeout_seconds)
            except OSError as error:
                problem = error
        raise problem

    @contextlib.contextmanager
    def _deadline(self, connected: socket.socket) -> Iterator[None]:
        """Cut a connection off after the timeout, however often a byte arrives."""
        # TLS takes the socket over; a second one of the same connection stays.
        with connected.dup() as same:
            timer = threading.Timer(self._timeout_seconds, _cut_off, [same])
            timer.daemon = True
            timer.start()
            try:
                yield
            finally:
                timer.cancel()
                timer.join()


def _cut_off(connected: socket.socket) -> None:
    with contextlib.suppress(OSError):
        connected.shutdown(socket.SHUT_RDWR)


def _exchange(connected: socket.socket, message: Message) -> int:
    """Send a message over a connection; return the status of the answer."""
    parts = urlsplit(message.url)
    connection = http.client.HTTPConnection(parts.netloc)
    connection.sock = connected
    headers = {**message.headers, "host": parts.netloc, "connection": "close"}
    connection.request("POST", f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}", message.body, headers)
    return connection.getresponse().status
