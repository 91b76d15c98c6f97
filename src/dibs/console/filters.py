"""Filters that a user types, such as ``class:gold trait:CUSTOM_GPU_A100 free``; the URL has the same text."""

import shlex
from collections.abc import Callable, Mapping

from dibs.console.errors import Refusal
from dibs.machines.model.node_query import Condition, Contains, Equals, Held, OneOf, Present, Traits
from dibs.machines.model.states import AVAILABLE

LENGTH_MAX = 500
WORDS_MAX = 20

_FREE: tuple[Condition, ...] = (
    Equals("provision_state", AVAILABLE),
    Equals("maintenance", False),
    Equals("retired", False),
    Present("instance_uuid", False),
    Held(False),
)
_WORDS: Mapping[str, tuple[Condition, ...]] = {
    "free": _FREE,
    "used": (Present("instance_uuid", True),),
    "held": (Held(True),),
    "maintenance": (Equals("maintenance", True),),
    "faulty": (Present("fault", True),),
}
"""Words without a value."""

_KEYS: Mapping[str, Callable[[str], Condition]] = {
    "class": lambda value: OneOf("resource_class", tuple(value.split(","))),
    "trait": lambda value: Traits(tuple(value.split(","))),
    "not-trait": lambda value: Traits(tuple(value.split(",")), any_of=True, negated=True),
    "state": lambda value: OneOf("provision_state", tuple(value.replace("_", " ").split(","))),
    "owner": lambda value: Equals("owner", value),
    "lessee": lambda value: Equals("lessee", value),
    "rack": lambda value: Equals("chassis_uuid", value),
    "fault": lambda value: Equals("fault", value.replace("_", " ")),
    "name": lambda value: Contains("name", value),
}

HELP = f"{', '.join(f'{key}:…' for key in _KEYS)}, {', '.join(_WORDS)}"
"""What a filter may contain; any other word is a part of the name."""


def parse(text: str) -> tuple[Condition, ...]:
    """Return the conditions of a filter; raise Refusal with what is possible for a word that has no meaning."""
    words = text.split()
    if len(text) > LENGTH_MAX or len(words) > WORDS_MAX:
        raise Refusal(400, f"A filter has at most {WORDS_MAX} words and {LENGTH_MAX} characters.")
    return tuple(condition for word in words for condition in _conditions(word))


def command_options(text: str) -> str:
    """Return the options of ``dibs node list`` for a filter, as far as the command has them."""
    options = {
        "class": "--resource-class",
        "trait": "--trait",
        "not-trait": "--not-trait-any",
        "state": "--provision-state",
        "owner": "--owner",
    }
    found = []
    for word in text.split():
        key, colon, value = word.partition(":")
        if word == "free":
            found.append("--free")
        elif colon and key in options:
            found += [f"{options[key]} {shlex.quote(each)}" for each in value.split(",")]
    return " ".join(["dibs node list", *found])


def _conditions(word: str) -> tuple[Condition, ...]:
    key, colon, value = word.partition(":")
    if not colon:
        return _WORDS.get(word.lower(), (Contains("name", word),))
    if key not in _KEYS or not value:
        raise Refusal(400, f"{word!r} is not a filter. Use {HELP}, or a part of the name.")
    return (_KEYS[key](value),)
