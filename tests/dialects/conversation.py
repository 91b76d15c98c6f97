"""Asking a dialect itself, without a server: a request in, an answer out."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from dibs.access.actor import Actor
from dibs.http.messages import Dialect, Request
from tests.documented import Exchange, check_response

ORIGIN = "http://dibs.example:8780"


@dataclass(frozen=True)
class Answer:
    """What came back, header names in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body as a document."""
        return json.loads(self.body)

    @property
    def error(self) -> Any:
        """The only error of the body: a document inside a string with Ironic, in a list with Placement."""
        if "error_message" in self.json:
            return json.loads(self.json["error_message"])
        (error,) = self.json["errors"]
        return error

    @property
    def reason(self) -> str:
        """What an error of Ironic says, in either form."""
        text: str = self.error.get("faultstring", self.error.get("description"))
        return text

    @property
    def message(self) -> str:
        """What an error of Blazar says."""
        return str(self.json["error_message"])

    @property
    def fault(self) -> tuple[str, str]:
        """What kind of error of Nova it is, and its message."""
        ((kind, error),) = self.json.items()
        assert error["code"] == self.status
        return kind, error["message"]


def send(
    dialect: Dialect, method: str, url: str, body: Any = None, *, actor: Actor, headers: Mapping[str, str] | None = None
) -> Answer:
    """Send one request, and compare the response with its description; ``body`` is bytes as they are, or a document."""
    parts = urlsplit(url)
    request = Request(
        method=method,
        path=parts.path,
        query=tuple(parse_qsl(parts.query, keep_blank_values=True)),
        headers=dict(headers or {}),
        body=body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode(),
        base_url=ORIGIN + dialect.mount,
        request_id="req-1",
        actor=actor,
    )
    response = dialect.answer(request)
    if response.stream is not None:
        response.stream.close()
    answer = Answer(response.status, {name.lower(): value for name, value in response.headers}, response.body)
    content_type = answer.headers.get("content-type", "")
    check_response(Exchange(method, dialect.mount + parts.path, answer.status, content_type, answer.body))
    return answer
