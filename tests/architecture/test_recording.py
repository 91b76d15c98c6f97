"""Every function that writes a row records an event, or is named here with the reason why not."""

from pathlib import Path, PurePosixPath

from tests.architecture import recording

ROOT = Path(__file__).parents[2]

REASONS: dict[str, tuple[str, ...]] = {
    "an UPDATE that changes nothing, for its lock": (
        "allocations.allocations.lock",
        "flavors.flavors.lock",
        "leases.leases.lock",
        "leases.leases.lock_many",
        "ledger.consumers.lock",
        "ledger.providers.lock",
        "ledger.providers.lock_many",
        "machines.chassis.lock",
        "quotas.quotas.lock",
        "quotas.shares.lock",
        "servers.launch_reservations.lock",
        "servers.servers.lock",
        "webhooks.webhooks.lock",
        "webhooks.webhooks.lock_position",
    ),
    "the events themselves": (
        "events.events.add",
        "events.positions.give",
        "events.positions.lock",
        "events.retention.remove",
    ),
    "work that waits for a conductor: what it does to an object is recorded when it is done": (
        "allocations.endings.postpone",
        "allocations.queue.move_all",
        "leases.outbox.add",
        "leases.outbox.drop",
        "leases.outbox.postpone",
        "leases.outbox.remove",
        "leases.outbox.take",
        "machines.tasks.move",
        "machines.tasks.queue",
        "machines.tasks.release",
        "machines.tasks.remove",
        "machines.tasks.requeue",
        "machines.tasks.take",
        "notifications.positions.release",
        "notifications.positions.take",
        "webhooks.deliveries.add",
        "webhooks.deliveries.remove",
        "webhooks.deliveries.save",
        "webhooks.webhooks.mark_due",
        "webhooks.webhooks.move_position",
        "webhooks.webhooks.take",
    ),
    "a row that is only a lock: the limits of the project are in Keystone": ("quotas.quotas.lock_or_add",),
    "what a project had lately is no object: after a long time it says nothing any more": ("quotas.shares.forget",),
    "a heartbeat moves nothing but the time of the next one": (
        "allocations.keep_alive.record",
        "machines.conductors.record_heartbeat",
    ),
    "a conductor is a process, not an object of a project": (
        "allocations.retention.remove_conductors",
        "machines.conductors.register",
    ),
    "ledger.operations.claiming, the only caller, records the claims of each consumer": (
        "ledger.claims.add",
        "ledger.claims.add_to_used",
        "ledger.claims.remove",
        "ledger.claims.remove_from",
        "ledger.consumers.bump_generation",
        "ledger.consumers.change",
        "ledger.consumers.create",
        "ledger.consumers.delete",
    ),
    "providers, inventories, traits, classes and aggregates have no events; node_traits records those of a node": (
        "ledger.aggregates.add",
        "ledger.aggregates.remove",
        "ledger.inventories.add",
        "ledger.inventories.change",
        "ledger.inventories.remove",
        "ledger.providers.bump_generation",
        "ledger.providers.delete_provider",
        "ledger.providers.insert_provider",
        "ledger.providers.move",
        "ledger.providers.offer_one_unit",
        "ledger.providers.rename",
        "ledger.providers.reserve_unit",
        "ledger.providers.withdraw_unit",
        "ledger.resource_classes.create",
        "ledger.resource_classes.create_many",
        "ledger.resource_classes.delete",
        "ledger.resource_classes.rename",
        "ledger.traits.add",
        "ledger.traits.ensure",
        "ledger.traits.remove",
        "ledger.traits.remove_name",
    ),
    "leases.operations.hosts records the host with its properties": (
        "leases.hosts.add",
        "leases.hosts.add_properties",
        "leases.hosts.remove",
        "leases.hosts.set_properties",
    ),
    "versions tell other processes that what they know of providers has changed": ("ledger.structure._write",),
    "a host has the name of its node, whose event shows the change": ("leases.hosts.rename",),
    "the functions that call it record the lease and its reservations": (
        "leases.lease_rows.groups._change",
        "leases.leases._change",
        "leases.leases._insert_parts",
    ),
    "leases.operations.booking records the hosts that a lease gets and loses": (
        "leases.booking_writes.add",
        "leases.booking_writes.move",
        "leases.booking_writes.remove",
    ),
    "the names of properties that hosts ever had": (
        "leases.property_names.add",
        "leases.property_names.set_private",
    ),
    "flavors have no events": (
        "flavors.flavors.create",
        "flavors.flavors.delete",
        "flavors.flavors.grant",
        "flavors.flavors.revoke",
        "flavors.flavors.set_description",
        "flavors.flavors.set_extra_specs",
        "leases.reservation_flavors.grant",
        "leases.reservation_flavors.remove",
    ),
    "chassis, ports and volumes have no events": (
        "machines.chassis.create",
        "machines.chassis.delete",
        "machines.chassis.update",
        "machines.parts.PartTable.create",
        "machines.parts.PartTable.delete",
        "machines.parts.PartTable.update",
    ),
    "the same values under another key": ("machines.secrets.encrypt", "webhooks.webhooks.encrypt_secrets"),
    "a forecast, which the allocation shows": ("allocations.forecasts.keep",),
}
"""The functions that write without an event, by the reason."""


def found() -> dict[str, bool]:
    """Return every function that writes, and whether it records."""
    modules = sorted((ROOT / "src" / "dibs").glob("*/queries/**/*.py"))
    return dict(
        pair for path in modules for pair in recording.writers(PurePosixPath(path.relative_to(ROOT)), path.read_text())
    )


def test_every_write_records_an_event_or_has_a_reason_not_to() -> None:
    writers = found()
    assert sum(writers.values()) > 15
    assert {name for name, records in writers.items() if not records} == {
        name for names in REASONS.values() for name in names
    }


def test_a_write_without_an_event_is_found() -> None:
    text = """
def add(tx, values):
    tx.change(_INSERT, values)
    tx.record(event)

def forget(tx, ids):
    return [tx.change(_delete(len(ids)), ids)]

def create(tx, values):
    return tx.values(_INSERT, values)[0]

def read(tx):
    return tx.rows(_SELECT)

class Table:
    def create(self, tx, values):
        return tx.values(self._insert, values)
"""
    assert dict(recording.writers(PurePosixPath("src/dibs/machines/queries/nodes.py"), text)) == {
        "machines.nodes.add": True,
        "machines.nodes.forget": False,
        "machines.nodes.create": False,
        "machines.nodes.Table.create": False,
    }
