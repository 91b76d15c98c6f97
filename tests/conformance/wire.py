"""An HTTP client that sends requests unchanged, invalid headers too, and removes the mount from responses."""

import http.client
from collections.abc import Mapping
from typing import Any

import httpx

MOUNT = "/placement"


def send(method: str, url: str, headers: Mapping[str, str], body: bytes | str | None) -> tuple[httpx.Headers, bytes]:
    """Send one request; return the headers, with gabbi's ``status`` and ``reason``, and the body."""
    target = httpx.URL(url)
    connection = http.client.HTTPConnection(target.host, target.port, timeout=60)
    try:
        connection.request(method, target.raw_path.decode(), body or None, dict(headers))
        answer = connection.getresponse()
        content = answer.read()
    finally:
        connection.close()
    found = httpx.Headers(answer.getheaders())
    found["status"], found["reason"] = str(answer.status), answer.reason
    return found, content


class RootedHttp:
    """The client that gabbi calls; the exchanges expect links of a service at the root of the server."""

    def request(
        self, absolute_uri: str, method: str, body: Any, headers: Mapping[str, str], redirect: bool, timeout: float
    ) -> tuple[httpx.Headers, bytes]:
        """See gabbi.httpclient.Http."""
        found, content = send(method, absolute_uri, headers, body)
        return found, content.replace(f'"{MOUNT}/'.encode(), b'"/')
