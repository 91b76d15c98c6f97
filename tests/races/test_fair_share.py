"""Fair share with several conductors: no allocation overtakes another one contrary to the order of the queue."""

import threading

from dibs.access.access import SERVICE, Access
from dibs.allocations.model.outcomes import Outcome
from dibs.allocations.operations.granting import Choice, GrantNodes, grant_nodes
from dibs.database.transaction import Transaction
from tests.allocation_builders import Steps, allocate, entry_of, gold
from tests.builders import Ledger
from tests.share_builders import share_fairly

BLOCKED_SECONDS = 1.0
"""How long the first transaction stays open; the second one ends within it only if nothing makes it wait."""


def test_second_grant_to_a_project_counts_the_first_one_that_is_not_committed_yet(ledger: Ledger) -> None:
    """Two nodes are free, and p has two allocations before that of q; after the first, it is the turn of q.

    The second allocation of p has other requirements, so only what p has decides between it and that of q.
    """
    share_fairly(ledger)
    steps = Steps(ledger, "conductor-1")
    nodes = [gold(ledger, owner="p", lessee="q", with_traits=("CUSTOM_A",)) for _ in range(2)]
    first = allocate(ledger, owner="p", wait_seconds=600)
    second = allocate(ledger, owner="p", wait_seconds=600, traits=("CUSTOM_A",))
    turn_of_q = allocate(ledger, owner="q", wait_seconds=600)
    outcomes: list[Outcome] = []
    rival = threading.Thread(target=lambda: outcomes.append(steps.grant(second, nodes[1].uuid)))

    def grant_slowly(tx: Transaction, access: Access, now: int, command: GrantNodes) -> dict[str, Outcome]:
        outcome = grant_nodes(tx, access, now, command)
        if rival.ident is None:  # Not again, when the transaction runs again.
            rival.start()
        rival.join(BLOCKED_SECONDS)
        return outcome

    command = GrantNodes(choices=(Choice(entry_of(first), (nodes[0].uuid,)),), incarnation=steps.incarnation)
    assert ledger.runner.write(grant_slowly, SERVICE, command) == {first.uuid: Outcome.SETTLED}
    rival.join()
    assert outcomes == [Outcome.LOST], "it would have overtaken the allocation of q"
    assert steps.ready() == [turn_of_q.uuid]
    assert steps.grant(turn_of_q, nodes[1].uuid) is Outcome.SETTLED
