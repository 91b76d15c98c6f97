"""The page `serve for others` describes the rights of Placement admins, and its policy file limits them."""

import re
from pathlib import Path

import pytest

from dibs.access.actor import Actor
from dibs.access.placement_policy import RULES, PlacementPolicy
from dibs.http.auth import with_implied_roles

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "serve-for-others.md"
PROJECT_ADMIN = Actor(user="rita", project="physics", roles=with_implied_roles({"admin"}), system_scope=False)
SYSTEM_ADMIN = Actor(user="root", roles=with_implied_roles({"admin"}), system_scope=True)
MEMBER = Actor(user="olga", project="physics", roles=with_implied_roles({"member"}), system_scope=False)


def allowed(policy: PlacementPolicy, actor: Actor) -> set[str]:
    target = {"project_id": actor.project, "user_id": actor.user}
    return {rule for rule in RULES if policy.access(actor).allows(rule, target)}


def test_project_admin_has_the_rights_of_a_system_admin_in_placement() -> None:
    assert (
        allowed(PlacementPolicy(), PROJECT_ADMIN)
        == allowed(PlacementPolicy(), SYSTEM_ADMIN)
        == set(RULES) - {"placement:reshaper:reshape"}
    )


def test_member_may_only_see_usages() -> None:
    assert allowed(PlacementPolicy(), MEMBER) == {"placement:usages"}


@pytest.fixture
def policy_from_the_page(tmp_path: Path) -> PlacementPolicy:
    block = re.search(r"^```yaml\n(# policy\.yaml\n.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert block is not None
    path = tmp_path / "policy.yaml"
    path.write_text(block[1])
    return PlacementPolicy(str(path))


def test_policy_file_limits_project_admins_to_usages(policy_from_the_page: PlacementPolicy) -> None:
    assert allowed(policy_from_the_page, PROJECT_ADMIN) == {"placement:usages"}
    assert allowed(policy_from_the_page, SYSTEM_ADMIN) == allowed(PlacementPolicy(), SYSTEM_ADMIN)
