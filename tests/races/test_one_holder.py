"""Law 1: a node has at most one holder, however many clients request it at the same moment."""

import uuid

from dibs.access.access import SERVICE
from dibs.machines.model.errors import InstanceAssociated, NodeAssociated, TooManyTraits
from dibs.machines.model.node_traits import TRAITS_PER_NODE_MAX
from dibs.machines.model.nodes import Node
from dibs.machines.operations.node_traits import AddTrait, add_trait
from tests.builders import Ledger
from tests.races.crowd import all_at_once

CALLERS = 16
ROUNDS = 5


def test_one_of_many_concurrent_instances_gets_a_node(ledger: Ledger) -> None:
    for _ in range(ROUNDS):
        node = ledger.enrol(resource_class="gold")
        answers = all_at_once(CALLERS, lambda _, node=node: ledger.change(node, instance_uuid=str(uuid.uuid4())))
        winners = [answer for answer in answers if isinstance(answer, Node)]
        assert len(winners) == 1, answers
        assert all(isinstance(answer, NodeAssociated | Node) for answer in answers), answers
        assert ledger.node(node).instance_uuid == winners[0].instance_uuid
        assert ledger.unit(node) == {"resource_class": "CUSTOM_GOLD", "reserved": 0, "used": 1}


def test_one_instance_gets_exactly_one_of_many_nodes(ledger: Ledger) -> None:
    for _ in range(ROUNDS):
        nodes = [ledger.enrol(resource_class="gold") for _ in range(CALLERS)]
        instance = str(uuid.uuid4())
        answers = all_at_once(
            CALLERS,
            lambda number, nodes=nodes, instance=instance: ledger.change(nodes[number], instance_uuid=instance),
        )
        assert sum(isinstance(answer, Node) for answer in answers) == 1, answers
        assert all(isinstance(answer, InstanceAssociated | Node) for answer in answers), answers
        units = [ledger.unit(node) for node in nodes]
        assert sum(unit["used"] for unit in units if unit) == 1


def test_concurrently_added_traits_never_exceed_the_limit(ledger: Ledger) -> None:
    node = ledger.enrol(with_traits=tuple(f"CUSTOM_{n}" for n in range(TRAITS_PER_NODE_MAX - 5)))
    answers = all_at_once(
        CALLERS,
        lambda number: ledger.runner.write(
            add_trait, SERVICE, AddTrait(ident=node.uuid, rules=(), trait=f"CUSTOM_NEW_{number}")
        ),
    )
    assert sum(answer is None for answer in answers) == 5, answers
    assert all(answer is None or isinstance(answer, TooManyTraits) for answer in answers), answers
    assert len(ledger.traits(node)) == TRAITS_PER_NODE_MAX
