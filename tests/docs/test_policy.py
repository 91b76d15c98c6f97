"""What `serve for others` says of admins in Placement is so, and the file that it gives changes it."""

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


def test_an_admin_of_a_project_may_do_in_placement_what_the_admin_of_the_system_may() -> None:
    assert (
        allowed(PlacementPolicy(), PROJECT_ADMIN)
        == allowed(PlacementPolicy(), SYSTEM_ADMIN)
        == set(RULES) - {"placement:reshaper:reshape"}
    )


def test_a_member_may_see_usages_and_no_more() -> None:
    assert allowed(PlacementPolicy(), MEMBER) == {"placement:usages"}


@pytest.fixture
def with_the_file(tmp_path: Path) -> PlacementPolicy:
    block = re.search(r"^```yaml\n(# policy\.yaml\n.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert block is not None
    path = tmp_path / "policy.yaml"
    path.write_text(block[1])
    return PlacementPolicy(str(path))


def test_the_file_keeps_admins_of_projects_out(with_the_file: PlacementPolicy) -> None:
    assert allowed(with_the_file, PROJECT_ADMIN) == {"placement:usages"}
    assert allowed(with_the_file, SYSTEM_ADMIN) == allowed(PlacementPolicy(), SYSTEM_ADMIN)
