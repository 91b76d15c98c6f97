"""The requirements of a reservation as terms, of which each can be dropped or changed by itself.

A term is one part of the outermost "and". Texts stay as clients wrote them, apart from the term that changes.
"""

import json
from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct

from dibs.leases.model.hosts import Host
from dibs.leases.model.matching.requirements import REQUIRED, TRAIT, Condition, parse

EQUAL = ("==", "=")
_CLASS = "$resource_class"
_TRAIT = f"${TRAIT}"


class Term(Struct, frozen=True):
    """One term of the requirements of a reservation."""

    text: str
    """As JSON, in one spelling."""
    requirements: tuple[Condition, ...]

    def met_by(self, host: Host) -> bool:
        """Return True when a host meets it."""
        return all(requirement.met_by(host) for requirement in self.requirements)

    @property
    def words(self) -> str:
        """The term as a person would name it: a trait, or ``gpu == 'a100'``."""
        term = json.loads(self.text)
        if not is_comparison(term):
            return f"({self.requirements[0].phrase})"
        return trait_of(term) or f"{term[1][1:]} {term[0]} {term[2]!r}"

    @property
    def names_class(self) -> bool:
        """True when it requires one resource class."""
        return is_class(json.loads(self.text))


def terms_of(*texts: str) -> tuple[Term, ...]:
    """Return the different terms of valid requirements."""
    spelled = dict.fromkeys(json.dumps(term) for text in texts if text for term in split(json.loads(text)))
    return tuple(Term(text, parse(text)) for text in spelled)


def split(value: Any) -> Iterator[Any]:
    """Yield the terms of parsed requirements."""
    if isinstance(value, list) and len(value) > 1 and value[0] == "and":
        for part in value[1:]:
            yield from split(part)
    elif value != []:
        yield value


def is_comparison(term: Any) -> bool:
    """Return True for a term that compares one key with a value."""
    return len(term) == 3 and all(isinstance(part, str) for part in term)


def is_class(term: Any) -> bool:
    """Return True for a term that requires one resource class."""
    return is_comparison(term) and term[0] in EQUAL and term[1] == _CLASS


def trait_of(term: Any) -> str | None:
    """Return the trait that a term requires; None for any other term."""
    if not is_comparison(term) or not term[1].startswith(_TRAIT) or term[2] != REQUIRED:
        return None
    trait: str = term[1].removeprefix(_TRAIT)
    return trait


def without_terms(text: str, dropped: tuple[str, ...]) -> str:
    """Return requirements without some terms, which are given in the spelling of ``Term.text``."""
    return _changed(text, lambda term: None if json.dumps(term) in dropped else term)


def with_class(text: str, resource_class: str) -> str:
    """Return requirements that name another resource class."""
    return _changed(text, lambda term: [term[0], term[1], resource_class] if is_class(term) else term)


def _changed(text: str, change: Callable[[Any], Any]) -> str:
    terms = list(split(json.loads(text))) if text else []
    changed = [new for term in terms if (new := change(term)) is not None]
    if changed == terms:
        return text
    return json.dumps(changed[0] if len(changed) == 1 else ["and", *changed]) if changed else ""
