"""Masks passwords, keys and tokens in the free-form attributes of a node."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

MASK = "******"

_SECRET_WORDS = (
    "password", "passwd", "passphrase", "pwd", "secret", "token", "credential", "private_key", "apikey", "adminpass",
)  # fmt: skip
_SECRET_ENDS = ("_pass", "_key")
_SECRET_KEYS = frozenset({"pass", "key"})
_IN_URL = re.compile(r"(?<=://)[^/\s@]*:[^/\s@]*(?=@)")
"""User and password in a URL."""


@lru_cache(maxsize=4_096)
def is_secret(key: str) -> bool:
    """Return True when the value of this key is a secret."""
    lowered = key.lower()
    named = lowered in _SECRET_KEYS or lowered.endswith(_SECRET_ENDS)
    return named or any(word in lowered for word in _SECRET_WORDS)


def mask_secrets(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the document with every secret masked, at any depth; null and empty text stay."""
    return {key: _mask(key, value) for key, value in document.items()}


def mask_keys(document: dict[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    """Return the document with the values of these keys masked."""
    return {key: MASK if key in keys and value else value for key, value in document.items()}


def _mask(key: str, value: Any) -> Any:
    if isinstance(value, Mapping):
        return mask_secrets(value)
    if isinstance(value, list):
        return [_mask(key, entry) for entry in value]
    if is_secret(key) and value not in (None, ""):
        return MASK
    return _IN_URL.sub(MASK, value) if isinstance(value, str) and "://" in value else value
