from collections.abc import Mapping
from typing import Any

import pytest

from dibs.access.access import EVERY_PROJECT, Access
from dibs.access.actor import Actor
from dibs.access.project_rules import ProjectRules
from dibs.errors import Forbidden

WEBHOOKS = ProjectRules("dibs:webhook")
MEMBER = frozenset({"get", "create", "delete"})
EVERYTHING = MEMBER | {"get_all", "create_all", "delete_all"}


class Granted:
    """Rules of which the actor has these."""

    def __init__(self, actions: frozenset[str]) -> None:
        self._granted = {f"dibs:webhook:{action}" for action in actions}

    def allows(self, rule: str, actor: Actor, target: Mapping[str, Any]) -> bool:
        return rule in self._granted


def access_with(actions: frozenset[str], project: str | None = "blue") -> Access:
    return Access(actor=Actor(user="eva", project=project), rules=Granted(actions))


def test_member_sees_its_project_and_an_administrator_every_project() -> None:
    assert WEBHOOKS.visible(access_with(MEMBER)) == {"blue"}
    assert WEBHOOKS.visible(access_with(EVERYTHING)) is EVERY_PROJECT
    seen = [WEBHOOKS.sees(access_with(MEMBER), project) for project in ("blue", "red", None)]
    assert seen == [True, False, False]


@pytest.mark.parametrize(("actions", "project"), [(MEMBER, None), (frozenset(), "blue")])
def test_caller_without_project_or_rule_sees_none(actions: frozenset[str], project: str | None) -> None:
    with pytest.raises(Forbidden):
        WEBHOOKS.visible(access_with(actions, project))


@pytest.mark.parametrize("project", ["red", None])
def test_object_of_another_project_takes_the_rule_for_all(project: str | None) -> None:
    for require in (WEBHOOKS.require_to_create, WEBHOOKS.require_to_delete):
        require(access_with(MEMBER), "blue")
        require(access_with(EVERYTHING), project)
        with pytest.raises(Forbidden):
            require(access_with(MEMBER), project)


def test_caller_without_a_project_does_not_own_what_belongs_to_every_project() -> None:
    with pytest.raises(Forbidden):
        WEBHOOKS.require_to_delete(access_with(MEMBER, None), None)
