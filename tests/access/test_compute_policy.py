import re

import pytest

from dibs.access.actor import Actor
from dibs.access.compute_policy import RULES, ComputePolicy


def test_every_rule_that_a_check_refers_to_exists() -> None:
    referred = {name for check in RULES.values() for name in re.findall(r"rule:(\w+)", check)}
    assert referred <= set(RULES)


@pytest.mark.parametrize(("roles", "is_admin"), [({"admin"}, True), ({"member", "reader"}, False), (set(), False)])
def test_admin_is_a_caller_with_the_role_admin(roles: set[str], is_admin: bool) -> None:
    assert ComputePolicy().is_admin(Actor(user="u", project="p", roles=frozenset(roles))) is is_admin


def test_access_is_bound_to_the_actor_and_unknown_rules_allow_nothing() -> None:
    member = Actor(user="u", project="p", roles=frozenset({"member"}))
    access = ComputePolicy().access(member)
    assert access.actor is member
    assert access.allows("os_compute_api:servers:create", {"project_id": "p"})
    assert not access.allows("os_compute_api:servers:create", {"project_id": "q"})
    assert not access.allows("os_compute_api:no-such-rule", {"project_id": "p"})
