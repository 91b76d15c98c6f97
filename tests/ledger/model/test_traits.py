"""Names of traits."""

import pytest

from dibs.ledger.model.errors import InvalidTrait
from dibs.ledger.model.traits import TRAIT_LENGTH_MAX, check_trait, check_traits


@pytest.mark.parametrize("name", ["HW_CPU_X86_VMX", "CUSTOM_A", "CUSTOM_0_", "CUSTOM_" + "A" * (TRAIT_LENGTH_MAX - 7)])
def test_standard_and_custom_names_are_valid(name: str) -> None:
    check_trait(name)


@pytest.mark.parametrize("name", ["", "HW_CPU_MINE", "CUSTOM_", "CUSTOM_a", "custom_A", "CUSTOM_A\n", "CUSTOM_A B"])
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(InvalidTrait, match="does not match"):
        check_trait(name)


def test_a_name_that_is_too_long_is_refused_and_shortened_in_the_message() -> None:
    with pytest.raises(InvalidTrait, match="at most 255 characters") as refused:
        check_trait("CUSTOM_" + "A" * 10_000)
    assert len(str(refused.value)) < 200


def test_the_first_invalid_name_of_several_is_named() -> None:
    with pytest.raises(InvalidTrait, match="'first'"):
        check_traits(["CUSTOM_A", "first", "second"])
