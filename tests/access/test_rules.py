from dibs.access.actor import Actor
from dibs.access.rules import RuleBook

DEFAULTS = {"is_admin": "role:admin", "do": "rule:is_admin or project_id:%(owner)s"}
ADMIN = Actor(roles=frozenset({"admin"}))
OWNER = Actor(project="blue")


def test_rules_refer_to_each_other_and_to_the_target() -> None:
    rules = RuleBook(DEFAULTS)
    assert rules.allows("do", ADMIN, {})
    assert rules.allows("do", OWNER, {"owner": "blue"})
    assert not rules.allows("do", OWNER, {"owner": "red"})
    assert not rules.allows("do", OWNER, {})


def test_undefined_rule_allows_nothing() -> None:
    assert not RuleBook(DEFAULTS).allows("nosuch", ADMIN, {})


def test_system_scope_is_an_attribute_of_the_caller() -> None:
    rules = RuleBook({"system": "role:reader and system_scope:all"})
    assert rules.allows("system", Actor(roles=frozenset({"reader"}), system_scope=True), {})
    assert not rules.allows("system", Actor(roles=frozenset({"reader"})), {})
