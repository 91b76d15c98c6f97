"""The query string: its parameters, and the syntax of their values.

``Forms`` says which syntax a version allows; the functions below know no version numbers.
"""

from collections.abc import Iterable
from typing import Self
from uuid import UUID

from msgspec import Struct

from dibs.dialects.placement.errors import bad_request
from dibs.dialects.placement.schemas import INTEGER_MAX, Schema, check
from dibs.documents.json_schema import is_uuid
from dibs.ledger.model.criteria import ANYTHING, Criteria

_INVALID = "Invalid query string parameters: "
_RESOURCES = (
    "Badly formed resources parameter. Expected resources query string parameter in form:"
    " ?resources=VCPU:2,MEMORY_MB:1024."
)
_ANY_OF = "in:HW_CPU_X86_VMX,CUSTOM_MAGIC"


class Forms(Struct, frozen=True, kw_only=True):
    """The syntax of ``required`` and ``member_of`` that a version allows."""

    forbidden_traits: bool
    any_of_traits: bool
    repeated_aggregates: bool
    forbidden_aggregates: bool

    @classmethod
    def of(cls, minor: int) -> Self:
        """Return the forms of a version."""
        return cls(
            forbidden_traits=minor >= 22,
            any_of_traits=minor >= 39,
            repeated_aggregates=minor >= 24,
            forbidden_aggregates=minor >= 32,
        )


class Query:
    """The parameters of a request, by name."""

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        self._values: dict[str, list[str]] = {}
        for name, value in pairs:
            self._values.setdefault(name, []).append(value)

    def __contains__(self, name: str) -> bool:
        return name in self._values

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all parameters, in the order sent."""
        return tuple(self._values)

    def all(self, name: str) -> list[str]:
        """Return all values of a parameter, in the order sent."""
        return self._values.get(name, [])

    def first(self, name: str) -> str | None:
        """Return the first value of a parameter; None if it is missing."""
        values = self.all(name)
        return values[0] if values else None

    def last(self, name: str) -> str | None:
        """Return the last value of a parameter; None if it is missing.

        Quirk: for most parameters, the original uses the last value of several.
        """
        values = self.all(name)
        return values[-1] if values else None

    def check(self, schema: Schema) -> None:
        """Refuse parameters that do not match a schema, as an object of strings."""
        check(schema, {name: values[-1] for name, values in self._values.items()}, _INVALID)


def read_resources(value: str) -> dict[str, int]:
    """Read amounts by class: ``VCPU:2,MEMORY_MB:1024``."""
    if not value.strip():
        raise bad_request(f"{_RESOURCES} Got: empty string.")
    amounts = {}
    for part in value.split(","):
        name, colon, amount = part.partition(":")
        if not colon or ":" in amount:
            raise bad_request(f"{_RESOURCES} Got: {part}.")
        amounts[name] = _read_amount(name, amount)
    return amounts


def read_required(query: Query, minor: int, suffix: str = "") -> Criteria:
    """Read required and forbidden traits: ``A,!B``, or any of several: ``in:A,B``."""
    forms = Forms.of(minor)
    values = query.all("required" + suffix)
    # Quirk: in versions without repeated parameters, the last one counts and the others are ignored.
    read = [read_traits(value, forms) for value in (values if forms.any_of_traits else values[-1:])]
    return _together(read)


def read_member_of(query: Query, minor: int, suffix: str = "") -> Criteria:
    """Read required and forbidden aggregates: ``A``, any of ``in:A,B``, not ``!A``, none of ``!in:A,B``."""
    forms = Forms.of(minor)
    values = query.all("member_of" + suffix)
    if len(values) > 1 and not forms.repeated_aggregates:
        raise bad_request(f"Multiple member_of{suffix} parameters are not supported")
    read = [_read_aggregates(value) for value in values]
    found = _together(read)
    if found.forbidden and not forms.forbidden_aggregates:
        raise bad_request(f"Forbidden member_of{suffix} parameters are not supported in the specified microversion")
    return found


def read_in_tree(value: str) -> str:
    """Read the uuid of a provider."""
    found = value.strip()
    if not is_uuid(found):
        raise bad_request(f"{_INVALID}Expected 'in_tree' parameter to be a format of uuid. Got: {value}")
    return found


def _read_amount(name: str, text: str) -> int:
    try:
        amount = int(text)
    except ValueError:
        raise bad_request(f"Requested resource {name} expected positive integer amount. Got: {text}.") from None
    if amount < 1:
        raise bad_request(f"Requested resource {name} requires amount >= 1. Got: {amount}.")
    # No inventory is larger, and a larger number would not fit into a column: the result is the same.
    return min(amount, INTEGER_MAX + 1)


def read_traits(value: str, forms: Forms) -> Criteria:
    """Read one value of ``required`` or ``root_required``."""
    if value.startswith("in:"):
        return _read_any_of(value, forms)
    expected = "HW_CPU_X86_VMX,!CUSTOM_MAGIC" if forms.forbidden_traits else "HW_CPU_X86_VMX,CUSTOM_MAGIC"
    wrong = f"{_INVALID}Expected 'required' parameter value of the form: {expected}. "
    required, forbidden = [], set()
    for name in (part.strip() for part in value.split(",")):
        if name.startswith("!"):
            # Quirk: several exclamation marks count as one, in every release so far.
            forbidden.add(name.lstrip("!"))
        else:
            required.append(frozenset({name}))
    if "" in forbidden or frozenset({""}) in required:
        raise bad_request(f"{wrong}Got an empty trait in: {value}")
    if forbidden and not forms.forbidden_traits:
        raise bad_request(f"{wrong}Got: {value}")
    return Criteria(required=tuple(required), forbidden=frozenset(forbidden))


def _read_any_of(value: str, forms: Forms) -> Criteria:
    if not forms.any_of_traits:
        raise bad_request(f"{_INVALID}The format '{_ANY_OF}' only supported since microversion 1.39. Got: {value}")
    names = frozenset(part.strip() for part in value.removeprefix("in:").split(","))
    if "" in names:
        raise bad_request(
            f"{_INVALID}Expected 'required' parameter value of the form: {_ANY_OF}. Got an empty trait in: {value}"
        )
    if any(name.startswith("!") for name in names):
        raise bad_request(f"{_INVALID}The format '{_ANY_OF}' does not support forbidden traits. Got: {value}")
    return Criteria(required=(names,))


def _read_aggregates(value: str) -> Criteria:
    negated = value.startswith("!")
    rest = value[1:] if negated else value
    several = rest.startswith("in:")
    if "," in rest and not several:
        raise bad_request(
            "Multiple values for 'member_of' must be prefixed with the 'in:' or '!in:' keyword using the valid"
            f" microversion. Got: {value}"
        )
    named = rest.removeprefix("in:").split(",") if several else [rest]
    for name in named:
        if not is_uuid(name):
            raise bad_request(f"{_INVALID}Expected 'member_of' parameter to contain valid UUID(s). Got: {name}")
    # The stored form: lower case, with dashes.
    uuids = frozenset(str(UUID(name)) for name in named)
    return Criteria(forbidden=uuids) if negated else Criteria(required=(uuids,))


def _together(criteria: list[Criteria]) -> Criteria:
    if not criteria:
        return ANYTHING
    return Criteria(
        required=tuple(choice for one in criteria for choice in one.required),
        forbidden=frozenset().union(*(one.forbidden for one in criteria)),
    )
