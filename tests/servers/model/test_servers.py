from dibs.flavors.model.flavors import Flavor
from dibs.machines.model import states
from dibs.servers.model.servers import STATUS_BY_PROVISION_STATE, STATUSES, embedded_flavor, instance_info

FLAVOR = Flavor(id=1, flavor="f-1", name="small", vcpus=2, memory_mb=512, disk_gb=4, created_at=0)


def test_embedded_flavor_starts_with_the_id_that_lists_search_for() -> None:
    assert next(iter(embedded_flavor(FLAVOR).items())) == ("id", "f-1")


def test_instance_info_has_image_and_traits_only_when_there_are_any() -> None:
    plain = instance_info("db", None, FLAVOR, ())
    assert plain == {"display_name": "db", "vcpus": "2", "memory_mb": "512", "root_gb": "4"}
    full = instance_info("db", "image", FLAVOR, ("CUSTOM_GPU",))
    assert full == {**plain, "image_source": "image", "traits": ["CUSTOM_GPU"]}


def test_every_provision_state_shows_a_known_status() -> None:
    assert set(STATUS_BY_PROVISION_STATE.values()) <= set(STATUSES)
    assert set(STATUS_BY_PROVISION_STATE) <= set(states.ALL_STATES)
