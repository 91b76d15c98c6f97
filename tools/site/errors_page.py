"""The reference of errors and reason codes, from the classes and each dialect's table."""

import importlib
import re
from collections.abc import Mapping
from typing import Any

import http_pages
from tables import code, plain, table

from dibs.allocations.model import shortages
from dibs.dialects.placement.errors import Code
from dibs.errors import DibsError, every_error

_INTRODUCTION = """\
# Errors and reason codes

Every refusal has a message with the reason; names in braces stand for values of the request. The status depends on the
API. [When something fails](../howto/when-something-fails.md) says what to do about the frequent ones.

## Errors

The *code* is `error.code` in the Dibs API (`/dibs`). An API without a status for an error never raises it.
"""

_PLACEMENT = """\
## Codes of the placement API

Since version 1.23, an error of `/placement` has a `code` for programs.
"""

_REASONS = """\
## Why there is no node

`last_error` of an allocation, and `GET /dibs/v1/why`, count the nodes of the class under the first reason that
applies. The *code* is for programs, the words are for people.
"""

_ADVICE = {
    shortages.FREE: "It is available now.",
    shortages.IN_USE: "It has an instance, or its unit is claimed. Wait for its teardown.",
    shortages.HELD: "A reservation holds it until the `expires_at` of the reservation.",
    shortages.IN_MAINTENANCE: "An operator took it out of service; `maintenance_reason` says why.",
    shortages.NOT_AVAILABLE: "Its provision state is not `available`: it is new, being cleaned, or failed.",
    shortages.RETIRED: "It is no longer allocated.",
    shortages.POWER_UNKNOWN: "Its power state is not known yet.",
    shortages.LOCKED: "A conductor is working on it.",
    shortages.PROMISED: "An earlier allocation in the queue waits for a node like it.",
}


def page() -> str:
    """Return the page."""
    words = [[code(key.replace(" ", "_")), said, _ADVICE.get(key, "")] for key, said in shortages.WORDS.items()]
    words.append([code("lacks:TRAIT"), "lacks TRAIT", "It lacks that trait; the first missing trait is named."])
    codes = [[code(value), _errors_with(value)] for value in Code]
    return "\n".join(
        [
            _INTRODUCTION,
            _errors(),
            "",
            _PLACEMENT,
            table(["code", "sent for"], codes),
            "",
            _REASONS,
            table(["code", "words", "meaning"], words),
            "",
        ]
    )


def _errors() -> str:
    answers = _answers()
    rows = [
        [code(_code_of(kind)), plain(_message(kind)), *(str(known.get(kind, "")) for known in answers.values())]
        for kind in every_error()
        if kind is not DibsError
    ]
    return table(["code", "message", *answers], rows)


def _answers() -> dict[str, Mapping[type, int]]:
    """Return the status of each error, by dialect."""
    found = {}
    for dialect in http_pages.dialects():
        package = type(dialect).__module__.rpartition(".")[0]
        known = importlib.import_module(f"{package}.errors")
        statuses: Mapping[type, Any] = getattr(known, "ANSWERS", None) or known.STATUSES
        found[dialect.mount] = {kind: _status(answer) for kind, answer in statuses.items()}
    return found


def _status(answer: Any) -> int:
    return int(answer[0] if isinstance(answer, tuple) else answer)


def _message(kind: type) -> str:
    return " ".join((kind.__doc__ or "").split())


def _code_of(kind: type) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", kind.__name__).lower()


def _errors_with(wanted: Code) -> str:
    table_of_placement = importlib.import_module("dibs.dialects.placement.errors").ANSWERS
    kinds = [kind for kind, (_, found) in table_of_placement.items() if found is wanted]
    if wanted is Code.UNDEFINED:
        return "everything else"
    return ", ".join(code(_code_of(kind)) for kind in kinds) or "errors in the request itself"
