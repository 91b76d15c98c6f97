"""Traits: qualities of a provider.

A trait is a standard name from the os-traits library, or a custom name that begins with CUSTOM_.
"""

import re
from collections.abc import Iterable
from functools import cache

from dibs.ledger.model.errors import InvalidTrait

TRAIT_LENGTH_MAX = 255

_CUSTOM = re.compile(r"CUSTOM_[A-Z0-9_]+\Z")


@cache
def standard_traits() -> frozenset[str]:
    """Return the names of the os-traits library, which is slow to import: a server starts without it."""
    import os_traits

    return frozenset(os_traits.get_traits())


def check_trait(name: str) -> None:
    """Raise for a name that is neither a standard nor a valid custom trait."""
    if len(name) > TRAIT_LENGTH_MAX:
        raise InvalidTrait(trait=name[:40] + "…", reason=f"a trait has at most {TRAIT_LENGTH_MAX} characters")
    if not _CUSTOM.match(name) and name not in standard_traits():
        raise InvalidTrait(
            trait=name, reason="it is not a standard trait of os-traits and does not match '^CUSTOM_[A-Z0-9_]+$'"
        )


def check_traits(names: Iterable[str]) -> None:
    """Raise for the first name that is not a valid trait."""
    for name in names:
        check_trait(name)
