"""The query string of GET /allocation_candidates."""

from urllib.parse import parse_qsl

import pytest

from dibs.candidates.model.candidate_query import CandidateQuery, RequestGroup
from dibs.dialects.placement.errors import Code, Refusal
from dibs.dialects.placement.handlers.candidate_query import read_query
from dibs.dialects.placement.query import Query
from dibs.ledger.model.criteria import Criteria

UUID = "11111111-1111-4111-8111-111111111111"


def read(query: str, minor: int = 39) -> CandidateQuery:
    return read_query(Query(parse_qsl(query, keep_blank_values=True)), minor, nested=True)


def one_of(*names: str) -> frozenset[str]:
    return frozenset(names)


def test_all_parameters_together() -> None:
    question = read(
        f"resources=VCPU:1,MEMORY_MB:2&required=A,!B&required=in:C,D&member_of=!{UUID}&in_tree={UUID}"
        "&resources_NET=CUSTOM_VF:1&required_TOP=E&same_subtree=_NET,_TOP&group_policy=isolate"
        "&root_required=F,!G&limit=7"
    )
    assert question == CandidateQuery(
        groups=(
            RequestGroup(
                resources={"VCPU": 1, "MEMORY_MB": 2},
                traits=Criteria(required=(one_of("A"), one_of("C", "D")), forbidden=one_of("B")),
                aggregates=Criteria(forbidden=one_of(UUID)),
                in_tree=UUID,
            ),
            RequestGroup(suffix="_NET", resources={"CUSTOM_VF": 1}),
            RequestGroup(suffix="_TOP", traits=Criteria(required=(one_of("E"),))),
        ),
        isolate=True,
        root_traits=Criteria(required=(one_of("F"),), forbidden=one_of("G")),
        same_subtrees=(one_of("_NET", "_TOP"),),
        limit=7,
    )


def test_of_repeated_parameters_the_first_limit_and_policy_and_the_last_resources_count() -> None:
    question = read("resources=VCPU:1&resources=VCPU:2&limit=3&limit=4&group_policy=isolate&group_policy=none")
    assert question.groups[0].resources == {"VCPU": 2}
    assert question.limit == 3
    assert question.isolate


def test_a_limit_of_many_digits_is_no_limit() -> None:
    assert read(f"resources=VCPU:1&limit=1{'0' * 5_000}").limit is None


@pytest.mark.parametrize(
    ("minor", "query"),
    [
        (15, "resources=VCPU:1&limit=1"),
        (16, "resources=VCPU:1&required=A"),
        (20, f"resources=VCPU:1&member_of={UUID}"),
        (21, "resources=VCPU:1&required=!A"),
        (24, "resources1=VCPU:1"),
        (24, "resources=VCPU:1&group_policy=none"),
        (30, f"resources=VCPU:1&in_tree={UUID}"),
        (31, f"resources=VCPU:1&member_of=!{UUID}"),
        (32, "resources_A=VCPU:1"),
        (34, "resources=VCPU:1&root_required=A"),
        (35, "resources1=VCPU:1&same_subtree=1"),
        (38, "resources=VCPU:1&required=in:A,B"),
    ],
)
def test_each_parameter_is_refused_before_its_first_version(minor: int, query: str) -> None:
    with pytest.raises(Refusal) as refused:
        read(query, minor)
    assert refused.value.status == 400
    assert read(query, minor + 1).groups


@pytest.mark.parametrize(
    ("query", "message", "code"),
    [
        ("", "at least one resources", Code.MISSING_VALUE),
        ("required1=A&same_subtree=1", "at least one resources", Code.MISSING_VALUE),
        ("resources=VCPU:1&required1=A", "bad group(s) - ['1']", Code.BAD_VALUE),
        ("resources=VCPU:1&same_subtree=_A", "['_A'] not found in ['']", Code.BAD_VALUE),
        ("resources=VCPU:1&same_subtree=", "Empty string (unsuffixed group)", Code.BAD_VALUE),
        ("resources=VCPU:1&root_required=A&root_required=B", "only once", Code.DUPLICATE_KEY),
        ("resources=VCPU:1&root_required=A,!A", "found in root_required: A", Code.BAD_VALUE),
        ("resources=VCPU:1&root_required=in:A,B", "only supported since", Code.UNDEFINED),
        ("resources1=VCPU:1&resources2=VCPU:1", '"group_policy" parameter is required', Code.UNDEFINED),
        ("resources=VCPU:1&required=A,!A", "traits keys: required: (A)", Code.UNDEFINED),
        ("resources=VCPU:1&required=in:A,B&required=!A,!B", "traits keys: required: (A, B)", Code.UNDEFINED),
        ("resources=VCPU:1&limit=0", "does not match", Code.UNDEFINED),
        ("resources=VCPU:1&limit=x&limit=1", "'x' does not match", Code.UNDEFINED),
        ("resources=VCPU:1&group_policy=pony", "is not one of", Code.UNDEFINED),
        ("resources=VCPU:1&pony=1", "pony", Code.UNDEFINED),
        ("resources=VCPU:1&in_tree=pony", "Got: pony", Code.UNDEFINED),
    ],
)
def test_an_invalid_query_is_refused_with_the_message_of_the_original(query: str, message: str, code: Code) -> None:
    with pytest.raises(Refusal) as refused:
        read(query)
    assert refused.value.status == 400
    assert message in refused.value.message
    assert refused.value.code == code


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("resources=VCPU:1&required1=A", "orphaned traits keys: required1"),
        (f"resources=VCPU:1&member_of1={UUID}", "orphaned member_of keys: member_of1"),
        (f"resources=VCPU:1&in_tree1={UUID}", "All request groups must specify resources."),
        ("limit=1", "At least one request group"),
    ],
)
def test_before_same_subtree_every_group_needs_resources(query: str, message: str) -> None:
    with pytest.raises(Refusal, match=message):
        read(query, 35)
