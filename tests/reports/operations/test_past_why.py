"""Why nodes were not available, compared with what ``why`` answered at that time, over random histories.

``HISTORIES=100`` runs as many histories; without it there are few.
"""

import os
import random
import uuid
from collections.abc import Callable
from typing import Any

import pytest

from dibs.access.access import SERVICE, Access
from dibs.allocations.model.allocations import Allocation
from dibs.allocations.operations.why import ExplainNodes, Explanation, explain_nodes
from dibs.errors import BadValue, DibsError
from dibs.events.model.documents import format_time
from dibs.events.operations.retention import RemoveOldEvents, remove_old_events
from dibs.leases.model.leases import START, Lease
from dibs.leases.operations.events import DueEvent, run_event
from dibs.leases.operations.reassignment import ReassignHosts, list_affected_reservations, reassign_hosts
from dibs.ledger.model.claims import ClaimRequest
from dibs.ledger.operations.claims import ReplaceClaims, replace_claims
from dibs.machines.model import states
from dibs.machines.model.access import SEE_NODE
from dibs.machines.model.holds import Hold
from dibs.machines.model.nodes import Node
from dibs.machines.operations.holds import delete_hold
from dibs.machines.operations.node_traits import SetTraits, set_traits
from dibs.machines.operations.nodes import delete_node
from dibs.reports.operations import past_why
from dibs.reports.operations.past_why import ExplainNodesAt, explain_nodes_at
from tests import event_rows
from tests import lease_builders as leases
from tests.allocation_builders import Steps, allocate, release
from tests.builders import Ledger, granted
from tests.hold_builders import claim, claimed_by, hold
from tests.provider_builders import statements

TRAITS = ("CUSTOM_A", "CUSTOM_B")
QUESTIONS = (
    ExplainNodes(resource_class="gold"),
    ExplainNodes(resource_class="gold", traits=TRAITS, count=3),
    ExplainNodes(resource_class="silver", owner="p1"),
)


def why(ledger: Ledger, question: ExplainNodes) -> Explanation:
    return ledger.runner.read(explain_nodes, SERVICE, question)


def why_at(ledger: Ledger, moment: int, question: ExplainNodes = QUESTIONS[0], access: Access = SERVICE) -> Explanation:
    return ledger.runner.read(explain_nodes_at, access, ExplainNodesAt(asked=question, moment=moment))


def answer(found: Explanation) -> tuple[Any, ...]:
    """Return what is the same at the moment and later."""
    return found.fits, found.free, dict(found.reasons), found.text


class Site:
    """Nodes of two classes, and what random users and operators do to them."""

    def __init__(self, ledger: Ledger, seed: int) -> None:
        self.ledger = ledger
        self.chance = random.Random(seed)
        self.nodes: list[Node] = []
        self.allocations: list[Allocation] = []
        self.holds: list[Hold] = []
        self.leases: list[Lease] = []
        self.consumers: list[str] = []
        for _ in range(6):
            self.enrol()

    def act(self) -> str:
        """Do one thing, if it is allowed; return what."""
        acts: tuple[Callable[[], object], ...] = (
            self.enrol, self.enrol, self.change, self.change, self.set_traits, self.delete, self.allocate, self.release,
            self.occupy, self.vacate, self.hold, self.unhold, self.claim, self.unclaim, self.pass_on, self.lease,
            self.start, self.end, self.move, self.reassign,
        )  # fmt: skip
        chosen = self.chance.choice(acts)
        try:
            chosen()
        except (DibsError, IndexError):
            return ""
        return chosen.__name__

    def enrol(self) -> None:
        self.ledger.revive_conductor()
        kind = self.chance.choice(("gold", "gold", "silver", None))
        values = {
            "owner": self.chance.choice(("p1", None)),
            "power_state": self.chance.choice((*[states.POWER_OFF] * 5, None)),
        }
        state = self.chance.choice(("available", "available", "available", "manageable"))
        node = self.ledger.enrol(resource_class=kind, with_traits=self._some_traits(), state=state, **values)
        self.nodes.append(node)
        if kind and self.chance.random() < 0.3:
            leases.register(self.ledger, node)

    def change(self) -> None:
        node = self.chance.choice(self.nodes)
        name, values = self.chance.choice(
            (
                ("maintenance", (True, False)),
                ("retired", (True, False)),
                ("resource_class", ("gold", "silver")),
                ("owner", ("p1", "p2")),
                ("lessee", ("p1", None)),
                ("name", (f"n-{node.id}", f"m-{node.id}")),
            )
        )
        self.ledger.change(node, **{name: self.chance.choice(values)})

    def set_traits(self) -> None:
        node = self.chance.choice(self.nodes)
        command = SetTraits(ident=node.uuid, rules=(), traits=self._some_traits())
        self.ledger.runner.write(set_traits, SERVICE, command)

    def delete(self) -> None:
        node = self.chance.choice(self.nodes)
        self.ledger.runner.write(delete_node, SERVICE, node.uuid)
        self.nodes.remove(node)

    def allocate(self) -> None:
        conductor = Steps(self.ledger, "conductor-1")
        made = allocate(self.ledger)
        self.allocations.append(made)
        conductor.grant(made, conductor.found(made, self.chance.randrange(9))[0])

    def release(self) -> None:
        release(self.ledger, self.allocations.pop(self.chance.randrange(len(self.allocations) or 1)))

    def occupy(self) -> None:
        self.ledger.change(self.chance.choice(self.nodes), instance_uuid=str(uuid.uuid4()))

    def vacate(self) -> None:
        used = [node for node in self.nodes if self.ledger.node(node).instance_uuid]
        self.ledger.change(self.chance.choice(used), instance_uuid=None)

    def hold(self) -> None:
        self.holds.append(hold(self.ledger, self.chance.choice(self.nodes), access=SERVICE))

    def unhold(self) -> None:
        self.ledger.runner.write(delete_hold, SERVICE, self.holds.pop().uuid)

    def claim(self) -> None:
        consumer = str(uuid.uuid4())
        claim(self.ledger, self.chance.choice(self.nodes), consumer)
        self.consumers.append(consumer)

    def unclaim(self) -> None:
        self._replace(ClaimRequest(consumer=self.consumers.pop(), resources={}, project_id="p", user_id="u"))

    def pass_on(self) -> None:
        """Pass a claim on to another consumer in one transaction."""
        former, new = self.consumers.pop(), str(uuid.uuid4())
        held = {each: {"CUSTOM_GOLD": 1} for each in claimed_by(self.ledger, former)}
        self.consumers.append(new)
        self._replace(
            ClaimRequest(consumer=new, resources=held, project_id="p", user_id="u"),
            ClaimRequest(consumer=former, resources={}, project_id="p", user_id="u"),
        )

    def _replace(self, *requests: ClaimRequest) -> None:
        self.ledger.runner.write(replace_claims, SERVICE, ReplaceClaims(requests=requests))

    def lease(self) -> None:
        start = self.chance.randrange(5)
        self.leases.append(leases.lease(self.ledger, start, start + 1, leases.whole(1, 2), rules=leases.NO_NOTICE))

    def start(self) -> None:
        lease = self.chance.choice(self.leases)
        self.ledger.clock.move(max(0, lease.start_at - self.ledger.clock()) / 1_000_000)
        self.ledger.runner.write(run_event, SERVICE, DueEvent(lease=lease.uuid, kind=START))

    def end(self) -> None:
        leases.delete(self.ledger, self.leases.pop(self.chance.randrange(len(self.leases) or 1)))

    def move(self) -> None:
        start = self.chance.randrange(6)
        leases.change(
            self.ledger, self.chance.choice(self.leases), start_at=leases.at(start), end_at=leases.at(start + 1)
        )

    def reassign(self) -> None:
        """Take a host out of service, and find others for its reservations."""
        booked = {row["node"] for row in event_rows.rows(self.ledger.store) if row["type"] == "booking.created"}
        self.ledger.change(self.chance.choice([node for node in self.nodes if node.uuid in booked]), maintenance=True)
        for each in self.ledger.runner.read(list_affected_reservations, SERVICE, 10):
            command = ReassignHosts(lease=each.lease, reservation=each.reservation, cleaning_minutes=0, seed=1)
            self.ledger.runner.write(reassign_hosts, SERVICE, command)

    def _some_traits(self) -> tuple[str, ...]:
        return tuple(self.chance.sample(TRAITS, self.chance.randrange(3)))


@pytest.mark.parametrize("seed", range(6, 6 + int(os.environ.get("HISTORIES", "2"))))
def test_random_history_is_explained_as_it_was_at_each_moment(ledger: Ledger, seed: int) -> None:
    site = Site(ledger, seed)
    seen = []
    for _ in range(60):
        site.act()
        seen.append((ledger.clock(), [answer(why(ledger, question)) for question in QUESTIONS]))
    reasons = {reason for _, answers in seen for _, _, found, _ in answers for reason in found}
    assert len(reasons) > 2
    for moment, answers in seen:
        assert [answer(why_at(ledger, moment, question)) for question in QUESTIONS] == answers


def test_deleted_node_and_node_of_another_class_count_as_they_were(ledger: Ledger) -> None:
    gone, moved = ledger.enrol(resource_class="gold", name="gone"), ledger.enrol(resource_class="gold")
    ledger.change(gone, maintenance=True)
    moment = ledger.clock()
    ledger.runner.write(delete_node, SERVICE, gone.uuid)
    ledger.change(moved, resource_class="silver")
    later = ledger.enrol(resource_class="gold")
    assert answer(why_at(ledger, moment)) == (
        True,
        1,
        {"in_maintenance": 1},
        "2 nodes of class gold: 1 free, 1 in maintenance",
    )
    for ident in ("gone", gone.uuid.upper()):
        named = ExplainNodes(resource_class="gold", candidate_nodes=(ident, later.uuid))
        assert why_at(ledger, moment, named).text == "1 candidate node of class gold: 1 in maintenance"


def test_booking_of_a_lease_to_come_counts_from_its_creation_to_its_deletion(ledger: Ledger) -> None:
    leases.register(ledger, ledger.enrol(resource_class="gold"))
    moments = [ledger.clock()]
    made = leases.lease(ledger, 1, 2, leases.whole())
    moments.append(ledger.clock())
    leases.delete(ledger, made)
    moments.append(ledger.clock())
    assert [dict(why_at(ledger, moment).reasons) for moment in moments] == [{}, {"booked": 1}, {}]


def test_project_learns_about_nodes_that_were_its_own_then(ledger: Ledger) -> None:
    node = ledger.enrol(resource_class="gold", owner="p1")
    first = ledger.clock()
    ledger.change(node, owner="p2")
    for project, moment, free in (("p1", first, 1), ("p1", ledger.clock(), 0), ("p2", first, 0)):
        assert why_at(ledger, moment, ExplainNodes(resource_class="gold", owner=project)).free == free


def test_caller_that_names_a_node_learns_nothing_when_it_may_not_see_it(ledger: Ledger) -> None:
    node = ledger.enrol(resource_class="gold")
    named = ExplainNodes(resource_class="gold", candidate_nodes=(node.uuid,))
    moment = ledger.clock()
    assert why_at(ledger, moment, named, granted(SEE_NODE)).free == 1
    assert why_at(ledger, moment, named, granted("other")).text == "no candidate nodes of class gold"


def test_moment_in_the_future_or_before_the_events_is_refused(ledger: Ledger) -> None:
    with pytest.raises(BadValue, match="known for no time"):
        why_at(ledger, ledger.clock())
    began = ledger.clock()
    node = ledger.enrol(resource_class="gold")
    with pytest.raises(BadValue, match="is in the future"):
        why_at(ledger, ledger.clock() + 1_000_000)
    with pytest.raises(
        BadValue, match=f"is too long ago: the past of nodes is known from {format_time(began + 1)[:19]}"
    ):
        why_at(ledger, began - 1)
    moment = ledger.clock()
    ledger.clock.move(100)
    ledger.change(node, description="x")
    assert why_at(ledger, moment).free == 1
    ledger.runner.write(remove_old_events, SERVICE, RemoveOldEvents(seconds=10))
    with pytest.raises(BadValue, match="too long ago"):
        why_at(ledger, moment)


def test_only_so_many_events_are_undone(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(past_why, "EVENTS_MAX", 3)
    node = ledger.enrol(resource_class="gold")
    moments = []
    for text in "abcd":
        ledger.change(node, description=text)
        moments.append(ledger.clock())
    assert why_at(ledger, moments[-3]).free == 1
    with pytest.raises(BadValue, match="no older events among the latest 3"):
        why_at(ledger, moments[0])


def test_statements_do_not_grow_with_nodes_and_events(ledger: Ledger) -> None:
    ledger.enrol(resource_class="gold")
    moment = ledger.clock()
    few = statements(ledger, lambda: why_at(ledger, moment))
    for _ in range(5):
        ledger.change(ledger.enrol(resource_class="gold"), maintenance=True)
    assert statements(ledger, lambda: why_at(ledger, moment)) <= few
