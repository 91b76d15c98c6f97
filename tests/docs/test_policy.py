"""What `serve for others` says of admins in Placement is so, and the file that it gives changes it."""

import re
from pathlib import Path

import pytest

from dibs.access.actor import Actor
from dibs.dialects.placement.errors import Refusal
from dibs.dialects.placement.policy import RULES, Policy
from dibs.http.auth import with_implied_roles

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "serve-for-others.md"
PROJECT_ADMIN = Actor(user="rita", project="physics", roles=with_implied_roles({"admin"}), system_scope=False)
SYSTEM_ADMIN = Actor(user="root", roles=with_implied_roles({"admin"}), system_scope=True)
MEMBER = Actor(user="olga", project="physics", roles=with_implied_roles({"member"}), system_scope=False)


def allowed(policy: Policy, actor: Actor) -> set[str]:
    def allows(rule: str) -> bool:
        try:
            policy.require(rule, actor)
        except Refusal:
            return False
        return True

    return {rule for rule in RULES if allows(rule)}


def test_an_admin_of_a_project_may_do_in_placement_what_the_admin_of_the_system_may() -> None:
    assert (
        allowed(Policy(), PROJECT_ADMIN)
        == allowed(Policy(), SYSTEM_ADMIN)
        == set(RULES) - {"placement:reshaper:reshape"}
    )


def test_a_member_may_see_usages_and_no_more() -> None:
    assert allowed(Policy(), MEMBER) == {"placement:usages"}


@pytest.fixture
def with_the_file(tmp_path: Path) -> Policy:
    block = re.search(r"^```yaml\n(# policy\.yaml\n.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert block is not None
    path = tmp_path / "policy.yaml"
    path.write_text(block[1])
    return Policy(str(path))


def test_the_file_keeps_admins_of_projects_out(with_the_file: Policy) -> None:
    assert allowed(with_the_file, PROJECT_ADMIN) == {"placement:usages"}
    assert allowed(with_the_file, SYSTEM_ADMIN) == allowed(Policy(), SYSTEM_ADMIN)
