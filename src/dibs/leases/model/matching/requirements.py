"""The requirements of a reservation: ``["and", [">=", "$vcpus", "16"], ["==", "$gpu", "a100"]]``.

A key is an attribute that every host has, a property that operators gave to hosts, or ``trait:<name>``, whose value is
``required`` or ``forbidden``. Blazar has only "and". Dibs adds "or" and "not", which may contain each other.
"""

import json
import operator
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

from msgspec import Struct

from dibs.leases.model.errors import BadLease, MalformedRequirements
from dibs.leases.model.hosts import COLUMNS, Host

TRAIT = "trait:"
REQUIRED, FORBIDDEN = "required", "forbidden"
AND, OR, NOT = "and", "or", "not"
DEPTH_MAX = 20
COUNT_MAX = 100
"""The number of requirements of a lease: a refusal compares each host with each of them."""

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


class Requirement(Struct, frozen=True):
    """One comparison."""

    operator: str
    key: str
    value: str

    @property
    def trait(self) -> str | None:
        """The name of the trait that it compares; None when it compares something else."""
        return self.key.removeprefix(TRAIT) if self.key.startswith(TRAIT) else None

    def met_by(self, host: Host) -> bool:
        """Return True when a host meets it. A host without the property meets no comparison, not even !=."""
        trait = self.trait
        if trait is not None:
            return (trait in host.traits) == (self.value == REQUIRED)
        value = host.attribute(self.key)
        if value is None:
            return False
        wanted = float(self.value) if self.key in _NUMBERS else self.value
        return _OPERATORS[self.operator](value, wanted)

    def words(self, count: int) -> str:
        """Return what is wrong with hosts that do not meet it, in the singular or plural."""
        if self.trait is not None and self.value == FORBIDDEN:
            return f"{'has' if count == 1 else 'have'} {self.trait}"
        lack = "lacks" if count == 1 else "lack"
        return f"{lack} {self.trait}" if self.trait is not None else f"{lack} {self.phrase}"

    @property
    def phrase(self) -> str:
        """The comparison as a part of a sentence."""
        if self.trait is None:
            return f"{self.key} {self.operator} {self.value!r}"
        return self.trait if self.value == REQUIRED else f"not {self.trait}"

    @property
    def comparisons(self) -> "tuple[Requirement, ...]":
        """The comparisons that it consists of: itself."""
        return (self,)


class Combination(Struct, frozen=True):
    """Requirements that are combined by "and", "or" or "not"."""

    word: str
    parts: "tuple[Requirement | Combination, ...]"

    def met_by(self, host: Host) -> bool:
        """Return True when a host meets it."""
        if self.word == AND:
            return all(part.met_by(host) for part in self.parts)
        met = any(part.met_by(host) for part in self.parts)
        return met if self.word == OR else not met

    def words(self, count: int) -> str:
        """Return what is wrong with hosts that do not meet it, in the singular or plural."""
        return f"{'does' if count == 1 else 'do'} not meet {self.phrase}"

    @property
    def phrase(self) -> str:
        """The combination as a part of a sentence."""
        phrases = [part.phrase if isinstance(part, Requirement) else f"({part.phrase})" for part in self.parts]
        return f"not {phrases[0]}" if self.word == NOT else f" {self.word} ".join(phrases)

    @property
    def comparisons(self) -> tuple[Requirement, ...]:
        """The comparisons that it consists of."""
        return comparisons_of(self.parts)


Condition = Requirement | Combination
"""What a host must meet."""


def comparisons_of(conditions: Iterable[Condition]) -> tuple[Requirement, ...]:
    """Return the comparisons that conditions consist of."""
    return tuple(comparison for condition in conditions for comparison in condition.comparisons)


def parse(text: str | None) -> tuple[Condition, ...]:
    """Parse requirements; an empty text requires nothing."""
    if not text:
        return ()
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise MalformedRequirements(requirements=text) from None
    return tuple(_read(value, value, 0))


def about_traits(required: Iterable[str], forbidden: Iterable[str]) -> tuple[Requirement, ...]:
    """Return the requirements for traits that a host must have and must not have."""
    return tuple(Requirement("==", TRAIT + name, REQUIRED) for name in required) + tuple(
        Requirement("==", TRAIT + name, FORBIDDEN) for name in forbidden
    )


def check_count(requirements: Iterable[Condition]) -> None:
    """Raise BadLease for more comparisons than a lease may have."""
    count = len(comparisons_of(requirements))
    if count > COUNT_MAX:
        raise BadLease(reason=f"A lease has at most {COUNT_MAX} requirements, and this one has {count}.")


def check_known(requirements: Iterable[Condition], names: Collection[str]) -> None:
    """Raise BadLease for a key that is neither an attribute of every host nor among the ``names`` of properties."""
    for requirement in comparisons_of(requirements):
        if requirement.trait is None and requirement.key not in COLUMNS and requirement.key not in names:
            raise BadLease(reason=f"No host has the property {requirement.key}")


def _read(value: Any, whole: Any, depth: int) -> Iterator[Condition]:
    if value == []:
        return
    if depth > DEPTH_MAX or not isinstance(value, list):
        raise MalformedRequirements(requirements=whole)
    if len(value) > 1 and value[0] == AND:
        for part in value[1:]:
            yield from _read(part, whole, depth + 1)
        return
    if len(value) > 1 and value[0] in (OR, NOT):
        yield _combination(value, whole, depth)
        return
    if len(value) != 3 or not all(isinstance(part, str) for part in value) or value[0] not in _OPERATORS:
        raise MalformedRequirements(requirements=whole)
    yield _comparison(value, whole)


def _combination(value: list[Any], whole: Any, depth: int) -> Combination:
    word, *parts = value
    if word == NOT and len(parts) != 1:
        raise MalformedRequirements(requirements=whole)
    return Combination(word, tuple(_one(tuple(_read(part, whole, depth + 1)), whole) for part in parts))


def _one(conditions: tuple[Condition, ...], whole: Any) -> Condition:
    """Return one condition for several that must all be met."""
    if not conditions:
        raise MalformedRequirements(requirements=whole)
    return conditions[0] if len(conditions) == 1 else Combination(AND, conditions)


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
