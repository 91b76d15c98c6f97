"""Decide rules that ask a service between transactions, never inside one.

A rule of a policy file may ask a service over HTTP about an object that an operation reads under its locks. A slow
service would keep every other request waiting for these locks.
"""

from collections.abc import Callable
from typing import TypeVar

from dibs.access.access import Access, Target
from dibs.access.actor import Actor
from dibs.errors import BadValue

Result = TypeVar("Result")

DECISIONS_MAX = 300
"""The most questions to a service in one transaction; a request about more objects is refused."""


class Undecided(Exception):
    """A decision that needs a service, asked for inside a transaction."""

    def __init__(self, rule: str, target: Target) -> None:
        super().__init__(f"The rule {rule} was asked inside a transaction.")
        self.rule = rule
        self.target = target


class Decisions:
    """The decisions of services that one request has got so far: its transaction uses them, and asks for no more."""

    calls_services = False

    def __init__(self) -> None:
        self._decided: dict[tuple[str, tuple[tuple[str, str | None], ...]], bool] = {}

    def allows(self, rule: str, actor: Actor, target: Target) -> bool:
        """Return the decision; raise Undecided when there is none yet."""
        try:
            return self._decided[rule, tuple(target.items())]
        except KeyError:
            raise Undecided(rule, target) from None

    def decide(self, access: Access, undecided: Undecided) -> None:
        """Ask the rules of the caller, outside every transaction."""
        allowed = access.allows(undecided.rule, undecided.target)
        self._decided[undecided.rule, tuple(undecided.target.items())] = allowed


def run_decided(access: Access, run: Callable[[Access], Result]) -> Result:
    """Run a transaction with decisions that were made before it.

    When the operation needs another decision, the transaction ends, the service is asked without any lock, and the
    transaction runs again.
    """
    if not access.rules.calls_services:
        return run(access)
    decisions = Decisions()
    for _ in range(DECISIONS_MAX):
        try:
            return run(Access(actor=access.actor, rules=decisions))
        except Undecided as undecided:
            decisions.decide(access, undecided)
    raise BadValue(reason=f"The policy asks a service about more than {DECISIONS_MAX} objects. Name fewer objects.")
