from collections.abc import Mapping
from typing import Any

import pytest
from cryptography.fernet import Fernet
from msgspec import Struct

from dibs.database.columns import CLEAR, WRITTEN_BYTES_MAX, Columns, Vault
from dibs.database.errors import SecretsLocked
from dibs.errors import BadValue


class Thing(Struct, frozen=True):
    name: str
    locked: bool | None
    extra: Mapping[str, Any]


COLUMNS = Columns(Thing)


@pytest.mark.parametrize("locked", [True, False, None])
def test_attributes_survive_storage(locked: bool | None) -> None:
    attributes = {"name": "a", "locked": locked, "extra": {"ä": [1]}}
    assert COLUMNS.decode(COLUMNS.encode(attributes)) == attributes


def test_truth_values_are_numbers_and_mappings_are_json() -> None:
    assert COLUMNS.encode({"locked": True, "extra": {"a": 1}}) == {"locked": 1, "extra": '{"a":1}'}


def test_values_that_do_not_fit_into_a_statement_are_refused() -> None:
    COLUMNS.encode({"name": "a" * WRITTEN_BYTES_MAX})
    with pytest.raises(BadValue, match="Field name"):
        COLUMNS.encode({"name": "a" * WRITTEN_BYTES_MAX, "extra": {"b": 1}})


KEYS = [Fernet.generate_key().decode() for _ in range(2)]


def test_vault_encrypts_and_decrypts() -> None:
    vault = Vault(KEYS)
    sealed = vault.seal('{"password":"secret"}')
    assert "secret" not in sealed
    assert vault.unseal(sealed) == '{"password":"secret"}'


def test_vault_reads_what_was_stored_before_there_was_a_key() -> None:
    assert Vault(KEYS).unseal('{"password":"secret"}') == '{"password":"secret"}'
    assert CLEAR.seal('{"password":"secret"}') == '{"password":"secret"}'


def test_every_key_decrypts_and_the_first_encrypts() -> None:
    old, new = KEYS
    sealed = Vault([old]).seal('{"a":1}')
    both = Vault([new, old])
    assert both.unseal(sealed) == '{"a":1}'
    assert Vault([new]).unseal(both.seal('{"a":1}')) == '{"a":1}'


@pytest.mark.parametrize("vault", [CLEAR, Vault(KEYS[1:])])
def test_secret_of_another_key_is_locked(vault: Vault) -> None:
    with pytest.raises(SecretsLocked, match="secret_keys_file"):
        vault.unseal(Vault(KEYS[:1]).seal('{"a":1}'))


def test_text_that_is_no_key_is_refused() -> None:
    with pytest.raises(BadValue, match="32 bytes"):
        Vault(["short"])
