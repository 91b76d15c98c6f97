import pytest

from dibs.access.access import SERVICE
from dibs.access.actor import Actor
from dibs.machines.model.holds import Hold, administers_system, end_of

UUID = "aaaaaaaa-1111-4222-8333-444444444444"


def held_by(project: str | None) -> Hold:
    return Hold(
        id=1, uuid=UUID, node_id=1, node_uuid="n", instance_uuid="i", project_id=project, expires_at=10, created_at=1
    )


@pytest.mark.parametrize(
    ("proof", "right"),
    [(UUID, True), (UUID.upper(), True), (None, False), ("", False), (UUID[:-1], False), ("é", False)],
)
def test_the_proof_is_the_whole_uuid(proof: str | None, right: bool) -> None:
    assert held_by("p").proved_by(proof) is right


@pytest.mark.parametrize(
    ("roles", "system_scope", "project", "usable"),
    [
        ({"admin"}, True, None, True),
        ({"service"}, True, None, True),
        ({"member", "reader"}, True, None, False),
        ({"admin"}, False, "other", False),
        ({"member"}, False, "p", True),
        ({"admin"}, False, None, False),
    ],
)
def test_a_hold_is_usable_by_its_project_and_by_administrators_of_the_system(
    roles: set[str], system_scope: bool, project: str | None, usable: bool
) -> None:
    actor = Actor(user="u", project=project, roles=frozenset(roles), system_scope=system_scope)
    assert held_by("p").usable_by(actor) is usable


def test_a_hold_without_project_is_not_usable_by_callers_without_project() -> None:
    assert not held_by(None).usable_by(Actor(user="u", roles=frozenset({"member"})))
    assert held_by(None).usable_by(SERVICE.actor)
    assert administers_system(SERVICE.actor)


def test_a_hold_expires_at_its_end_and_not_before() -> None:
    assert [held_by("p").expired(now) for now in (9, 10, 11)] == [False, True, True]


def test_a_fraction_of_a_microsecond_is_rounded_up() -> None:
    assert end_of(5, 1.0000001) == 1_000_006
