"""Masks passwords and tokens in the free-form attributes of a node."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

MASK = "******"

_SECRET_WORDS = (
    "password", "passwd", "passphrase", "secret", "token", "credential", "private_key", "api_key", "apikey",
    "auth_key", "priv_key", "adminpass", "admin_pass", "rescue_pass", "encryption_key",
)  # fmt: skip
_SECRET_KEYS = frozenset({"snmp_auth_key", "snmp_priv_key", "pass"})


@lru_cache(maxsize=4_096)
def is_secret(key: str) -> bool:
    """Return True when the value of this key is a secret."""
    lowered = key.lower()
    return lowered in _SECRET_KEYS or any(word in lowered for word in _SECRET_WORDS)


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
    return MASK if is_secret(key) and value not in (None, "") else value
