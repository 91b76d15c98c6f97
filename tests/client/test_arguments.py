"""Checks of arguments, in every call that takes a list of names."""

from collections.abc import Callable
from typing import Any

import pytest

from dibs.client import Dibs
from dibs.client.arguments import names_in

CALLS: dict[str, Callable[[Dibs, Any], object]] = {
    "traits": lambda dibs, value: dibs.allocations.create("gold", traits=value),
    "candidate_nodes": lambda dibs, value: dibs.allocations.create_many("gold", 2, candidate_nodes=value),
    "nodes": lambda dibs, value: dibs.reservations.create(value),
    "traits_any": lambda dibs, value: dibs.candidates({"CUSTOM_GOLD": 1}, traits_any=value),
    "not_traits": lambda dibs, value: dibs.nodes.list(not_traits=value),
    "not_traits_any": lambda dibs, value: dibs.nodes.list(not_traits_any=value),
    "properties": lambda dibs, value: dibs.leases.why("2090-01-01 10:00", hosts(properties=value)),
}


def hosts(properties: Any) -> dict[str, Any]:
    from dibs.client import hosts

    return hosts(properties=properties)


@pytest.mark.parametrize("argument", CALLS)
def test_a_string_instead_of_a_list_is_a_type_error_and_nothing_is_sent(argument: str) -> None:
    nowhere = Dibs.connect("http://127.0.0.1:9")
    with pytest.raises(TypeError, match=f"{argument} must be a list"):
        CALLS[argument](nowhere, "CUSTOM_GPU")


def test_why_and_borrowed_check_their_lists() -> None:
    nowhere: Any = Dibs.connect("http://127.0.0.1:9")
    with pytest.raises(TypeError, match="traits must be a list"):
        nowhere.why("gold", traits="CUSTOM_GPU")
    with pytest.raises(TypeError, match="traits must be a list"), nowhere.allocations.borrowed("gold", traits="CUSTOM"):
        pass


@pytest.mark.parametrize(
    "call",
    [
        lambda dibs: dibs.nodes.list(trait=["CUSTOM_GPU"]),
        lambda dibs: dibs.allocations.list(status="active"),
        lambda dibs: dibs.allocations.create("gold", trait=["CUSTOM_GPU"]),
        lambda dibs: dibs.leases.update("training", until="2090-01-01 10:00"),
    ],
)
def test_an_unknown_argument_is_a_type_error(call: Callable[[Any], object]) -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument"):
        call(Dibs.connect("http://127.0.0.1:9"))


def test_lists_tuples_and_sets_of_strings_are_accepted() -> None:
    assert names_in("traits", ["A", "B"]) == names_in("traits", ("A", "B")) == ["A", "B"]
    assert names_in("traits", {"A"}) == ["A"]
    with pytest.raises(TypeError, match="contains 3"):
        names_in("traits", ["A", 3])  # type: ignore[list-item]
