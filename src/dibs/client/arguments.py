"""Types and checks of arguments."""

from collections.abc import Iterable, Set

Names = list[str] | tuple[str, ...] | Set[str]
"""Several names. A string is not among these types: it would be taken for a list of its letters."""


def names_in(argument: str, value: Iterable[str]) -> list[str]:
    """Return the names as a list; raise TypeError for a string or for anything else that is not a list of strings."""
    if isinstance(value, str | bytes):
        raise TypeError(f"{argument} must be a list of strings, not {value!r}. Write [{value!r}].")
    names = list(value)
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"{argument} must be a list of strings, but contains {name!r}.")
    return names
