import pytest

from dibs.access.access import EVERY_PROJECT, SERVICE, Access, visible_projects
from dibs.access.actor import Actor
from dibs.access.rules import RuleBook
from dibs.errors import Forbidden

RULES = RuleBook({"show": "project_id:%(project_id)s"})


def test_require_refuses_what_the_rules_do_not_allow() -> None:
    access = Access(actor=Actor(project="blue"), rules=RULES)
    access.require("show", {"project_id": "blue"})
    with pytest.raises(Forbidden, match="show"):
        access.require("show", {"project_id": "red"})


def test_dibs_itself_may_do_everything() -> None:
    assert SERVICE.allows("any:rule", {})


def test_every_project_is_visible_only_when_it_was_decided() -> None:
    assert visible_projects(Actor(project="blue"), every=True) is EVERY_PROJECT
    assert visible_projects(Actor(project="blue"), every=False) == {"blue"}
    assert visible_projects(Actor(), every=False) == frozenset()
