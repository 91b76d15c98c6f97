"""A node and its provider are written together and stay consistent."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dibs.ledger.model.errors import ProviderExists
from dibs.machines.model import states
from dibs.machines.model.errors import NodeExists
from dibs.machines.queries import nodes
from tests.builders import Ledger
from tests.provider_builders import make

values = st.fixed_dictionaries(
    {},
    optional={
        "provision_state": st.sampled_from([states.ENROLL, states.AVAILABLE, states.ACTIVE]),
        "maintenance": st.booleans(),
        "retired": st.booleans(),
        "power_state": st.sampled_from([None, states.POWER_ON, states.POWER_ERROR]),
        "resource_class": st.sampled_from([None, "gold", "bm.gpu-2"]),
        "name": st.sampled_from([None, "a", "b"]),
    },
)


def test_the_unit_is_reserved_exactly_while_the_node_cannot_be_deployed(ledger: Ledger) -> None:
    node = ledger.enrol(resource_class="gold")

    @settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
    @given(changes=values)
    def check(changes: dict[str, object]) -> None:
        def change(tx):  # type: ignore[no-untyped-def]
            locked = nodes.lock(tx, node.uuid, ledger.clock())
            return nodes.update(tx, locked, ledger.clock(), **changes)

        after = ledger.store.write(change)
        assert ledger.node(node) == after
        unit = ledger.unit(node)
        if after.resource_class is None:
            assert unit is None
        else:
            assert unit == {"resource_class": after.inventory_class, "reserved": int(not after.deployable), "used": 0}

    check()


def test_every_attribute_of_a_node_is_stored_and_read_unchanged(ledger: Ledger) -> None:
    node = ledger.enrol(
        name="Ünïcode-is-for-descriptions-only".encode("ascii", "ignore").decode(),
        description="Schrank № 7 — 漢字 🂡",
        driver_info={"address": "10.0.0.1", "nested": {"list": [1, 2.5, None, True]}},
        protected=True,
        automated_clean=False,
        secure_boot=None,
    )
    assert ledger.node(node) == node


def test_names_that_differ_in_case_or_trailing_space_are_different(ledger: Ledger) -> None:
    ledger.enrol(name="node-a")
    ledger.enrol(name="NODE-A")
    with pytest.raises(NodeExists, match="name node-a already exists"):
        ledger.enrol(name="node-a")


def test_a_duplicate_uuid_is_refused(ledger: Ledger) -> None:
    node = ledger.enrol()
    with pytest.raises(NodeExists, match=f"UUID {node.uuid}"):
        ledger.enrol(uuid=node.uuid)


def test_a_node_cannot_get_the_name_of_another(ledger: Ledger) -> None:
    ledger.enrol(name="node-a")
    with pytest.raises(NodeExists, match="A node with name node-a already exists"):
        ledger.change(ledger.enrol(), name="node-a")


def test_the_name_or_uuid_of_a_plain_provider_is_refused_as_a_provider(ledger: Ledger) -> None:
    provider = make(ledger, name="pool")
    with pytest.raises(ProviderExists, match="provider name: pool already exists"):
        ledger.enrol(name="pool")
    with pytest.raises(ProviderExists, match="provider name: pool already exists"):
        ledger.change(ledger.enrol(), name="pool")
    with pytest.raises(ProviderExists, match=f"provider uuid: {provider.uuid} already exists"):
        ledger.enrol(uuid=provider.uuid)
    node = ledger.enrol(name="node-a")
    called = make(ledger, name="11111111-1111-4111-8111-111111111111").name
    with pytest.raises(ProviderExists, match=f"provider name: {called} already exists"):
        ledger.enrol(uuid=called)
    assert ledger.node(node).name == "node-a"
