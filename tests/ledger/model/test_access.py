"""Rights to claims and usages."""

import pytest

from dibs.access.actor import Actor
from dibs.access.placement_policy import RULES, PlacementPolicy
from dibs.errors import Forbidden
from dibs.ledger.model import access

READER = PlacementPolicy().access(Actor(user="r", project="p", roles=frozenset({"reader"})))


def test_a_reader_sees_the_usage_of_its_own_project_and_of_no_other() -> None:
    access.require(READER, access.SHOW_PROJECT_USAGE)
    access.require(READER, access.SHOW_PROJECT_USAGE, "p")
    with pytest.raises(Forbidden, match="placement:usages"):
        access.require(READER, access.SHOW_PROJECT_USAGE, "other")


@pytest.mark.parametrize("name", [name for name in vars(access) if name.isupper()])
def test_every_rule_is_one_of_placements(name: str) -> None:
    assert getattr(access, name) in RULES
