import json

import pytest

from dibs.leases.model.errors import BadLease, MalformedRequirements
from dibs.leases.model.matching.requirements import COUNT_MAX, DEPTH_MAX, about_traits, check_count, check_known, parse
from tests.leases.model.matching.calendars import make_host

HOST = make_host(1, processors=16, traits=frozenset({"CUSTOM_A"}), properties={"gpu": "a100"})


@pytest.mark.parametrize(
    ("requirement", "met"),
    [
        (["==", "$gpu", "a100"], True),
        (["!=", "$gpu", "a100"], False),
        (["!=", "$rack", "r1"], False),
        ([">=", "$vcpus", "16"], True),
        ([">", "$vcpus", "9"], True),
        (["<", "$vcpus", "16"], False),
        (["=", "$hypervisor_hostname", "h1"], True),
        (["==", "$trait:CUSTOM_A", "required"], True),
        (["==", "$trait:CUSTOM_A", "forbidden"], False),
        (["==", "$trait:CUSTOM_B", "forbidden"], True),
        (["and", ["==", "$gpu", "a100"], [">=", "$vcpus", "17"]], False),
        (["or", ["==", "$gpu", "h100"], [">=", "$vcpus", "16"]], True),
        (["or", ["==", "$gpu", "h100"], [">=", "$vcpus", "17"]], False),
        (["or", ["==", "$gpu", "a100"]], True),
        (["not", ["==", "$gpu", "a100"]], False),
        (["not", ["==", "$rack", "r1"]], True),
        (["not", ["==", "$trait:CUSTOM_B", "required"]], True),
        (["not", ["and", ["==", "$gpu", "a100"], [">", "$vcpus", "16"]]], True),
        (["and", [">=", "$vcpus", "1"], ["or", ["==", "$gpu", "x"], ["not", ["==", "$gpu", "y"]]]], True),
        (["not", ["or", ["==", "$gpu", "x"], ["and", ["==", "$gpu", "a100"], [">=", "$vcpus", "16"]]]], False),
        ([], True),
    ],
    ids=str,
)
def test_host_is_compared_with_requirements(requirement: list[object], met: bool) -> None:
    assert all(each.met_by(HOST) for each in parse(json.dumps(requirement))) == met


@pytest.mark.parametrize(
    "text",
    ["x", "5", '["==", "$a"]', '["~", "$a", "b"]', '["==", "a", "b"]', '["==", "$", "b"]', '["==", "$vcpus", "many"]',
     '["==", "$a", 5]', '["!=", "$trait:CUSTOM_A", "required"]', '["==", "$trait:CUSTOM_A", "yes"]',
     '["or"]', '["or", []]', '["or", "x", "y"]', '["not"]', '["not", []]', '["not", ["and", []]]',
     '["not", ["==", "$a", "b"], ["==", "$a", "c"]]', '["nor", ["==", "$a", "b"], ["==", "$a", "c"]]',
     '["and", ' * (DEPTH_MAX + 1) + '["==", "$a", "b"]' + "]" * (DEPTH_MAX + 1),
     '["not", ' * (DEPTH_MAX + 1) + '["==", "$a", "b"]' + "]" * (DEPTH_MAX + 1)],
)  # fmt: skip
def test_malformed_requirements_are_refused(text: str) -> None:
    with pytest.raises(MalformedRequirements):
        parse(text)


def test_empty_text_requires_nothing() -> None:
    assert parse(None) == parse("") == ()


def test_property_that_no_host_ever_had_is_refused() -> None:
    check_known(parse('["and", ["==", "$gpu", "a"], [">=", "$vcpus", "1"], ["==", "$trait:X", "required"]]'), {"gpu"})
    with pytest.raises(BadLease, match="No host has the property rack"):
        check_known(parse('["==", "$rack", "r1"]'), {"gpu"})


def test_lease_has_a_limited_number_of_requirements() -> None:
    enough = about_traits(["CUSTOM_A"] * COUNT_MAX, [])
    check_count(enough)
    with pytest.raises(BadLease, match="A lease has at most 100 requirements, and this one has 101"):
        check_count([*enough, enough[0]])


def test_words_have_a_singular_and_a_plural() -> None:
    required, forbidden = about_traits(["CUSTOM_A"], ["CUSTOM_B"])
    (compared,) = parse('["==", "$gpu", "a100"]')
    assert [required.words(1), forbidden.words(1)] == ["lacks CUSTOM_A", "has CUSTOM_B"]
    assert [required.words(2), forbidden.words(2)] == ["lack CUSTOM_A", "have CUSTOM_B"]
    assert compared.words(2) == "lack gpu == 'a100'"


def test_combination_is_limited_and_known_by_its_comparisons() -> None:
    one_of = json.dumps(["or", *(["==", "$gpu", str(number)] for number in range(COUNT_MAX + 1))])
    with pytest.raises(BadLease, match="at most 100 requirements, and this one has 101"):
        check_count(parse(one_of))
    with pytest.raises(BadLease, match="No host has the property rack"):
        check_known(parse('["not", ["or", ["==", "$gpu", "a"], ["==", "$rack", "r1"]]]'), {"gpu"})


def test_combination_is_explained_in_words() -> None:
    large_without_x = ["and", [">", "$vcpus", "8"], ["==", "$trait:X", "forbidden"]]
    (combined,) = parse(json.dumps(["or", ["==", "$gpu", "a"], ["not", large_without_x]]))
    assert combined.words(1) == "does not meet gpu == 'a' or (not (vcpus > '8' and not X))"
    assert combined.words(2).startswith("do not meet ")
