import pytest

from dibs.access.access import SERVICE
from dibs.errors import BadValue
from dibs.leases.model.hosts import DISABLED_TRAIT
from dibs.ledger.queries import traits
from dibs.servers.model.errors import HypervisorNotFound, ServiceNotFound
from dibs.servers.model.hypervisors import Hypervisor, HypervisorQuery
from dibs.servers.operations.hypervisors import (
    ListHypervisors,
    SwitchService,
    get_hypervisor,
    list_hypervisors,
    switch_service,
)
from tests.builders import Ledger
from tests.server_builders import host


def switch(ledger: Ledger, **command: object) -> Hypervisor:
    return ledger.runner.write(switch_service, SERVICE, SwitchService(**command))  # type: ignore[arg-type]


def test_disabled_service_has_the_trait_that_nova_gives_it(ledger: Ledger) -> None:
    provider = host(ledger, "compute-1")
    for disabled in (True, True, False, False):
        assert switch(ledger, host="compute-1", disabled=disabled).disabled is disabled
        found = ledger.store.read(lambda tx: traits.of_provider(tx, provider.id))
        assert (DISABLED_TRAIT in found) is disabled


def test_service_is_found_by_its_uuid_and_left_alone_without_a_status(ledger: Ledger) -> None:
    provider = host(ledger, "compute-1")
    switch(ledger, uuid=provider.uuid, disabled=True)
    assert switch(ledger, uuid=provider.uuid, disabled=None).disabled


def test_node_has_no_compute_service(ledger: Ledger) -> None:
    node = ledger.enrol(name="node-1", resource_class="gold")
    with pytest.raises(ServiceNotFound, match="nova-compute on host"):
        switch(ledger, uuid=node.uuid, disabled=True)


def test_hypervisor_is_found_by_uuid_and_by_row_id(ledger: Ledger) -> None:
    provider = host(ledger, "compute-1")
    for ident in (provider.uuid, str(provider.id)):
        assert ledger.runner.read(get_hypervisor, SERVICE, ident).name == "compute-1"
    with pytest.raises(HypervisorNotFound):
        ledger.runner.read(get_hypervisor, SERVICE, "9" * 30)


def test_page_starts_after_the_marker_and_keeps_the_filters(ledger: Ledger) -> None:
    for name in ("one", "two", "three", "other"):
        host(ledger, name)
    query = HypervisorQuery(name_part="t")
    found = ledger.runner.read(list_hypervisors, SERVICE, ListHypervisors(query=query))
    assert [each.name for each in found] == ["two", "three", "other"]
    rest = ledger.runner.read(list_hypervisors, SERVICE, ListHypervisors(query=query, marker=found[0].uuid))
    assert [each.name for each in rest] == ["three", "other"]
    with pytest.raises(BadValue, match="marker"):
        ledger.runner.read(list_hypervisors, SERVICE, ListHypervisors(query=query, marker="no-such-host"))
