"""A node as it was, compared with what it was shown to be at that time, over random histories."""

import random
from typing import Any

import pytest

from dibs.access.access import SERVICE
from dibs.errors import BadValue, Forbidden
from dibs.events.model.access import LIST, LIST_ALL
from dibs.events.operations.retention import RemoveOldEvents, remove_old_events
from dibs.machines.model.access import SEE_NODE
from dibs.machines.model.errors import NodeNotFound
from dibs.machines.model.nodes import Node
from dibs.machines.operations.node_traits import SetTraits, set_traits
from dibs.machines.operations.nodes import GetNode, delete_node, get_node
from dibs.reports.operations import history
from dibs.reports.operations.history import ShowNodeAt, show_node_at
from tests.builders import Ledger, granted

SHOWN = ("name", "description", "resource_class", "owner", "maintenance", "extra", "traits")
TRAITS = ("CUSTOM_A", "CUSTOM_B", "CUSTOM_C")


def at(ledger: Ledger, ident: str, moment: int, access=SERVICE) -> dict[str, Any]:
    return dict(ledger.runner.read(show_node_at, access, ShowNodeAt(ident=ident, moment=moment)).attributes)


def present(ledger: Ledger, node: Node) -> dict[str, Any]:
    """Return the shown attributes of a node that are not empty."""
    view = ledger.runner.read(get_node, SERVICE, GetNode(ident=node.uuid, rules=()))
    values = {name: getattr(view.node, name) for name in SHOWN if name != "traits"} | {"traits": sorted(view.traits)}
    return {name: value for name, value in values.items() if value not in (None, "", {}, [])}


def change(ledger: Ledger, node: Node, chance: random.Random) -> None:
    """Change one attribute of a node, or its traits."""
    values: dict[str, Any] = {
        "description": chance.choice(("x", "y", None)),
        "owner": chance.choice(("p1", "p2", None)),
        "maintenance": chance.choice((True, False)),
        "extra": chance.choice(({}, {"a": 1}, {"a": [1, 2]})),
        "name": chance.choice((f"n-{node.id}", f"m-{node.id}")),
    }
    name = chance.choice((*values, "traits"))
    if name == "traits":
        traits = tuple(chance.sample(TRAITS, chance.randrange(4)))
        ledger.runner.write(set_traits, SERVICE, SetTraits(ident=node.uuid, rules=(), traits=traits))
    else:
        ledger.change(node, **{name: values[name]})


@pytest.mark.parametrize("seed", range(3))
def test_random_history_shows_what_was_true_at_each_moment(ledger: Ledger, seed: int) -> None:
    chance = random.Random(seed)
    nodes = [ledger.enrol(resource_class="gold"), ledger.enrol()]
    seen: list[tuple[int, Node, dict[str, Any]]] = []
    for _ in range(15):
        node = chance.choice(nodes)
        change(ledger, node, chance)
        seen += [(ledger.clock(), each, present(ledger, each)) for each in nodes]
    ledger.runner.write(delete_node, SERVICE, nodes[1].uuid)
    for moment, node, expected in seen:
        found = at(ledger, node.uuid, moment)
        assert {name: found[name] for name in SHOWN if name in found and found[name] is not False} == {
            name: value for name, value in expected.items() if value is not False
        }


def test_node_does_not_exist_before_its_creation_or_after_its_deletion(ledger: Ledger) -> None:
    ledger.enrol()
    before = ledger.clock()
    node = ledger.enrol(name="n1")
    during = ledger.clock()
    ledger.runner.write(delete_node, SERVICE, node.uuid)
    assert at(ledger, node.uuid, during)["name"] == "n1"
    for moment in (before, ledger.clock()):
        with pytest.raises(NodeNotFound):
            at(ledger, node.uuid, moment)


def test_moment_that_events_do_not_reach_is_refused(ledger: Ledger) -> None:
    began = ledger.clock()
    node = ledger.enrol()
    ledger.clock.move(100)
    ledger.revive_conductor()
    ledger.change(node, description="x")
    for moment in (began - 1, ledger.clock() + 1_000_000_000):
        with pytest.raises(BadValue, match="The past of nodes is known for"):
            at(ledger, node.uuid, moment)
    moment = ledger.clock() - 50_000_000
    assert "description" not in at(ledger, node.uuid, moment)
    ledger.runner.write(remove_old_events, SERVICE, RemoveOldEvents(seconds=10))
    with pytest.raises(BadValue):
        at(ledger, node.uuid, moment)


def test_node_with_too_many_changes_is_refused(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "EVENTS_MAX", 3)
    node = ledger.enrol()
    moment = ledger.clock()
    for text in ("a", "b"):
        ledger.change(node, description=text)
    at(ledger, node.uuid, moment)
    ledger.change(node, description="c")
    with pytest.raises(BadValue, match="has changed 3 times"):
        at(ledger, node.uuid, moment)


def test_project_sees_a_node_only_as_it_was_while_it_owned_it(ledger: Ledger) -> None:
    owner = granted(LIST, SEE_NODE, project="p2")
    node = ledger.enrol(owner="p1", lessee="p2", description="of p1")
    first = ledger.clock()
    ledger.change(node, owner="p2")
    second = ledger.clock()
    assert at(ledger, node.uuid, second, owner)["owner"] == "p2"
    for access in (owner, granted(LIST, SEE_NODE, project="p1")):
        with pytest.raises(Forbidden):
            at(ledger, node.uuid, first, access)
    assert at(ledger, node.uuid, first, granted(LIST_ALL, SEE_NODE))["description"] == "of p1"
