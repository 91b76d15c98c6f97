from dibs.access.access import EVERY_PROJECT, VisibleProjects
from dibs.flavors.model.flavors import Flavor
from dibs.integrations.flavors import with_external_flavors
from tests.lease_builders import MEMBER, OWNER, flavored, new_lease, whole

LARGE = Flavor(id=0, flavor="large", name="large", vcpus=8, memory_mb=64, disk_gb=0, created_at=0)


def test_flavors_are_looked_up_with_the_visibility_of_the_caller() -> None:
    asked: list[tuple[str, VisibleProjects]] = []

    def find(flavor: str, visibility: VisibleProjects) -> Flavor:
        asked.append((flavor, visibility))
        return LARGE

    command = new_lease(1, 2, whole(), flavored("large"))
    found = with_external_flavors(command, MEMBER, find)
    assert [each.source for each in found.reservations] == [None, LARGE]
    with_external_flavors(command, OWNER, find)
    assert asked == [("large", frozenset({"p"})), ("large", EVERY_PROJECT)]


def test_command_is_unchanged_when_dibs_keeps_the_flavors() -> None:
    command = new_lease(1, 2, flavored("large"))
    assert with_external_flavors(command, MEMBER, None) is command
