import pytest

from dibs.dialects.compute.errors import Refusal
from dibs.dialects.compute.schemas import BOOLEAN, closed, in_version, is_true, read_amount
from dibs.documents.json_schema import find_mistake
from dibs.flavors.model.flavors import AMOUNT_MAX


def test_schema_of_the_newest_version_up_to_the_request_applies() -> None:
    old, new = closed({"a": {}}), closed({"b": {}})
    assert [in_version({1: old, 19: new}, minor) for minor in (1, 18, 19, 61)] == [old, old, new, new]


@pytest.mark.parametrize(
    ("value", "valid"), [(0, False), ("0", False), (1, True), ("12", True), (AMOUNT_MAX + 1, False)]
)
def test_amount_must_be_within_its_bounds_as_a_number_and_as_text(value: object, valid: bool) -> None:
    if valid:
        assert read_amount({"ram": value}, "ram", least=1) == int(str(value))
    else:
        with pytest.raises(Refusal, match="field/attribute ram"):
            read_amount({"ram": value}, "ram", least=1)


def test_every_boolean_word_is_valid_and_half_of_them_are_true() -> None:
    assert all(find_mistake(BOOLEAN, value) is None for value in BOOLEAN["enum"])
    assert find_mistake(BOOLEAN, "maybe") is not None
    assert sum(is_true(value) for value in BOOLEAN["enum"]) * 2 == len(BOOLEAN["enum"])
