"""Compare an object of the source with its copy, attribute by attribute."""

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from dibs.importing.report import Difference

MASK = "******"
"""What Ironic and Dibs show in place of a secret."""

MASKED = "the source masks secrets; set this one in Dibs by hand"


def differences(
    source: Mapping[str, Any], target: Mapping[str, Any], names: Iterable[str], why: Mapping[str, str] | None = None
) -> Iterator[Difference]:
    """Yield the named attributes that differ; attributes that the source does not have are skipped."""
    for name in names:
        if name in source and not _equal(source[name], target.get(name)):
            yield from _split(name, source[name], target.get(name), (why or {}).get(name, ""))


def without_secrets(value: Any) -> Any:
    """Return the value without masked entries, so that the mask is not stored as the secret."""
    if isinstance(value, dict):
        return {key: without_secrets(each) for key, each in value.items() if each != MASK}
    return value


def _split(name: str, source: Any, target: Any, why: str) -> Iterator[Difference]:
    """Yield one difference per key of an object, because the operator corrects single keys."""
    if not isinstance(source, dict) or not isinstance(target, dict):
        yield Difference(name, source, target, MASKED if source == MASK else why)
        return
    for key in sorted(source.keys() | target.keys()):
        if not _equal(source.get(key), target.get(key)):
            yield from _split(f"{name}/{key}", source.get(key), target.get(key), why)


def _equal(source: Any, target: Any) -> bool:
    """Compare two values; all empty values are equal, the order of lists is ignored, and floats are rounded."""
    if source in (None, "", {}, []) and target in (None, "", {}, []):
        return True
    if isinstance(source, list) and isinstance(target, list):
        return sorted(map(str, source)) == sorted(map(str, target))
    if isinstance(source, float) or isinstance(target, float):
        numbers = isinstance(source, float | int) and isinstance(target, float | int)
        return numbers and math.isclose(source, target, rel_tol=1e-6)
    return bool(source == target)
