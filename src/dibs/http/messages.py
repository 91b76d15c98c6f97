"""The types that the shell and the dialects exchange."""

from collections.abc import Collection, Container, Iterable, Mapping
from typing import Any, Protocol

from msgspec import Struct, field

from dibs.access.actor import Actor
from dibs.http.auth import Authenticator


class Request(Struct, frozen=True, kw_only=True):
    """A complete HTTP request for the dialect of its mount."""

    method: str
    path: str
    """Percent-decoded path below the mount, with a leading slash. A trailing slash is removed unless the dialect has
    strict paths."""
    query: tuple[tuple[str, str], ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    """Header names in lower case; several of one name are joined with ", "."""
    body: bytes = b""
    base_url: str
    """Scheme, host and mount as the client sent them, without a trailing slash: the prefix of every link."""
    request_id: str
    actor: Actor
    """The authenticated caller; on a public path of the dialect an actor without roles."""
    address: str = ""
    """The address of the client, for limits on attempts."""


class Stream(Protocol):
    """A body without an end. Its methods run on the event loop, so they must not block."""

    def take(self) -> bytes | None:
        """Return what is new since the last call; b"" when nothing is, None when the stream is over."""

    def close(self) -> None:
        """Release what the stream holds: the client is gone, or the server stops."""


class Response(Struct, frozen=True):
    """An HTTP response."""

    status: int
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()
    stream: Stream | None = None
    """The body instead of ``body``, for a response that goes on."""


class Operation(Protocol):
    """One row of a dialect's routing table, as the OpenAPI document describes it."""

    @property
    def method(self) -> str: ...
    @property
    def path(self) -> str:
        """The path below the mount with parameters in braces: ``/v1/nodes/{node}``."""

    @property
    def summary(self) -> str: ...
    @property
    def since(self) -> int:
        """The first minor version that has it."""

    @property
    def until(self) -> int | None:
        """The last minor version that has it; None when the newest has it."""

    @property
    def query(self) -> Mapping[str, Mapping[str, Any]]:
        """JSON schema of each query parameter."""

    @property
    def required_query(self) -> Collection[str]:
        """Names of the query parameters without which the request is refused."""

    @property
    def body(self) -> Mapping[str, Any] | None:
        """JSON schema of the request body; None without a body."""

    @property
    def statuses(self) -> Mapping[int, str]:
        """Status codes of success, each with a short description; also those of errors with a special meaning."""

    @property
    def answer(self) -> Mapping[str, Any] | None:
        """JSON schema of the body of a success; None without a body. A 204 never has one."""

    @property
    def answer_type(self) -> str:
        """The media type of that body."""

    @property
    def refusals(self) -> Collection[int]:
        """Status codes of errors in addition to those that follow from method, path and body."""


class Mounted(Protocol):
    """What the shell serves under a prefix: a dialect, or the console."""

    @property
    def mount(self) -> str:
        """The prefix, such as ``/baremetal``."""

    @property
    def title(self) -> str: ...
    @property
    def public_paths(self) -> Container[str]:
        """Paths that answer without authentication: discovery documents, and what has its credential in the path."""

    @property
    def anonymous_is_admin(self) -> bool:
        """Whether noauth treats a request without a token as the system admin (Ironic) or answers 401 (Placement)."""

    @property
    def strict_paths(self) -> bool:
        """Whether a trailing slash makes another path; otherwise the shell removes it."""

    @property
    def checks_media_types(self) -> bool:
        """Whether the dialect checks Content-Type (415) and Accept (406) itself, in its own order."""

    @property
    def secret_nouns(self) -> frozenset[str]:
        """Parts of a path that a secret follows, which the log must not show: ``/reservations/{uuid}``."""

    def answer(self, request: Request) -> Response:
        """Answer a request. Never raises, whatever the client sends."""

    def refuse(
        self,
        request: Request | None,
        status: int,
        message: str,
        headers: tuple[tuple[str, str], ...] = (),
    ) -> Response:
        """Return an error that the shell found (401, 413, 500, 503 …) in the format of this mount."""


class Dialect(Mounted, Protocol):
    """One HTTP contract, mounted under a prefix."""

    @property
    def operations(self) -> Iterable[Operation]: ...

    def error_content(self, status: int) -> Mapping[str, Mapping[str, Any]]:
        """Return the JSON schema of the body of an error, for each media type that it may have."""


class Pages(Mounted, Protocol):
    """Pages for browsers, which authenticate by the cookie of a session instead of the headers of an API."""

    @property
    def authenticator(self) -> Authenticator:
        """Finds the caller of a session; ANONYMOUS without one, so that the pages can ask the user to sign in."""
