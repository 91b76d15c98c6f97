"""Compare responses with the OpenAPI document: its statuses, media types and schemas.

Every exchange of the tests of dialects, of the contracts, of Placement's own suite and of the attacks passes through
here, so that the document cannot differ from what the server does.
"""

import functools
import json
import re
import urllib.parse
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import jsonschema_rs

from dibs.http.openapi import build_document
from dibs.settings import Settings
from dibs.wiring.processes import build_application

_UNDOCUMENTED_METHODS = ("HEAD", "OPTIONS")
_STRICT = "/placement/"
"""Placement is the only dialect in which a trailing slash makes another path, except at its root."""


@dataclass(frozen=True)
class Exchange:
    """One request and its response; ``path`` is that of the URL, with the mount and without the query."""

    method: str
    path: str
    status: int
    content_type: str
    body: bytes

    def __str__(self) -> str:
        return f"{self.method} {self.path} -> {self.status}"


class Documented:
    """An OpenAPI document."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._components = document["components"]
        self._tags = {tag["name"] for tag in document["tags"]}
        # A literal path before one with parameters, as in the routing table.
        self._paths = [
            (re.compile(re.sub(r"\{\w+\}", "[^/]+", template)), methods)
            for template, methods in sorted(document["paths"].items(), key=lambda item: item[0].count("{"))
        ]
        self._validators: dict[int, Any] = {}

    def problems(self, exchange: Exchange) -> Iterator[str]:
        """Yield every difference between an exchange and the document."""
        tag = exchange.path.split("/")[1]
        if exchange.method in _UNDOCUMENTED_METHODS or tag not in self._tags:
            return
        # The server decodes the path first: an escaped slash is one.
        decoded = urllib.parse.unquote(exchange.path)
        strict = decoded.startswith(_STRICT) and decoded != _STRICT
        path = decoded if strict else decoded.rstrip("/")
        # Every path of the reservation API may end in ".json", and bookmarks of the bare-metal API have no version.
        spellings = (path, path.removesuffix(".json"), path.replace("/baremetal/", "/baremetal/v1/", 1))
        operation = next(filter(None, (self._find(exchange.method, spelling) for spelling in spellings)), None)
        if operation is None:
            response = self._components["responses"].get(f"{tag}.{exchange.status}", {"content": {}})
        else:
            response = operation["responses"].get(str(exchange.status))
        if response is None:
            yield f"{exchange}: the status is not documented: {exchange.body[:500]!r}"
            return
        if "$ref" in response:
            response = self._components["responses"][response["$ref"].rpartition("/")[2]]
        yield from self._problems_of_body(exchange, response)

    def _problems_of_body(self, exchange: Exchange, response: Mapping[str, Any]) -> Iterator[str]:
        media_type = exchange.content_type.partition(";")[0]
        content = response.get("content")
        if content is None:
            if exchange.body:
                yield f"{exchange}: no body is documented, but there is one: {exchange.body[:500]!r}"
        elif media_type not in content:
            yield f"{exchange}: the media type {media_type!r} is not documented: {exchange.body[:500]!r}"
        elif media_type == "application/json":
            for error in self._validator(content[media_type]["schema"]).iter_errors(json.loads(exchange.body)):
                yield f"{exchange}: {error.message} at /{'/'.join(map(str, error.instance_path))}"

    def _find(self, method: str, path: str) -> Any:
        # The document has methods in lower case. To the server, get is not GET.
        documented = method.lower() if method.isupper() else ""
        for template, methods in self._paths:
            if documented in methods and template.fullmatch(path):
                return methods[documented]
        return None

    def _validator(self, schema: Mapping[str, Any]) -> Any:
        if id(schema) not in self._validators:
            whole = {**schema, "components": self._components}
            self._validators[id(schema)] = jsonschema_rs.Draft202012Validator(whole, validate_formats=True)
        return self._validators[id(schema)]


@functools.cache
def documented_by_server() -> Documented:
    """Return the document of a server with every dialect. Building the application connects to nothing."""
    return Documented(build_document(build_application(Settings()).dialects))


def check_response(exchange: Exchange) -> None:
    """Fail when a response differs from its description."""
    problems = list(documented_by_server().problems(exchange))
    assert not problems, "\n".join(problems)
