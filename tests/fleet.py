"""Write many nodes straight into the tables, for tests and benchmarks where only their number matters."""

from typing import Any

from sqlalchemy import insert

from dibs.ledger.queries.structure import BUCKETS
from dibs.ledger.tables import inventories, provider_traits, providers, resource_classes, traits
from dibs.machines.tables import nodes
from tests.laws import connect

FIRST_ID = 1_000_000
"""Far above the ids that the engines assign, so that later rows do not collide with these."""
TRAITS = ("CUSTOM_RACK", "HW_CPU_X86_AVX2", "HW_CPU_X86_VMX", "STORAGE_DISK_SSD")
NOW = 1_800_000_000_000_000


def uuid_of(number: int) -> str:
    """Return the uuid of one node of the fleet."""
    return f"eeeeeeee-0000-4000-8000-{number:012d}"


def traits_of(number: int) -> list[str]:
    """Return the traits of one node: one of a hundred, and four that all nodes have."""
    return sorted((f"CUSTOM_{number % 100}", *TRAITS))


def fill(url: str, count: int) -> None:
    """Insert ``count`` available nodes with five traits each."""
    numbers = range(count)
    with connect(url) as connection, connection.begin():
        connection.execute(insert(resource_classes), [{"id": FIRST_ID, "name": "CUSTOM_FLEET", "created_at": NOW}])
        connection.execute(insert(providers), [_provider(number) for number in numbers])
        connection.execute(insert(nodes), [_node(number) for number in numbers])
        connection.execute(
            insert(inventories),
            [
                {"provider_id": FIRST_ID + n, "class_id": FIRST_ID, "total": 1, "max_unit": 1, "created_at": NOW}
                for n in numbers
            ],
        )
        names = sorted({trait for number in numbers for trait in traits_of(number)})
        connection.execute(insert(traits), [{"name": name, "created_at": NOW} for name in names])
        connection.execute(
            insert(provider_traits),
            [{"provider_id": FIRST_ID + n, "trait": trait} for n in numbers for trait in traits_of(n)],
        )


def _provider(number: int) -> dict[str, Any]:
    row_id = FIRST_ID + number
    return {
        "id": row_id,
        "uuid": uuid_of(number),
        "name": f"fleet-{number}",
        "root_id": row_id,
        "bucket": number % BUCKETS,
        "created_at": NOW,
    }


def _node(number: int) -> dict[str, Any]:
    return {
        "id": FIRST_ID + number,
        "uuid": uuid_of(number),
        "name": f"fleet-{number}",
        "driver": "fake-hardware",
        "provision_state": "available",
        "power_state": "power off",
        "resource_class": "fleet",
        "created_at": NOW,
    }
