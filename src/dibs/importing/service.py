"""A service at the other end of an HTTP connection: questions, orders, pages, and refusals in words."""

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
_WORD_BEFORE_VERSION = {"baremetal": "", "placement": "placement "}
_NEWEST_KNOWN = {"baremetal": (1, 115), "placement": (1, 39)}
"""The newest version of each API whose answers the modules beside this one were written for."""


class Unreachable(Exception):
    """Nobody answers, or what answers is not the service that was expected."""


class Refused(Exception):
    """The service said no; the message is its own."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Service:
    """One API, in the newest version that both it and the importer know."""

    def __init__(self, adapter: Adapter, kind: str, url: str, believes_callers: bool = False) -> None:
        self.adapter = adapter
        self.kind = kind
        self.url = url
        self.believes_callers = believes_callers
        """True without authentication: then things can be made in the name of those whom they belong to."""
        self.version: Version | None = None

    def negotiate(self) -> None:
        """Find out which version to speak; raises Unreachable when this is not the API that it should be."""
        if self.kind not in _NEWEST_KNOWN:
            return
        newest = self._newest_offered()
        if newest is None:
            raise Unreachable(f"{self.url} does not answer as a {self.kind} service does.")
        self.version = min(newest, _NEWEST_KNOWN[self.kind])

    def find(self, path: str, **query: str) -> Json | None:
        """What is at a path; None when nothing is."""
        try:
            return self.get(path, **query)
        except Refused as refusal:
            if refusal.status == 404:
                return None
            raise

    def get(self, path: str, **query: str) -> Json:
        """What is at a path."""
        answer = self.send("GET", path + ("?" + urllib.parse.urlencode(query) if query else ""))
        if answer is None:
            raise Unreachable(f"{self.url}{path} answered without a body.")
        return answer

    def send(
        self, method: str, path: str, body: Any = None, *, version: Version | None = None, owner: Owner | None = None
    ) -> Json | None:
        """Send one request, in the name of an owner if the service believes that; gives the body of the answer, None
        when it has none."""
        answer = self._request(method, path, body, version or self.version, owner)
        if answer.status_code >= 400:
            raise Refused(answer.status_code, _message(answer.text) or f"HTTP status {answer.status_code}")
        if not answer.content:
            return None
        try:
            found = answer.json()
        except ValueError as error:
            raise Unreachable(f"{self.url}{path} answered with something else than JSON.") from error
        return found if isinstance(found, dict) else None

    def pages(self, path: str, noun: str, **query: str) -> Iterator[Json]:
        """Every entry of a list that comes in pages, fetching the next page when the one before is used up.

        The next page is asked for by its marker: the ``next`` link of Ironic loses filters on the way.
        """
        asked = {**query, "limit": str(PAGE_SIZE)}
        while True:
            page = self.get(path, **asked)
            yield from page[noun]
            if "next" not in page or not page[noun]:
                return
            asked["marker"] = page[noun][-1]["uuid"]

    def _newest_offered(self) -> Version | None:
        if self.kind == "baremetal":
            answer = self._request("GET", "/v1", None, None)
            return _version(answer.headers.get("X-OpenStack-Ironic-API-Maximum-Version"))
        try:
            offered = self.get("/").get("versions") or [{}]
        except Refused as refusal:
            raise Unreachable(f"{self.url} answers {refusal.status}: {refusal}") from refusal
        return max((found for each in offered if (found := _version(each.get("max_version")))), default=None)

    def _request(self, method: str, path: str, body: Any, version: Version | None, owner: Owner | None = None) -> Any:
        headers = {"Accept": "application/json"}
        if version is not None:
            headers[_VERSION_HEADERS[self.kind]] = f"{_WORD_BEFORE_VERSION[self.kind]}{version[0]}.{version[1]}"
        sent: dict[str, Any] = {} if body is None else {"json": body}
        if owner is not None and self.believes_callers:
            headers |= {"X-Auth-Token": ":".join(owner), "X-Roles": "member,reader"}
            sent["authenticated"] = False
        try:
            return self.adapter.request(self.url + path, method, headers=headers, raise_exc=False, **sent)
        except exceptions.ConnectFailure as error:
            raise Unreachable(f"Nobody answers at {self.url}.") from error
        except exceptions.ClientException as error:
            raise Unreachable(f"{self.url} cannot be asked: {error}") from error


def _version(text: str | None) -> Version | None:
    found = re.fullmatch(r"(\d+)\.(\d+)", text or "")
    return (int(found[1]), int(found[2])) if found else None


def _message(text: str) -> str:
    """The words in a refusal, whichever of the APIs it comes from."""
    try:
        found = json.loads(text)
    except ValueError:
        return " ".join(text.split())[:500]
    if not isinstance(found, dict):
        return ""
    if found.get("errors"):
        # The first paragraph says in general what such a status means.
        return str(found["errors"][0].get("detail", "")).rpartition("\n\n")[2].strip()
    message = found.get("error_message") or found.get("error") or found.get("message") or ""
    if isinstance(message, str) and message.startswith("{"):
        return _message(message)
    if isinstance(message, dict):
        return str(message.get("message", ""))
    return str(found.get("faultstring") or found.get("description") or message)
