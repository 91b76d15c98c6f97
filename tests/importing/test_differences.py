"""Comparison of an object with its copy."""

from typing import Any

import pytest

from dibs.importing.differences import MASK, MASKED, differences, without_secrets
from dibs.importing.report import Difference


@pytest.mark.parametrize(
    ("source", "target"),
    [(None, ""), ({}, None), (["b", "a"], ["a", "b"]), (1.7, 1.7000000001), (2.0, 2), ({"a": None}, {"a": ""})],
)
def test_values_that_mean_the_same_are_equal(source: Any, target: Any) -> None:
    assert list(differences({"x": source}, {"x": target}, ["x"])) == []


@pytest.mark.parametrize(("source", "target"), [("a", "b"), (["a"], ["a", "b"]), (1.7, 1.8), (1, None), (2.0, "2.0")])
def test_values_that_differ_are_reported_with_their_reason(source: Any, target: Any) -> None:
    found = list(differences({"x": source}, {"x": target}, ["x"], {"x": "because"}))
    assert found == [Difference("x", source, target, "because")]


def test_objects_are_compared_key_by_key() -> None:
    source, target = {"extra": {"rack": {"row": 1}, "same": 1}}, {"extra": {"rack": {"row": 2}, "same": 1, "new": 3}}
    found = [(each.what, each.source, each.target) for each in differences(source, target, ["extra"])]
    assert found == [("extra/new", None, 3), ("extra/rack/row", 1, 2)]


def test_an_attribute_that_the_source_does_not_have_is_not_compared() -> None:
    assert list(differences({}, {"description": "new"}, ["description"])) == []


def test_a_masked_secret_is_not_copied_and_reported_for_the_operator() -> None:
    source = {"driver_info": {"address": "10.0.0.7", "password": MASK, "deep": {"key": MASK}}}
    copy = {"driver_info": without_secrets(source["driver_info"])}
    assert copy == {"driver_info": {"address": "10.0.0.7", "deep": {}}}
    found = {each.what: each.why for each in differences(source, copy, ["driver_info"])}
    assert found == {"driver_info/password": MASKED, "driver_info/deep/key": MASKED}
