"""Values against schemas."""

from typing import Any

import pytest

from dibs.documents import json_schema
from dibs.documents.json_schema import find_mistake, is_uuid

SCHEMA = {
    "type": "object",
    "properties": {"id": {"type": "string", "format": "uuid"}, "size": {"type": "integer", "minimum": 1}},
    "additionalProperties": False,
}
UUID = "6b0b7f4c-8a8e-4a0f-8e8d-2f5b0c1d2e3a"


def test_a_value_that_fits_has_no_mistake() -> None:
    assert find_mistake(SCHEMA, {"id": UUID, "size": 1}) is None


def test_a_mistake_says_what_and_where_and_which_rule() -> None:
    mistake = find_mistake(SCHEMA, {"size": 0})
    assert mistake is not None
    assert str(mistake) == "0 is less than the minimum of 1 (at size)"
    assert (mistake.rule, mistake.rule_path) == ("minimum", ("properties", "size"))


def test_size_is_checked_before_the_elements() -> None:
    schema = {"type": "array", "items": {"type": "string"}, "maxItems": 2}
    mistake = find_mistake(schema, [1, 2, 3])
    assert mistake is not None
    assert mistake.rule == "maxItems"


def test_check_stops_at_the_first_mistake() -> None:
    looked_at = set()

    class Watched(dict[str, int]):
        """An object that notes when it is looked at."""

        def items(self) -> Any:
            looked_at.add(id(self))
            return super().items()

    schema = {"type": "array", "items": {"type": "object", "patternProperties": {"a": {"type": "string"}}}}
    values = [Watched(a=1) for _ in range(100)]
    assert find_mistake(schema, values) is not None
    assert looked_at == {id(values[0])}


def test_mistake_in_an_alternative_names_the_closest_one() -> None:
    schema = {"anyOf": [{"type": "integer", "minimum": 0}, {"type": "null"}]}
    mistake = find_mistake(schema, -1)
    assert mistake is not None
    assert mistake.rule == "minimum"


@pytest.mark.parametrize("text", [UUID, UUID.upper(), UUID.replace("-", "")])
def test_a_uuid_may_be_written_in_several_ways(text: str) -> None:
    assert is_uuid(text)


@pytest.mark.parametrize("text", ["", "x", UUID + "0", f"{{{UUID}}}", f"urn:uuid:{UUID}"])
def test_what_is_no_uuid_is_found(text: str) -> None:
    assert not is_uuid(text)
    assert find_mistake(SCHEMA, {"id": text}) is not None


def test_schemas_made_anew_each_time_do_not_fill_the_memory() -> None:
    for _ in range(json_schema.ACCEPTORS_MAX * 2):
        find_mistake({"type": "integer"}, 1)
    assert len(json_schema._ACCEPTORS) <= json_schema.ACCEPTORS_MAX
