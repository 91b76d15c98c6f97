"""One request on its way through a handler: what is the same in every dialect.

A dialect's own exchange adds its version, its query and its way to check a body.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from dibs.access.access import Access
from dibs.access.actor import Actor
from dibs.http.messages import Request, Response

Command = TypeVar("Command")
Result = TypeVar("Result")
Headers = tuple[tuple[str, str], ...]
UseCase = Callable[[Any, Access, int, Command], Result]


class Runner(Protocol):
    """Runs one use case in one transaction; it is ``usecases.runner.Runner``, which this layer does not know."""

    def read(self, use_case: UseCase[Command, Result], access: Access, command: Command) -> Result:
        """Run one that changes nothing."""

    def write(self, use_case: UseCase[Command, Result], access: Access, command: Command) -> Result:
        """Run one that may change things."""


class Policy(Protocol):
    """The policy of a dialect."""

    def access(self, actor: Actor) -> Access:
        """Bind a caller to the policy."""


class HasRunner(Protocol):
    """What a dialect was given when it was built."""

    @property
    def runner(self) -> Runner: ...

    @property
    def policy(self) -> Policy: ...


Services = TypeVar("Services", bound=HasRunner)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnyExchange(Generic[Services]):
    """One request and its path arguments."""

    request: Request
    arguments: Mapping[str, str]
    services: Services

    @property
    def actor(self) -> Actor:
        """Who is asking."""
        return self.request.actor

    @property
    def access(self) -> Access:
        """The caller, and the policy that binds the caller."""
        return self.services.policy.access(self.actor)

    def read(self, use_case: UseCase[Command, Result], command: Command) -> Result:
        """Run a use case that changes nothing."""
        return self.services.runner.read(use_case, self.access, command)

    def write(self, use_case: UseCase[Command, Result], command: Command) -> Result:
        """Run a use case in a transaction of its own."""
        return self.services.runner.write(use_case, self.access, command)


def json_answer(document: Any, status: int = 200, headers: Headers = ()) -> Response:
    """An answer with a body."""
    body = json.dumps(document, separators=(",", ":")).encode()
    return Response(status, body, (("Content-Type", "application/json"), *headers))


def empty_answer(status: int, headers: Headers = ()) -> Response:
    """An answer without a body."""
    return Response(status, b"", headers)
