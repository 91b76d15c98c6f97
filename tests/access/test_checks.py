"""The language of the default rules, alone and compared with oslo.policy, which defines it."""

from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oslo_policy import policy

from dibs.access.checks import BadRule, compile_rules

WHO = {"user_id": "u", "project_id": "blue", "roles": ["Reader"], "system_scope": None}


def holds(text: str, target: Mapping[str, str | None] | None = None, **rules: str) -> bool:
    return compile_rules({**rules, "asked": text})["asked"](target or {}, WHO)


@pytest.mark.parametrize("text", ["@", "role:reader", "role:x or role:READER", "not !"])
def test_check_holds(text: str) -> None:
    assert holds(text)


@pytest.mark.parametrize("text", ["!", "role:admin", "role:%(nosuch)s", "project_id:%(nosuch)s", "is_admin:True"])
def test_check_does_not_hold(text: str) -> None:
    assert not holds(text)


def test_value_of_the_target_is_compared_with_the_caller() -> None:
    assert holds("project_id:%(owner)s", {"owner": "blue"})
    assert not holds("project_id:%(owner)s", {"owner": "red"})


def test_and_binds_tighter_than_or_and_parentheses_tighter_than_both() -> None:
    assert holds("@ or @ and !")
    assert not holds("(@ or @) and !")


def test_reference_to_a_later_rule_is_followed() -> None:
    assert compile_rules({"first": "rule:second", "second": "@"})["first"]({}, WHO)


def test_reference_to_an_undefined_rule_allows_nothing() -> None:
    assert not holds("rule:nosuch")


@pytest.mark.parametrize(
    "text",
    ["", "role", "role:", "role:a role:b", "(@", "@)", "or @", "http://service/%(x)s", "True:%(x)s", "'a':%(x)s"],
)
def test_text_outside_the_grammar_is_refused(text: str) -> None:
    with pytest.raises(BadRule, match="'asked'"):
        holds(text)


leaves = st.sampled_from(
    [
        "@",
        "!",
        "role:reader",
        "role:admin",
        "role:%(role)s",
        "rule:other",
        "rule:nosuch",
        "project_id:%(owner)s",
        "user_id:u",
        "system_scope:all",
        "system_scope:None",
        "project_name:%(config.name)s",
    ]
)
expressions = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["and", "or", "AND", "Or"]), inner).map(" ".join),
        inner.map("({})".format),
        leaves.map("not {}".format),
        inner.map("not ({})".format),
    ),
    max_leaves=12,
)
targets = st.dictionaries(st.sampled_from(["owner", "role"]), st.sampled_from(["blue", "red", "reader"]))


@settings(deadline=None)
@given(text=expressions, other=expressions.filter(lambda text: "rule:other" not in text), target=targets)
def test_answers_are_those_of_oslo_policy(text: str, other: str, target: dict[str, str | None]) -> None:
    texts = {"asked": text, "other": other}

    class Enforcer:
        rules = policy.Rules.from_dict(texts)

    expected = bool(Enforcer.rules["asked"](dict(target), dict(WHO), Enforcer(), "asked"))  # type: ignore[arg-type]
    assert compile_rules(texts)["asked"](target, WHO) == expected, text
