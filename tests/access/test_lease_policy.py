import pytest

from dibs.access.actor import Actor
from dibs.access.lease_policy import RULES, LeasePolicy

PROJECT = {"project_id": "p"}
ADMIN = Actor(user="a", project="p", roles=frozenset({"admin"}))
SYSTEM_ADMIN = Actor(user="root", roles=frozenset({"admin"}), system_scope=True)
MEMBER = Actor(user="m", project="p", roles=frozenset({"member", "reader"}))
READER = Actor(user="r", project="p", roles=frozenset({"reader"}))
WITHOUT_ROLES = Actor(user="n", project="p")
FOR_READERS = {"blazar:leases:get", "blazar:floatingips:get"}
FOR_MEMBERS = FOR_READERS | {"blazar:leases:post", "blazar:leases:put", "blazar:leases:delete"}


@pytest.mark.parametrize("rule", sorted(name for name in RULES if name.startswith("blazar:")))
def test_default_rules_grant_hosts_to_admins_and_leases_to_members(rule: str) -> None:
    def allows(actor: Actor) -> bool:
        return LeasePolicy().access(actor).allows(rule, PROJECT)

    assert allows(ADMIN)
    assert allows(SYSTEM_ADMIN)
    assert allows(MEMBER) == (rule in FOR_MEMBERS)
    assert allows(READER) == (rule in FOR_READERS)
    assert not allows(WITHOUT_ROLES)


def test_policy_file_overrides_the_defaults(tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("policy") / "policy.yaml"
    path.write_text('"blazar:oshosts:get": "role:reader"\n')
    access = LeasePolicy(str(path)).access(READER)
    assert access.allows("blazar:oshosts:get", PROJECT)
    assert not access.allows("blazar:oshosts:post", PROJECT)
