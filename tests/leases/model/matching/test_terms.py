"""Requirements as terms that can be dropped or changed one by one."""

import json

from dibs.leases.model.matching.terms import terms_of, with_class, without_terms
from tests.leases.model.matching.calendars import make_host

GPU, RACK, TRAIT = '["==", "$gpu", "a100"]', '["!=", "$rack", "r1"]', '["==", "$trait:CUSTOM_A", "required"]'
CLASS = '["==", "$resource_class", "gold"]'


def all_of(*terms: str) -> str:
    return f'["and", {", ".join(terms)}]'


def test_each_part_of_an_and_is_a_term():
    terms = terms_of(all_of(GPU, all_of(RACK, GPU)), TRAIT, "")
    assert [term.text for term in terms] == [GPU, RACK, TRAIT]
    assert [term.words for term in terms] == ["gpu == 'a100'", "rack != 'r1'", "CUSTOM_A"]


def test_a_host_meets_each_term_by_itself():
    host = make_host(1, properties={"gpu": "a100", "rack": "r1"})
    assert [term.met_by(host) for term in terms_of(all_of(GPU, RACK, TRAIT))] == [True, False, False]


def test_dropped_terms_leave_the_others():
    assert json.loads(without_terms(all_of(GPU, RACK, TRAIT), (RACK,))) == json.loads(all_of(GPU, TRAIT))
    assert without_terms(all_of(GPU, RACK), (RACK,)) == GPU
    assert without_terms(GPU, (GPU,)) == ""
    assert without_terms(all_of(GPU), (RACK,)) == all_of(GPU), "as the client wrote it"


def test_another_class_replaces_the_class():
    assert with_class(CLASS, "tin") == '["==", "$resource_class", "tin"]'
    assert with_class(all_of(GPU, CLASS), "tin") == all_of(GPU, '["==", "$resource_class", "tin"]')
    assert with_class("", "tin") == ""
    assert [term.names_class for term in terms_of(all_of(CLASS, GPU))] == [True, False]
