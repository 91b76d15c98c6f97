"""Telling two objects apart, attribute by attribute."""

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from dibs.importing.report import Difference

MASK = "******"
"""What Ironic and Dibs show in place of a secret."""

HIDDEN = "the source does not show its secrets: set it here by hand"


def differences(
    there: Mapping[str, Any], here: Mapping[str, Any], names: Iterable[str], why: Mapping[str, str] | None = None
) -> Iterator[Difference]:
    """What is not equal among some attributes. Those that the source does not have are not asked for."""
    for name in names:
        if name in there and not _equal(there[name], here.get(name)):
            yield from _told(name, there[name], here.get(name), (why or {}).get(name, ""))


def without_secrets(value: Any) -> Any:
    """The same without what is masked: the mask must not become the secret."""
    if isinstance(value, dict):
        return {key: without_secrets(each) for key, each in value.items() if each != MASK}
    return value


def _told(name: str, there: Any, here: Any, why: str) -> Iterator[Difference]:
    """Objects are told apart key by key, since one key is what somebody has to mend."""
    if not isinstance(there, dict) or not isinstance(here, dict):
        yield Difference(name, there, here, HIDDEN if there == MASK else why)
        return
    for key in sorted(there.keys() | here.keys()):
        if not _equal(there.get(key), here.get(key)):
            yield from _told(f"{name}/{key}", there.get(key), here.get(key), why)


def _equal(there: Any, here: Any) -> bool:
    """Nothing is nothing, however it is written, and the order of names says nothing."""
    if there in (None, "", {}, []) and here in (None, "", {}, []):
        return True
    if isinstance(there, list) and isinstance(here, list):
        return sorted(map(str, there)) == sorted(map(str, here))
    if isinstance(there, float) or isinstance(here, float):
        return (
            isinstance(there, float | int) and isinstance(here, float | int) and math.isclose(there, here, rel_tol=1e-6)
        )
    return bool(there == here)
