"""Holds, allocations, claims through Placement and instances compete for the same nodes: each node has one winner."""

import uuid
from collections.abc import Callable

from dibs.access.access import SERVICE
from dibs.allocations.model.allocations import ALLOCATING
from dibs.allocations.operations.creating import CreateAllocation, create_allocation
from dibs.database import Store
from dibs.database.runner import Runner
from dibs.ledger.model.claims import ClaimRequest
from dibs.ledger.model.errors import CapacityExceeded
from dibs.ledger.operations.claims import ReplaceClaims, replace_claims
from dibs.machines.model.errors import NodeAssociated, NodeClaimed, NodeHeld, NothingToHold
from dibs.machines.model.holds import Hold
from dibs.machines.model.nodes import Node
from dibs.machines.operations.holds import CreateHold, ListHolds, create_hold, list_holds
from dibs.machines.operations.nodes import UpdateNode, update_node
from dibs.wiring.hooks import build_runner, read_clock
from tests import fleet
from tests.bed.waiting import eventually
from tests.builders import patch_of
from tests.laws import read_tables
from tests.races.crowd import all_at_once
from tests.races.test_allocations import all_allocations, two_conductors

CALLERS = 16
NODES = 20


class NodeClaims:
    """Four ways to claim a node; each returns the consumer that then has it."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner

    @property
    def ways(self) -> list[Callable[[str], str]]:
        return [self.hold, self.claim, self.associate, self.allocate]

    def hold(self, node: str) -> str:
        command = CreateHold(uuid=new(), instance_uuid=new(), nodes=(node,), seconds=600)
        return self._runner.write(create_hold, SERVICE, command).instance_uuid

    def claim(self, node: str) -> str:
        request = ClaimRequest(consumer=new(), resources={node: {"CUSTOM_FLEET": 1}}, project_id="p", user_id="u")
        self._runner.write(replace_claims, SERVICE, ReplaceClaims(requests=(request,)))
        return request.consumer

    def associate(self, node: str) -> str:
        after: Node = self._runner.write(
            update_node, SERVICE, UpdateNode(ident=node, rules=(), patch=patch_of({"instance_uuid": new()}))
        ).node
        assert after.instance_uuid is not None
        return after.instance_uuid

    def allocate(self, node: str) -> str:
        command = CreateAllocation(resource_class="fleet", candidate_nodes=(node,))
        return self._runner.write(create_allocation, SERVICE, command).uuid


def new() -> str:
    return str(uuid.uuid4())


def test_each_node_has_one_holder_and_every_other_caller_is_refused(store: Store, database_url: str) -> None:
    fleet.fill(database_url, NODES)
    runner = build_runner(store, read_clock)
    claims = NodeClaims(runner)
    won: list[str] = []

    def claim_every_node(caller: int) -> None:
        for number in range(NODES):
            try:
                won.append(claims.ways[(caller + number) % 4](fleet.uuid_of((number + caller // 4) % NODES)))
            except (CapacityExceeded, NodeAssociated, NodeClaimed, NodeHeld, NothingToHold):
                continue

    with two_conductors(runner):
        answers = all_at_once(CALLERS, claim_every_node)
        assert answers == [None] * CALLERS, answers
        eventually(lambda: all(each.state != ALLOCATING for each in all_allocations(runner)), seconds=120)
    lost = {each.uuid for each in all_allocations(runner) if each.state == "error"}
    tables = read_tables(database_url)
    consumers = {row["id"]: row["uuid"] for row in tables["consumers"]}
    holders = {row["provider_id"]: consumers[row["consumer_id"]] for row in tables["claims"]}
    assert len(tables["claims"]) == len(holders) == NODES
    assert [row["used"] for row in tables["inventories"]] == [1] * NODES
    assert sorted(holders.values()) == sorted(set(won) - lost)
    held: list[Hold] = runner.read(list_holds, SERVICE, ListHolds(limit=1000))
    assert {hold.node_id: hold.instance_uuid for hold in held}.items() <= holders.items()
    instances = {row["id"]: row["instance_uuid"] for row in tables["nodes"] if row["instance_uuid"]}
    assert instances.items() <= holders.items()
