"""Why nodes are not free: their reasons, counted."""

import uuid

import pytest

from dibs.allocations.model.allocations import Requirements
from dibs.allocations.model.shortages import IN_MAINTENANCE, IN_USE, LACKS, LOCKED, PROMISED
from dibs.allocations.queries import bearers
from dibs.allocations.queries.verdicts import count_reasons
from tests.allocation_builders import force, gold
from tests.builders import Ledger


def test_each_node_counts_for_its_first_reason(ledger: Ledger) -> None:
    gold(ledger, instance_uuid=str(uuid.uuid4()))
    gold(ledger)
    gold(ledger, with_traits=("CUSTOM_A",))
    force(ledger, gold(ledger, with_traits=("CUSTOM_A",)), reservation="conductor-1")
    required = Requirements(resource_class="gold", traits=("CUSTOM_A",))
    counts = ledger.store.read(lambda tx: count_reasons(tx, required))
    assert counts == {IN_USE: 1, f"{LACKS}0": 1, PROMISED: 1, LOCKED: 1}


def test_reasons_are_the_same_whether_few_or_many_nodes_have_the_traits(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    gold(ledger, instance_uuid=str(uuid.uuid4()), with_traits=("CUSTOM_A",))
    gold(ledger, maintenance=True)
    gold(ledger)
    gold(ledger, with_traits=("CUSTOM_B",))
    for _ in range(2):
        gold(ledger, with_traits=("CUSTOM_A",))
    gold(ledger, with_traits=("CUSTOM_A", "CUSTOM_B"))
    force(ledger, gold(ledger, with_traits=("CUSTOM_A", "CUSTOM_B")), reservation="conductor-1")
    ledger.enrol(resource_class="tin", with_traits=("CUSTOM_A", "CUSTOM_B"))
    required = Requirements(resource_class="gold", traits=("CUSTOM_A", "CUSTOM_B"))
    few = ledger.store.read(lambda tx: count_reasons(tx, required))
    assert few == {IN_USE: 1, IN_MAINTENANCE: 1, f"{LACKS}0": 2, f"{LACKS}1": 2, PROMISED: 1, LOCKED: 1}
    monkeypatch.setattr(bearers, "LISTED_MAX", 0)
    assert ledger.store.read(lambda tx: count_reasons(tx, required)) == few
