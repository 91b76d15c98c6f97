import pytest

from dibs.access.actor import Actor
from dibs.dialects.placement.errors import Refusal
from dibs.dialects.placement.policy import RULES, Policy
from dibs.dialects.placement.routes import ROUTES

ADMIN = Actor(user="a", project="p", roles=frozenset({"admin"}))
SERVICE = Actor(user="s", project="p", roles=frozenset({"service"}))
READER = Actor(user="r", project="p", roles=frozenset({"reader"}))
SYSTEM_ADMIN = Actor(user="root", roles=frozenset({"admin"}), system_scope=True)
RESHAPE = "placement:reshaper:reshape"
LIST = "placement:resource_providers:list"


def allows(policy: Policy, rule: str, actor: Actor, project: str | None = None) -> bool:
    try:
        policy.require(rule, actor, project)
    except Refusal:
        return False
    return True


def test_a_refusal_names_the_rule() -> None:
    with pytest.raises(Refusal) as refused:
        Policy().require(LIST, READER)
    assert refused.value.status == 403
    assert refused.value.message == "Policy does not allow placement:resource_providers:list to be performed."


@pytest.mark.parametrize("rule", sorted(RULES))
def test_a_service_may_do_everything_and_a_reader_nothing_of_others(rule: str) -> None:
    assert allows(Policy(), rule, SERVICE)
    assert not allows(Policy(), rule, READER, "other")


@pytest.mark.parametrize("rule", sorted(set(RULES) - {RESHAPE}))
def test_an_admin_may_do_everything_but_reshape(rule: str) -> None:
    assert allows(Policy(), rule, ADMIN)


def test_an_admin_may_reshape_by_the_older_rules_only() -> None:
    assert not allows(Policy(), RESHAPE, ADMIN)
    assert allows(Policy(legacy_rules=True), RESHAPE, ADMIN)


def test_a_reader_sees_what_his_own_project_uses() -> None:
    assert allows(Policy(), "placement:usages", READER, "p")


def test_the_scope_of_the_system_is_refused_only_when_told_to() -> None:
    assert allows(Policy(), LIST, SYSTEM_ADMIN)
    assert not allows(Policy(enforce_scope=True), LIST, SYSTEM_ADMIN)
    assert allows(Policy(enforce_scope=True), LIST, ADMIN)


def test_every_rule_of_the_routing_table_exists_and_every_rule_is_used() -> None:
    asked_by_handlers = {"placement:usages"}
    assert {route.handler.rule for route in ROUTES} - {None} == set(RULES) - asked_by_handlers
