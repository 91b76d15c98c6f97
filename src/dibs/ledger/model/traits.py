"""Traits: what a machine is, in words that all agree on.

A trait is one of the standard names that the os-traits library lists, or a name of one's own that begins with CUSTOM_.
"""

import re
from collections.abc import Iterable

import os_traits

from dibs.ledger.model.errors import InvalidTrait

TRAIT_LENGTH_MAX = 255

STANDARD_TRAITS = frozenset(os_traits.get_traits())
_CUSTOM = re.compile(r"CUSTOM_[A-Z0-9_]+\Z")


def check_trait(name: str) -> None:
    """Refuse a name that is neither standard nor a custom one."""
    if len(name) > TRAIT_LENGTH_MAX:
        raise InvalidTrait(trait=name[:40] + "…", reason=f"a trait has at most {TRAIT_LENGTH_MAX} characters")
    if name not in STANDARD_TRAITS and not _CUSTOM.match(name):
        raise InvalidTrait(
            trait=name, reason="it is not a standard trait of os-traits and does not match '^CUSTOM_[A-Z0-9_]+$'"
        )


def check_traits(names: Iterable[str]) -> None:
    """Refuse the first name that is not a trait."""
    for name in names:
        check_trait(name)
