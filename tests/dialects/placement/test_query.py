"""The query string: values and their syntax."""

from collections.abc import Callable
from typing import Any

import pytest

from dibs.dialects.placement.errors import Refusal
from dibs.dialects.placement.query import Query, read_in_tree, read_member_of, read_required, read_resources
from dibs.ledger.model.criteria import ANYTHING, Criteria

A = "6b0b7f4c-8a8e-4a0f-8e8d-2f5b0c1d2e3a"
B = "0f1e2d3c-4b5a-4678-8765-43210fedcba9"


def query(name: str, *values: str) -> Query:
    return Query((name, value) for value in values)


def refusal(read: Callable[..., Any], *arguments: Any) -> str:
    with pytest.raises(Refusal) as refused:
        read(*arguments)
    assert refused.value.status == 400
    return refused.value.message


def test_resources_are_amounts_by_class() -> None:
    assert read_resources("VCPU:2,MEMORY_MB:1024") == {"VCPU": 2, "MEMORY_MB": 1024}


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("", "Got: empty string"),
        ("VCPU", "Got: VCPU."),
        ("VCPU:1:2", "Got: VCPU:1:2."),
        ("VCPU:a", "expected positive integer amount. Got: a."),
        ("VCPU:0", "requires amount >= 1. Got: 0."),
        ("VCPU:1,", "Badly formed resources parameter"),
    ],
)
def test_bad_resources_are_400(value: str, words: str) -> None:
    assert words in refusal(read_resources, value)


def test_an_amount_beyond_every_inventory_is_capped() -> None:
    assert read_resources("VCPU:" + "9" * 30) == {"VCPU": 2**31}


def test_required_and_forbidden_traits() -> None:
    read = read_required(query("required", "HW_A, !HW_B,!!HW_C"), 22)
    assert read == Criteria(required=(frozenset({"HW_A"}),), forbidden=frozenset({"HW_B", "HW_C"}))


def test_any_of_several_traits_and_repeated_parameters() -> None:
    read = read_required(query("required1", "in:HW_A,HW_B", "HW_C"), 39, "1")
    assert read.required == (frozenset({"HW_A", "HW_B"}), frozenset({"HW_C"}))


def test_before_1_39_the_last_of_repeated_parameters_counts() -> None:
    assert read_required(query("required", "HW_A", "HW_B"), 38).required == (frozenset({"HW_B"}),)


@pytest.mark.parametrize(
    ("value", "minor", "words"),
    [
        ("!HW_A", 21, "HW_CPU_X86_VMX,CUSTOM_MAGIC. Got: !HW_A"),
        ("HW_A,,HW_B", 39, "Got an empty trait in: HW_A,,HW_B"),
        ("!", 39, "Got an empty trait in: !"),
        ("in:HW_A", 38, "only supported since microversion 1.39"),
        ("in:HW_A,", 39, "Got an empty trait in: in:HW_A,"),
        ("in:HW_A,!HW_B", 39, "does not support forbidden traits"),
    ],
)
def test_bad_traits_are_400(value: str, minor: int, words: str) -> None:
    assert words in refusal(read_required, query("required", value), minor)


def test_required_and_forbidden_aggregates() -> None:
    read = read_member_of(query("member_of", A, f"in:{A},{B}", f"!{A}", f"!in:{B}"), 32)
    assert read.required == (frozenset({A}), frozenset({A, B}))
    assert read.forbidden == {A, B}


@pytest.mark.parametrize(
    ("values", "minor", "words"),
    [
        ((A, B), 23, "Multiple member_of parameters are not supported"),
        ((f"!{A}",), 31, "Forbidden member_of parameters are not supported"),
        ((f"{A},{B}",), 39, "must be prefixed with the 'in:' or '!in:' keyword"),
        (("x",), 39, "to contain valid UUID(s). Got: x"),
        ((f"in:{A},",), 39, "to contain valid UUID(s). Got: "),
    ],
)
def test_bad_aggregates_are_400(values: tuple[str, ...], minor: int, words: str) -> None:
    assert words in refusal(read_member_of, query("member_of", *values), minor)


def test_missing_parameters_require_nothing() -> None:
    assert read_required(Query(()), 39) == read_member_of(Query(()), 39) == ANYTHING


def test_in_tree_is_the_uuid_of_a_provider() -> None:
    assert read_in_tree(f" {A} ") == A
    assert "to be a format of uuid. Got: x" in refusal(read_in_tree, "x")
