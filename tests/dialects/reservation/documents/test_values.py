from typing import Any

import pytest

from dibs.dialects.reservation.documents.values import (
    NAME_LENGTH_MAX,
    NUMBER_MAX,
    read_affinity,
    read_amount,
    read_before_end,
    read_name,
    read_number,
    read_requirements,
    require,
)
from dibs.dialects.reservation.errors import Refusal


@pytest.mark.parametrize("value", ["5", 1.5, True, None, NUMBER_MAX + 1])
def test_malformed_number_is_refused(value: Any) -> None:
    assert read_number({"n": NUMBER_MAX}, "n") == NUMBER_MAX
    with pytest.raises(Refusal, match="Malformed parameter n"):
        read_number({"n": value}, "n")


def test_number_below_its_minimum_is_refused() -> None:
    with pytest.raises(Refusal, match="greater than or equal to 1"):
        read_number({"n": 0}, "n", least=1)
    with pytest.raises(Refusal, match="amount must be >= 1"):
        read_amount({"amount": 0})


@pytest.mark.parametrize(("value", "affinity"), [(None, None), (True, True), ("False", False), (" none ", None)])
def test_affinity_is_a_value_or_a_word(value: Any, affinity: bool | None) -> None:
    assert read_affinity(value) is affinity
    with pytest.raises(Refusal):
        read_affinity("zap")


def test_requirements_are_a_string_or_null() -> None:
    assert read_requirements({"p": None}, "p") == ""
    assert read_requirements({"p": "[]"}, "p") == "[]"
    with pytest.raises(Refusal):
        read_requirements({"p": []}, "p")


def test_before_end_action_is_one_of_two() -> None:
    assert (read_before_end(""), read_before_end("snapshot")) == ("default", "snapshot")
    with pytest.raises(Refusal):
        read_before_end("explode")


@pytest.mark.parametrize("name", [5, None, "x" * (NAME_LENGTH_MAX + 1)])
def test_malformed_name_is_refused(name: Any) -> None:
    assert read_name("x" * NAME_LENGTH_MAX)
    with pytest.raises(Refusal):
        read_name(name)


def test_all_missing_parameters_are_named() -> None:
    with pytest.raises(Refusal, match="Missing parameter a, c"):
        require({"b": None}, ("a", "b", "c"))
