import pytest

from dibs.access.actor import Actor
from dibs.access.lease_policy import RULES, LeasePolicy
from dibs.dialects.reservation.routes import ROUTES
from dibs.errors import Forbidden
from tests.dialects.reservation.conversation import ADMIN, MEMBER, READER

NOBODY = Actor(user="n", project="p-member")
SYSTEM_ADMIN = Actor(user="root", roles=frozenset({"admin"}), system_scope=True)
OPERATIONS = sorted(name for name in RULES if name.startswith("blazar:"))
FOR_MEMBERS = {"blazar:leases:get", "blazar:leases:post", "blazar:leases:put", "blazar:leases:delete"}
FOR_READERS = {"blazar:leases:get", "blazar:floatingips:get"}


def allows(rule: str, actor: Actor, policy: LeasePolicy | None = None) -> bool:
    try:
        (policy or LeasePolicy()).require(rule, actor)
    except Forbidden:
        return False
    return True


@pytest.mark.parametrize("rule", OPERATIONS)
def test_who_may_do_what(rule: str) -> None:
    assert allows(rule, ADMIN)
    assert allows(rule, SYSTEM_ADMIN)
    assert allows(rule, MEMBER) == (rule in FOR_MEMBERS | FOR_READERS)
    assert allows(rule, READER) == (rule in FOR_READERS)
    assert not allows(rule, NOBODY)


def test_every_rule_of_the_routing_table_exists_and_every_rule_is_used() -> None:
    assert {route.handler.rule for route in ROUTES} - {None} == set(OPERATIONS)


def test_a_file_of_rules_overrides_the_defaults(tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("policy") / "policy.yaml"
    path.write_text('"blazar:oshosts:get": "role:reader"\n')
    policy = LeasePolicy(str(path))
    assert allows("blazar:oshosts:get", READER, policy)
    assert not allows("blazar:oshosts:post", READER, policy)
