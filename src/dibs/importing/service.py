"""An HTTP client for one API of the source or the target: requests, pages, versions, and error messages."""

import json
import re
import urllib.parse
from collections.abc import Iterator
from typing import Any

from dibs.extras import needs_extra

with needs_extra("client", "dibs import"):
    from keystoneauth1 import exceptions
    from keystoneauth1.adapter import Adapter

Json = dict[str, Any]
Version = tuple[int, int]
Owner = tuple[str, str]
"""A user and a project."""

PAGE_SIZE = 200

_VERSION_HEADERS = {"baremetal": "X-OpenStack-Ironic-API-Version", "placement": "OpenStack-API-Version"}
_VERSION_PREFIX = {"baremetal": "", "placement": "placement "}
_NEWEST_KNOWN = {"baremetal": (1, 115), "placement": (1, 39)}
"""The newest version of each API that the import modules were written for."""


class Unreachable(Exception):
    """The service cannot be reached, or is not of the expected kind."""


class Refused(Exception):
    """The service refused a request; the message is the service's own."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Service:
    """One API, in the newest version that both the service and the import support."""

    def __init__(self, adapter: Adapter, kind: str, url: str, noauth: bool = False) -> None:
        self.adapter = adapter
        self.kind = kind
        self.url = url
        self.noauth = noauth
        """True for a service without authentication: the import can then create objects as their owner."""
        self.version: Version | None = None

    def negotiate(self) -> None:
        """Choose the API version; raise Unreachable if the service is not of the expected kind."""
        if self.kind not in _NEWEST_KNOWN:
            return
        newest = self._newest_offered()
        if newest is None:
            raise Unreachable(f"{self.url} is not a {self.kind} service.")
        self.version = min(newest, _NEWEST_KNOWN[self.kind])

    def find(self, path: str, **query: str) -> Json | None:
        """Return the object at a path, or None if there is none."""
        try:
            return self.get(path, **query)
        except Refused as refusal:
            if refusal.status == 404:
                return None
            raise

    def get(self, path: str, **query: str) -> Json:
        """Return the object at a path."""
        answer = self.send("GET", path + ("?" + urllib.parse.urlencode(query) if query else ""))
        if answer is None:
            raise Unreachable(f"{self.url}{path} returned a response without a body.")
        return answer

    def send(
        self, method: str, path: str, body: Any = None, *, version: Version | None = None, owner: Owner | None = None
    ) -> Json | None:
        """Send one request and return the body of the response, or None if it has none.

        A service without authentication gets the request as sent by ``owner``.
        """
        answer = self._request(method, path, body, version or self.version, owner)
        if answer.status_code >= 400:
            raise Refused(answer.status_code, _message(answer.text) or f"HTTP status {answer.status_code}")
        if not answer.content:
            return None
        try:
            found = answer.json()
        except ValueError as error:
            raise Unreachable(f"{self.url}{path} returned a response that is not JSON.") from error
        return found if isinstance(found, dict) else None

    def pages(self, path: str, noun: str, **query: str) -> Iterator[Json]:
        """Yield every entry of a paged list, one page at a time.

        Quirk: the ``next`` link of Ironic drops filters, so the next page is requested by its marker.
        """
        parameters = {**query, "limit": str(PAGE_SIZE)}
        while True:
            page = self.get(path, **parameters)
            yield from page[noun]
            if "next" not in page or not page[noun]:
                return
            parameters["marker"] = page[noun][-1]["uuid"]

    def _newest_offered(self) -> Version | None:
        if self.kind == "baremetal":
            answer = self._request("GET", "/v1", None, None)
            return _version(answer.headers.get("X-OpenStack-Ironic-API-Maximum-Version"))
        try:
            offered = self.get("/").get("versions") or [{}]
        except Refused as refusal:
            raise Unreachable(f"{self.url} returned HTTP status {refusal.status}: {refusal}") from refusal
        return max((found for each in offered if (found := _version(each.get("max_version")))), default=None)

    def _request(self, method: str, path: str, body: Any, version: Version | None, owner: Owner | None = None) -> Any:
        headers = {"Accept": "application/json"}
        if version is not None:
            headers[_VERSION_HEADERS[self.kind]] = f"{_VERSION_PREFIX[self.kind]}{version[0]}.{version[1]}"
        sent: dict[str, Any] = {} if body is None else {"json": body}
        if owner is not None and self.noauth:
            headers |= {"X-Auth-Token": ":".join(owner), "X-Roles": "member,reader"}
            sent["authenticated"] = False
        try:
            return self.adapter.request(self.url + path, method, headers=headers, raise_exc=False, **sent)
        except exceptions.ConnectFailure as error:
            raise Unreachable(f"Cannot connect to {self.url}. Is the service running?") from error
        except exceptions.ClientException as error:
            raise Unreachable(f"Cannot send requests to {self.url}: {error}") from error


def _version(text: str | None) -> Version | None:
    found = re.fullmatch(r"(\d+)\.(\d+)", text or "")
    return (int(found[1]), int(found[2])) if found else None


def _message(text: str) -> str:
    """Return the error message in a response of any of the APIs."""
    try:
        found = json.loads(text)
    except ValueError:
        return " ".join(text.split())[:500]
    if not isinstance(found, dict):
        return ""
    if found.get("errors"):
        # The first paragraph is a general explanation of the HTTP status.
        return str(found["errors"][0].get("detail", "")).rpartition("\n\n")[2].strip()
    message = found.get("error_message") or found.get("error") or found.get("message") or ""
    if isinstance(message, str) and message.startswith("{"):
        return _message(message)
    if isinstance(message, dict):
        return str(message.get("message", ""))
    return str(found.get("faultstring") or found.get("description") or message)
