import pytest

from dibs.access.access import EVERY_PROJECT, SERVICE, VisibleProjects
from dibs.errors import BadValue
from dibs.flavors.model.errors import (
    FlavorAccessNotFound,
    FlavorNotFound,
    FlavorOfReservation,
    FlavorSpecNotFound,
    NoFlavorAccess,
    PublicFlavor,
)
from dibs.flavors.operations.flavors import (
    ChangeFlavorAccess,
    DeleteExtraSpec,
    FlavorReference,
    ListFlavors,
    SetExtraSpecs,
    UpdateFlavor,
    add_flavor_access,
    delete_extra_spec,
    delete_flavor,
    get_flavor,
    list_flavor_access,
    list_flavors,
    remove_flavor_access,
    set_extra_specs,
    update_flavor,
)
from tests import lease_builders as leases
from tests.builders import Ledger
from tests.server_builders import flavor

P = frozenset({"p"})


def ids(ledger: Ledger, visibility: VisibleProjects, **options: object) -> list[str]:
    found = ledger.runner.read(list_flavors, SERVICE, ListFlavors(visibility=visibility, **options))
    return [each.flavor for each in found]


def test_private_flavor_is_seen_by_projects_with_access(ledger: Ledger) -> None:
    public, private = flavor(ledger).flavor, flavor(ledger, public=False).flavor
    grant = ChangeFlavorAccess(flavor=private, visibility=EVERY_PROJECT, project="p")
    assert ids(ledger, P) == [public]
    with pytest.raises(FlavorNotFound):
        ledger.runner.read(get_flavor, SERVICE, FlavorReference(flavor=private, visibility=P))
    assert ledger.runner.write(add_flavor_access, SERVICE, grant) == ["p"]
    assert ids(ledger, P) == ids(ledger, EVERY_PROJECT) == [public, private]
    assert ids(ledger, frozenset()) == [public]
    assert ledger.runner.write(remove_flavor_access, SERVICE, grant) == []
    with pytest.raises(FlavorAccessNotFound):
        ledger.runner.write(remove_flavor_access, SERVICE, grant)


def test_public_flavor_has_no_access_list(ledger: Ledger) -> None:
    public = FlavorReference(flavor=flavor(ledger).flavor, visibility=P)
    with pytest.raises(NoFlavorAccess):
        ledger.runner.read(list_flavor_access, SERVICE, public)
    strict = ChangeFlavorAccess(flavor=public.flavor, visibility=P, project="p", strict=True)
    with pytest.raises(PublicFlavor):
        ledger.runner.write(add_flavor_access, SERVICE, strict)


def test_pages_continue_after_the_marker(ledger: Ledger) -> None:
    made = [flavor(ledger, memory_mb=size).flavor for size in (30, 20, 10)]
    assert ids(ledger, P, limit=2) == made[:2]
    assert ids(ledger, P, limit=2, marker=made[1]) == made[2:]
    assert ids(ledger, P, sort_key="memory_mb") == made[::-1]
    assert ids(ledger, P, memory_mb_min=20) == made[:2]
    with pytest.raises(BadValue):
        ids(ledger, P, marker="unknown")


def test_extra_specs_are_merged_and_deleted(ledger: Ledger) -> None:
    name = flavor(ledger, extra_specs={"a": "1"}).flavor
    specs = SetExtraSpecs(flavor=name, visibility=P, specs={"a": "2", "b": "3"})
    assert ledger.runner.write(set_extra_specs, SERVICE, specs) == {"a": "2", "b": "3"}
    command = DeleteExtraSpec(flavor=name, visibility=P, name="a")
    ledger.runner.write(delete_extra_spec, SERVICE, command)
    with pytest.raises(FlavorSpecNotFound):
        ledger.runner.write(delete_extra_spec, SERVICE, command)


def test_flavor_is_described_and_deleted(ledger: Ledger) -> None:
    name = flavor(ledger).flavor
    described = ledger.runner.write(
        update_flavor, SERVICE, UpdateFlavor(flavor=name, visibility=P, description="for tests")
    )
    assert described.description == "for tests"
    ledger.runner.write(delete_flavor, SERVICE, FlavorReference(flavor=name, visibility=P))
    assert ids(ledger, EVERY_PROJECT) == []


def test_flavor_of_a_reservation_cannot_be_deleted(ledger: Ledger) -> None:
    leases.make_host(ledger)
    (reservation,) = leases.lease(ledger, 1, 2, leases.instances()).reservations
    with pytest.raises(FlavorOfReservation):
        command = FlavorReference(flavor=reservation.uuid, visibility=EVERY_PROJECT)
        ledger.runner.write(delete_flavor, SERVICE, command)
