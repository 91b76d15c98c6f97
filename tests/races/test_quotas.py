"""A quota holds when callers of all dialects ask at the same moment. Without the lock of the quota they get more."""

import uuid
from collections.abc import Callable

from dibs.access.access import SERVICE
from dibs.allocations.operations.creating import CreateAllocation, create_allocation
from dibs.quotas.model.errors import QuotaExceeded
from dibs.quotas.model.unified_limits import UnifiedLimits
from dibs.quotas.operations.limits import KeystoneLimitSource
from dibs.wiring.hooks import build_hooks, build_runner
from tests.builders import Ledger
from tests.hold_builders import hold
from tests.lease_builders import OWNER, lease, register, whole
from tests.quota_builders import limit, used
from tests.races.crowd import all_at_once
from tests.server_builders import launch, node_flavor

CALLERS = 12
ROUNDS = 2
WAYS = 4


def test_concurrent_requests_of_a_project_stay_within_its_nodes(ledger: Ledger) -> None:
    for number in range(ROUNDS):
        project_nodes = 2 * (number + 1)
        limit(ledger, "p", nodes=project_nodes)
        for _ in range(CALLERS // WAYS):
            register(ledger, ledger.enrol(resource_class="leased"))
        free = [ledger.enrol(resource_class="gold") for _ in range(CALLERS // WAYS)]
        running = [ledger.enrol(resource_class="gold", state="active", owner="p") for _ in range(CALLERS // WAYS)]
        flavor = node_flavor(ledger, f"served{number}")
        for _ in range(CALLERS // WAYS):
            ledger.enrol(resource_class=f"served{number}")
        ways: list[Callable[[int], object]] = [
            lambda caller, free=free: hold(ledger, free[caller // WAYS], access=OWNER, seconds=36_000),
            lambda caller, running=running: ledger.runner.write(
                create_allocation, SERVICE, CreateAllocation(node=running[caller // WAYS].uuid, owner="p")
            ),
            lambda caller, flavor=flavor: launch(ledger, flavor),
            lambda caller: lease(ledger, 0, 1, whole()),
        ]
        answers = all_at_once(CALLERS, lambda caller, ways=ways: ways[caller % WAYS](caller))
        refused = [answer for answer in answers if isinstance(answer, Exception)]
        assert all(isinstance(answer, QuotaExceeded) for answer in refused), refused
        assert len(answers) - len(refused) == 2, answers
        assert used(ledger, "p").nodes == project_nodes


def test_concurrent_allocations_of_a_project_stay_within_its_queue(ledger: Ledger) -> None:
    limit(ledger, "p", "gold", queued=5)
    command = CreateAllocation(resource_class="gold", owner="p", wait_seconds=60)
    answers = all_at_once(CALLERS, lambda _: ledger.runner.write(create_allocation, SERVICE, command))
    refused = [answer for answer in answers if isinstance(answer, Exception)]
    assert all(isinstance(answer, QuotaExceeded) for answer in refused), refused
    assert used(ledger, "p", "gold").queued == len(answers) - len(refused) == 5


def test_limits_of_keystone_hold_from_the_first_request_of_a_project(ledger: Ledger) -> None:
    """No row of the project is there to lock: one of the callers adds it, and the others wait or run again."""
    known = UnifiedLimits(defaults={"queued:gold": 5}, projects={})
    ledger.runner = build_runner(
        ledger.store, ledger.clock, hooks=build_hooks(limits=KeystoneLimitSource(lambda: known))
    )
    command = CreateAllocation(resource_class="gold", owner="p", wait_seconds=60)
    answers = all_at_once(CALLERS, lambda _: ledger.runner.write(create_allocation, SERVICE, command))
    refused = [answer for answer in answers if isinstance(answer, Exception)]
    assert all(isinstance(answer, QuotaExceeded) for answer in refused), refused
    assert used(ledger, "p", "gold").queued == len(answers) - len(refused) == 5


def test_projects_do_not_wait_for_each_other(ledger: Ledger) -> None:
    """Each project fills its quota exactly, while the others do the same."""
    projects = [str(uuid.uuid4()) for _ in range(4)]
    for project in projects:
        limit(ledger, project, queued=2)
    answers = all_at_once(
        CALLERS,
        lambda caller: ledger.runner.write(
            create_allocation, SERVICE, CreateAllocation(resource_class="gold", owner=projects[caller % 4])
        ),
    )
    assert sum(not isinstance(answer, Exception) for answer in answers) == 8
    assert [used(ledger, project).queued for project in projects] == [2] * 4
