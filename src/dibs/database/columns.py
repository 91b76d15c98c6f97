"""Store the attributes of a struct in columns: truth values as 0 and 1, mappings as JSON (docs/adr/0003)."""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import fields

from dibs.database.errors import SecretsLocked
from dibs.errors import BadValue
from dibs.extras import needs_extra

if TYPE_CHECKING:
    from cryptography.fernet import MultiFernet

WRITTEN_BYTES_MAX = 6 * 1024 * 1024
"""Maximum size of the values that are written to a row at once. A request body fits, and a MariaDB packet of 16 MiB
holds it even when every character is escaped. On a larger packet MariaDB closes the connection."""

_BYTES_OF_A_CHARACTER_MAX = 4

SEALED = "fernet:"
"""The beginning of an encrypted value; JSON objects begin with a brace."""


class Vault:
    """Encrypts secrets before they are stored, and decrypts them. Without keys it stores them as they are.

    The first key encrypts, and every key decrypts, so that keys can be replaced one after the other. What was stored
    before there was a key stays readable.
    """

    def __init__(self, keys: Sequence[str] = ()) -> None:
        self._fernet = _fernet(keys) if keys else None

    def seal(self, text: str) -> str:
        """Return the stored form of a JSON object. An empty one is no secret."""
        if self._fernet is None or text == "{}":
            return text
        return SEALED + self._fernet.encrypt(text.encode()).decode()

    def unseal(self, stored: str) -> str:
        """Return a JSON object from its stored form."""
        if not stored.startswith(SEALED):
            return stored
        if self._fernet is None:
            raise SecretsLocked()
        from cryptography.fernet import InvalidToken

        try:
            return self._fernet.decrypt(stored.removeprefix(SEALED)).decode()
        except InvalidToken as error:
            raise SecretsLocked() from error


CLEAR = Vault()
"""Encrypts nothing."""


class Columns:
    """Converts between the attributes of one struct and columns."""

    def __init__(self, model: type[Struct], secret: Collection[str] = ()) -> None:
        self.secret = frozenset(secret)
        """Attributes, all of them mappings, that the vault of a transaction encrypts."""
        annotations = {attribute.name: str(attribute.type) for attribute in fields(model)}
        self.names = tuple(annotations)
        self._flags = frozenset(name for name, annotation in annotations.items() if "bool" in annotation)
        self._structures = frozenset(name for name, annotation in annotations.items() if "Mapping" in annotation)
        self._decoders: dict[str, Callable[[Any], Any]] = {
            **dict.fromkeys(self._structures - self.secret, _structure),
            **dict.fromkeys(self._flags, _flag),
        }

    @property
    def structures(self) -> frozenset[str]:
        """The columns that store JSON."""
        return self._structures

    def encode(self, values: Mapping[str, Any], vault: Vault = CLEAR) -> dict[str, Any]:
        """Return the stored form of attributes; raise BadValue when they do not fit into one statement."""
        encoded = {name: self._encode(name, value) for name, value in values.items()}
        sizes = {name: len(value) for name, value in encoded.items() if isinstance(value, str)}
        if sum(sizes.values()) * _BYTES_OF_A_CHARACTER_MAX > WRITTEN_BYTES_MAX:
            sizes = {name: len(encoded[name].encode()) for name in sizes}
            if sum(sizes.values()) > WRITTEN_BYTES_MAX:
                largest = max(sizes, key=sizes.__getitem__)
                raise BadValue(
                    reason=f"Field {largest}: together the values are larger than {WRITTEN_BYTES_MAX} bytes."
                )
        for name in self.secret.intersection(encoded):
            encoded[name] = vault.seal(encoded[name])
        return encoded

    def _encode(self, name: str, value: Any) -> Any:
        if name in self._structures:
            return "{}" if value == {} else json.dumps(value, separators=(",", ":"), ensure_ascii=False)
        return int(value) if name in self._flags and value is not None else value

    def decode_column(self, name: str, values: Sequence[Any], vault: Vault = CLEAR) -> Sequence[Any]:
        """Return one attribute of several rows."""
        if name in self._flags:
            return [None if value is None else bool(value) for value in values]
        if name not in self._structures:
            return values
        texts = map(vault.unseal, values) if name in self.secret else values
        # Not a call for each value: a page has thousands of them.
        return [{} if text == "{}" else json.loads(text) for text in texts]

    def decode(self, row: Mapping[str, Any], vault: Vault = CLEAR) -> dict[str, Any]:
        """Return the attributes of a complete row."""
        decoded = {**row, **{name: decoder(row[name]) for name, decoder in self._decoders.items()}}
        for name in self.secret:
            decoded[name] = _structure(vault.unseal(row[name]))
        return decoded


def _structure(text: str) -> Any:
    """Parse JSON. Most values are "{}"; not parsing them saves a quarter of the time of a detailed list."""
    return {} if text == "{}" else json.loads(text)


def _flag(value: int | None) -> bool | None:
    return None if value is None else bool(value)


def _fernet(keys: Sequence[str]) -> "MultiFernet":
    """Return the cipher; the library is imported only when there are keys, because it costs time at start."""
    with needs_extra("encryption", "Encryption of secrets"):
        from cryptography.fernet import Fernet, MultiFernet
    try:
        return MultiFernet([Fernet(key) for key in keys])
    except ValueError as error:
        raise BadValue(reason=f"A key for secrets must be 32 bytes in URL-safe base64: {error}") from error
