"""The request as a handler sees it, as far as it is the same in every dialect.

Each dialect's own exchange adds its version, its query parameters and its validation of bodies.
"""

from collections.abc import Callable, Mapping
from typing import Any, Generic, Protocol, TypeVar

import msgspec
from msgspec import Struct

from dibs.access.access import Access
from dibs.access.actor import Actor
from dibs.http.messages import Request, Response

Command = TypeVar("Command")
Result = TypeVar("Result")
Headers = tuple[tuple[str, str], ...]
OperationFunction = Callable[[Any, Access, int, Command], Result]


class Runner(Protocol):
    """Runs one operation in one transaction: ``dibs.database.runner.Runner``, seen from here."""

    def read(self, operation: OperationFunction[Command, Result], access: Access, command: Command) -> Result:
        """Run an operation that changes nothing."""

    def write(self, operation: OperationFunction[Command, Result], access: Access, command: Command) -> Result:
        """Run an operation that may change rows."""


class Policy(Protocol):
    """The policy of a dialect."""

    def access(self, actor: Actor) -> Access:
        """Bind a caller to the policy."""


class HasRunner(Protocol):
    """The services that every dialect has."""

    @property
    def runner(self) -> Runner: ...

    @property
    def policy(self) -> Policy: ...


Services = TypeVar("Services", bound=HasRunner)


class AnyExchange(Struct, Generic[Services], frozen=True, kw_only=True):
    """One request and its path arguments."""

    request: Request
    arguments: Mapping[str, str]
    services: Services

    @property
    def actor(self) -> Actor:
        """The authenticated caller."""
        return self.request.actor

    @property
    def access(self) -> Access:
        """The caller with the policy of this dialect."""
        return self.services.policy.access(self.actor)

    def read(self, operation: OperationFunction[Command, Result], command: Command) -> Result:
        """Run an operation that changes nothing."""
        return self.services.runner.read(operation, self.access, command)

    def write(self, operation: OperationFunction[Command, Result], command: Command) -> Result:
        """Run an operation in a transaction of its own."""
        return self.services.runner.write(operation, self.access, command)


def json_answer(document: Any, status: int = 200, headers: Headers = ()) -> Response:
    """Return a response with a JSON body."""
    return Response(status, msgspec.json.encode(document), (("Content-Type", "application/json"), *headers))


def empty_answer(status: int, headers: Headers = ()) -> Response:
    """Return a response without a body."""
    return Response(status, b"", headers)
