"""A small world of provider trees: a rich host with a child, a poor host, and disks that share."""

from dibs.candidates.model.provider_tree import SHARING_TRAIT
from dibs.database import Store
from tests.candidates.model.brute_force import Provider, Stock, World
from tests.placement_rows import put_world

GOLD, SILVER = "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"
RICH, CHILD, POOR, DISKS = (f"00000000-0000-4000-8000-00000000000{number}" for number in range(4))


def put_small_world(store: Store) -> World:
    """Write the world into the database."""
    world = World(
        [
            Provider(RICH, None, {"VCPU": Stock(8)}, frozenset({"CUSTOM_ROOT"}), frozenset({GOLD})),
            Provider(CHILD, RICH, {"MEMORY_MB": Stock(10, used=4)}, frozenset({"CUSTOM_RED"})),
            Provider(POOR, None, {"VCPU": Stock(8, reserved=7, max_unit=1)}, frozenset({"CUSTOM_BLUE"})),
            Provider(DISKS, None, {"DISK_GB": Stock(100)}, frozenset({SHARING_TRAIT}), frozenset({GOLD, SILVER})),
        ]
    )
    put_world(store, world)
    return world
