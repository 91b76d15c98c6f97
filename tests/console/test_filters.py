"""Filters that users type."""

import pytest

from dibs.console.errors import Refusal
from dibs.console.filters import command_options, parse
from dibs.machines.model.node_query import Contains, Equals, Held, OneOf, Traits


def test_words_of_a_filter_are_conditions() -> None:
    assert parse("class:gold,silver trait:CUSTOM_A not-trait:CUSTOM_B,CUSTOM_C owner:p r1-") == (
        OneOf("resource_class", ("gold", "silver")),
        Traits(("CUSTOM_A",)),
        Traits(("CUSTOM_B", "CUSTOM_C"), any_of=True, negated=True),
        Equals("owner", "p"),
        Contains("name", "r1-"),
    )
    assert Held(False) in parse("free")


@pytest.mark.parametrize("text", ["colour:red", "class:", "x" * 501, "a " * 21])
def test_filter_without_a_meaning_is_refused(text: str) -> None:
    with pytest.raises(Refusal) as refused:
        parse(text)
    assert refused.value.status == 400


def test_command_has_the_options_of_the_filter() -> None:
    assert command_options("class:gold trait:A,B free r1") == (
        "dibs node list --resource-class gold --trait A --trait B --free"
    )
