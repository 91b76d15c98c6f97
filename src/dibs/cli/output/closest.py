"""Suggest known names that resemble an unknown one."""

import difflib
from collections.abc import Iterable

COUNT_MAX = 3
CUTOFF = 0.7
"""Lower values suggest every trait that begins with CUSTOM_."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a sentence with the closest names, to append to an error; empty if none is close."""
    by_folded = {each.casefold(): each for each in known}
    closest = [by_folded[each] for each in difflib.get_close_matches(name.casefold(), by_folded, COUNT_MAX, CUTOFF)]
    if not closest:
        return ""
    *others, last = closest
    return f" Did you mean {', '.join(others)} or {last}?" if others else f" Did you mean {last}?"
