"""Fair share with two conductors: no allocation overtakes another one contrary to the order of the queue."""

from collections import Counter

from dibs.access.access import SERVICE
from dibs.allocations.model.allocations import Allocation
from dibs.allocations.model.outcomes import Outcome
from dibs.allocations.operations.allocations import delete_allocation
from dibs.allocations.operations.granting import GrantNodes, grant_nodes
from dibs.allocations.operations.matching import MatchEntry, match_entry
from dibs.database.runner import Runner
from dibs.database.transaction import Transaction
from dibs.quotas.model.shares import Share
from dibs.quotas.queries import shares
from tests.allocation_builders import Steps, allocate, entry_of, gold, show
from tests.builders import Ledger
from tests.races.crowd import all_at_once
from tests.share_builders import share_fairly, weigh

CALLERS = 8
NODES = 8
ROUNDS = 3
TRAITS = ("", "CUSTOM_A", "CUSTOM_B", "CUSTOM_C")


def try_to_grant(runner: Runner, allocation: Allocation, incarnation: str) -> bool:
    """Match and grant once, as a conductor does; return True when the allocation got a node."""
    match = runner.read(match_entry, SERVICE, MatchEntry(entry=entry_of(allocation), seed=allocation.id))
    for nodes in match.choices:
        command = GrantNodes(entry=entry_of(allocation), incarnation=incarnation, nodes=nodes)
        if runner.write(grant_nodes, SERVICE, command) is Outcome.SETTLED:
            return True
    return False


def test_free_nodes_are_divided_by_weight_however_many_conductors_grant_them(ledger: Ledger) -> None:
    """All allocations are tried at the same moment, again and again; each has requirements that suit every node.

    The requirements differ, so that only what the projects have decides between the allocations of one project and
    those of the other.
    """
    share_fairly(ledger)
    weigh(ledger, "q", 3)
    conductors = [Steps(ledger, f"conductor-{number}") for number in range(2)]
    by_id = {each.conductor_id: each.incarnation for each in conductors}
    for _ in range(NODES):
        gold(ledger, owner="p", lessee="q", with_traits=TRAITS[1:])
    for number in range(ROUNDS):
        made = [
            allocate(ledger, owner=owner, wait_seconds=600, traits=tuple(filter(None, [TRAITS[place % 4]])))
            for place in range(NODES)
            for owner in ("p", "q")
        ]

        def work(caller: int, made: list[Allocation] = made) -> None:
            for each in made[caller::CALLERS] * 2:
                try_to_grant(ledger.runner, each, by_id[each.conductor_id or 0])

        assert [answer for answer in all_at_once(CALLERS, work) if answer is not None] == []
        # One after the other, those that lost their nodes to others meanwhile.
        while sum(try_to_grant(ledger.runner, each, by_id[each.conductor_id or 0]) for each in made):
            pass
        active = [each for each in made if show(ledger, each).state == "active"]
        assert Counter(each.owner for each in active) == {"p": NODES // 4, "q": NODES - NODES // 4}, number
        for each in made:
            ledger.runner.write(delete_allocation, SERVICE, each.uuid)
        ledger.store.write(forget_what_they_had)


def forget_what_they_had(tx: Transaction) -> None:
    """Let every round begin with projects that had nothing."""
    for project, weight in (("p", None), ("q", 3)):
        before = shares.lock(tx, project)
        assert before is not None
        assert before.nodes == 0
        shares.write(tx, before, Share(project=project, weight=weight, counted_at=before.counted_at))
