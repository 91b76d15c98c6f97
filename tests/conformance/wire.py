"""Requests as they are: a client that sends what it is told, invalid headers too, and hides the mount in answers."""

import http.client
from collections.abc import Mapping
from typing import Any

import httpx

MOUNT = "/placement"


def send(method: str, url: str, headers: Mapping[str, str], body: bytes | str | None) -> tuple[httpx.Headers, bytes]:
    """Send one request; gives headers, with ``status`` and ``reason`` among them as gabbi has it, and the body."""
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
    """What gabbi calls: the exchanges expect links as if the service were mounted at the root of the server."""

    def request(
        self, absolute_uri: str, method: str, body: Any, headers: Mapping[str, str], redirect: bool, timeout: float
    ) -> tuple[httpx.Headers, bytes]:
        """See gabbi.httpclient.Http."""
        found, content = send(method, absolute_uri, headers, body)
        return found, content.replace(f'"{MOUNT}/'.encode(), b'"/')
