"""Checks against JSON schemas."""

import pytest

from dibs.dialects.placement.errors import Refusal
from dibs.dialects.placement.schemas import NAME, UUID, check, closed, in_version


def test_a_mistake_is_named_with_the_keyword_and_its_position_in_the_schema() -> None:
    with pytest.raises(Refusal) as refused:
        check(closed({"name": NAME}, "name"), {"name": "x" * 201}, "JSON does not validate: ")
    assert refused.value.status == 400
    assert refused.value.message.startswith("JSON does not validate: ")
    assert refused.value.message.endswith("Failed validating 'maxLength' in schema['properties']['name']")


@pytest.mark.parametrize("value", [{}, {"uuid": "no"}, {"uuid": "1" * 32, "colour": "red"}])
def test_a_closed_object_has_its_required_properties_and_no_others(value: object) -> None:
    schema = closed({"uuid": UUID}, "uuid")
    check(schema, {"uuid": "1" * 32}, "")
    with pytest.raises(Refusal):
        check(schema, value, "")


def test_a_version_has_the_newest_schema_up_to_it() -> None:
    schemas = {0: {"const": "old"}, 14: {"const": "new"}}
    assert [in_version(schemas, minor)["const"] for minor in (0, 13, 14, 39)] == ["old", "old", "new", "new"]
