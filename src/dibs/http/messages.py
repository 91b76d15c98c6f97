"""What travels between the shell and a dialect."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from dibs.access.actor import Actor


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One HTTP request, read whole, for the dialect whose mount it came to."""

    method: str
    path: str
    """Percent-decoded path below the mount; begins with "/". Unless the dialect has strict paths, it ends with one only
    when it is "/" itself."""
    query: tuple[tuple[str, str], ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    """Header names in lower case; several of one name are joined with ", "."""
    body: bytes = b""
    base_url: str
    """Scheme, host and mount as the caller wrote them, without a trailing slash: the stem of every link."""
    request_id: str
    actor: Actor
    """The authenticated caller. On a dialect's public paths it is an actor without any role."""


@dataclass(frozen=True, slots=True)
class Response:
    """One HTTP answer."""

    status: int
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()


class Operation(Protocol):
    """What the OpenAPI document is made from: one row of a dialect's routing table."""

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
    def query(self) -> Mapping[str, Mapping[str, Any]]:
        """JSON schema of each query parameter."""

    @property
    def body(self) -> Mapping[str, Any] | None:
        """JSON schema of the request body, or None when it takes none."""

    @property
    def statuses(self) -> Mapping[int, str]:
        """What it answers when all is well: status and a short description."""


class Dialect(Protocol):
    """One HTTP contract, mounted under a prefix."""

    @property
    def mount(self) -> str:
        """The prefix, such as ``/baremetal``."""

    @property
    def title(self) -> str: ...
    @property
    def public_paths(self) -> frozenset[str]:
        """Paths that answer before authentication: the discovery documents."""

    @property
    def anonymous_is_admin(self) -> bool:
        """Under noauth, whether a request without a token is the system's admin (Ironic) or gets 401 (Placement)."""

    @property
    def strict_paths(self) -> bool:
        """Whether a slash at the end makes another path; otherwise it is dropped."""

    @property
    def checks_media_types(self) -> bool:
        """Whether the dialect itself refuses a Content-Type (415) or Accept (406), at a moment of its own."""

    @property
    def operations(self) -> Iterable[Operation]: ...

    def answer(self, request: Request) -> Response:
        """Answer a request; never raises for anything a caller can send."""

    def refuse(
        self,
        request: Request | None,
        status: int,
        message: str,
        headers: tuple[tuple[str, str], ...] = (),
    ) -> Response:
        """An error that the shell found (401, 413, 500, 503 …) in this dialect's own shape."""
