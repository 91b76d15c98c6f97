from pathlib import Path

import pytest

from dibs.access.actor import Actor
from dibs.access.rules import RuleBook

DEFAULTS = {"is_admin": "role:admin", "do": "rule:is_admin or project_id:%(owner)s", "never": "!", "always": "@"}
ADMIN = Actor(roles=frozenset({"admin"}))
OWNER = Actor(project="blue")


def test_rules_refer_to_each_other_and_to_the_target() -> None:
    rules = RuleBook(DEFAULTS)
    assert rules.allows("do", ADMIN, {})
    assert rules.allows("do", OWNER, {"owner": "blue"})
    assert not rules.allows("do", OWNER, {"owner": "red"})
    assert not rules.allows("do", OWNER, {})


def test_a_rule_that_nobody_defined_allows_nothing() -> None:
    assert not RuleBook(DEFAULTS).allows("nosuch", ADMIN, {})


def test_a_file_replaces_the_rules_that_it_names_and_leaves_the_others(tmp_path: Path) -> None:
    policy_file = tmp_path / "policy.yaml"
    policy_file.write_text('"is_admin": "role:operator"\n"unknown:rule": "@"\n')
    rules = RuleBook(DEFAULTS, str(policy_file))
    assert rules.allows("do", Actor(roles=frozenset({"operator"})), {})
    assert not rules.allows("do", ADMIN, {})
    assert rules.allows("always", OWNER, {})
    assert not rules.allows("never", ADMIN, {})


def test_system_scope_is_a_word_of_the_rules() -> None:
    rules = RuleBook({"system": "role:reader and system_scope:all"})
    assert rules.allows("system", Actor(roles=frozenset({"reader"}), system_scope=True), {})
    assert not rules.allows("system", Actor(roles=frozenset({"reader"})), {})


def test_a_policy_file_that_is_not_there_stops_the_start(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        RuleBook(DEFAULTS, str(tmp_path / "nosuch.yaml"))


def test_a_decision_is_remembered_and_one_that_others_make_is_not() -> None:
    rules = RuleBook(DEFAULTS)
    assert rules.allows("do", ADMIN, {})
    rules.rules.clear()
    assert rules.allows("do", ADMIN, {})
    rules = RuleBook({**DEFAULTS, "far": "http://127.0.0.1:9/%(name)s"})
    assert rules.allows("do", ADMIN, {})
    rules.rules.clear()
    assert not rules.allows("do", ADMIN, {})
