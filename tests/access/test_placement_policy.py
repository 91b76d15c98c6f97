"""Placement's rules: their defaults, the older defaults, and the scope of a token."""

import pytest

from dibs.access.actor import Actor
from dibs.access.placement_policy import RULES, PlacementPolicy
from dibs.dialects.placement.routes import ROUTES

ADMIN = Actor(user="a", project="p", roles=frozenset({"admin"}))
SERVICE = Actor(user="s", project="p", roles=frozenset({"service"}))
READER = Actor(user="r", project="p", roles=frozenset({"reader"}))
SYSTEM_ADMIN = Actor(user="root", roles=frozenset({"admin"}), system_scope=True)
RESHAPE = "placement:reshaper:reshape"
LIST = "placement:resource_providers:list"


def allows(policy: PlacementPolicy, rule: str, actor: Actor, project: str = "p") -> bool:
    return policy.access(actor).allows(rule, {"project_id": project, "user_id": actor.user})


@pytest.mark.parametrize("rule", sorted(RULES))
def test_a_service_may_do_everything_and_a_reader_of_another_project_nothing(rule: str) -> None:
    assert allows(PlacementPolicy(), rule, SERVICE)
    assert not allows(PlacementPolicy(), rule, READER, "other")


@pytest.mark.parametrize("rule", sorted(set(RULES) - {RESHAPE}))
def test_an_admin_may_do_everything_but_reshape(rule: str) -> None:
    assert allows(PlacementPolicy(), rule, ADMIN)


def test_an_admin_may_reshape_by_the_older_rules_only() -> None:
    assert not allows(PlacementPolicy(), RESHAPE, ADMIN)
    assert allows(PlacementPolicy(legacy_rules=True), RESHAPE, ADMIN)


def test_a_reader_sees_the_usage_of_its_own_project() -> None:
    assert allows(PlacementPolicy(), "placement:usages", READER, "p")


def test_system_scope_is_refused_only_when_scope_is_enforced() -> None:
    assert allows(PlacementPolicy(), LIST, SYSTEM_ADMIN)
    assert not allows(PlacementPolicy(enforce_scope=True), LIST, SYSTEM_ADMIN)
    assert allows(PlacementPolicy(enforce_scope=True), LIST, ADMIN)


def test_every_rule_of_the_routing_table_exists_and_every_rule_is_used() -> None:
    checked_by_handlers = {"placement:usages"}
    assert {route.handler.rule for route in ROUTES} - {None} == set(RULES) - checked_by_handlers
