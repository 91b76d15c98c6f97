from collections.abc import Mapping
from typing import Any

import pytest
from msgspec import Struct

from dibs.database.columns import WRITTEN_BYTES_MAX, Columns
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
