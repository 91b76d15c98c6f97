"""What a reservation requires of its hosts: ``["and", [">=", "$vcpus", "16"], ["==", "$gpu", "a100"]]``.

The keys are what is known of every host, what operators say of hosts, and ``trait:<name>``, which is ``required`` or
``forbidden``. There is no "or".
"""

import json
import operator
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from dibs.leases.model.errors import BadLease, MalformedRequirements
from dibs.leases.model.hosts import COLUMNS, Host

TRAIT = "trait:"
REQUIRED, FORBIDDEN = "required", "forbidden"
DEPTH_MAX = 20

_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "=": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}
_NUMBERS = frozenset({"id", "vcpus", "memory_mb", "local_gb", "hypervisor_version"})


@dataclass(frozen=True, slots=True)
class Requirement:
    """One comparison."""

    operator: str
    key: str
    value: str

    @property
    def trait(self) -> str | None:
        """The trait that it is about, if it is about one."""
        return self.key.removeprefix(TRAIT) if self.key.startswith(TRAIT) else None

    def met_by(self, host: Host) -> bool:
        """Whether a host is as it should be. One of which nothing is known is not, whatever the comparison."""
        trait = self.trait
        if trait is not None:
            return (trait in host.traits) == (self.value == REQUIRED)
        known = host.known(self.key)
        if known is None:
            return False
        wanted = float(self.value) if self.key in _NUMBERS else self.value
        return _OPERATORS[self.operator](known, wanted)

    def words(self, count: int) -> str:
        """What is wrong with so many hosts that do not meet it."""
        if self.trait is not None and self.value == FORBIDDEN:
            return f"{'has' if count == 1 else 'have'} {self.trait}"
        lack = "lacks" if count == 1 else "lack"
        return f"{lack} {self.trait}" if self.trait is not None else f"{lack} {self.key} {self.operator} {self.value!r}"


def parse(text: str | None) -> tuple[Requirement, ...]:
    """Read requirements; an empty text requires nothing."""
    if not text:
        return ()
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise MalformedRequirements(requirements=text) from None
    return tuple(_read(value, value, 0))


def about_traits(required: Iterable[str], forbidden: Iterable[str]) -> tuple[Requirement, ...]:
    """Traits that a host must have, and must not have."""
    return tuple(Requirement("==", TRAIT + name, REQUIRED) for name in required) + tuple(
        Requirement("==", TRAIT + name, FORBIDDEN) for name in forbidden
    )


def check_known(requirements: Iterable[Requirement], names: Collection[str]) -> None:
    """Refuse a key that is neither known of every host nor among the ``names`` that operators gave."""
    for requirement in requirements:
        if requirement.trait is None and requirement.key not in COLUMNS and requirement.key not in names:
            raise BadLease(reason=f"No host has the property {requirement.key}")


def _read(value: Any, whole: Any, depth: int) -> Iterator[Requirement]:
    if value == []:
        return
    if depth > DEPTH_MAX or not isinstance(value, list):
        raise MalformedRequirements(requirements=whole)
    if len(value) > 1 and value[0] == "and":
        for part in value[1:]:
            yield from _read(part, whole, depth + 1)
        return
    if len(value) != 3 or not all(isinstance(part, str) for part in value) or value[0] not in _OPERATORS:
        raise MalformedRequirements(requirements=whole)
    yield _comparison(value, whole)


def _comparison(value: list[str], whole: Any) -> Requirement:
    sign, key, wanted = value
    requirement = Requirement("==" if sign == "=" else sign, key[1:], wanted)
    if not key.startswith("$") or len(key) < 2:
        raise MalformedRequirements(requirements=whole)
    if requirement.trait is not None and (requirement.operator != "==" or wanted not in (REQUIRED, FORBIDDEN)):
        raise MalformedRequirements(requirements=whole)
    if requirement.key in _NUMBERS:
        try:
            float(wanted)
        except ValueError:
            raise MalformedRequirements(requirements=whole) from None
    return requirement
