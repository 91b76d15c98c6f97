"""Allocations on their way to a conductor: which one is called, what follows without an answer, what repeats."""

import contextlib
import threading
import uuid

import pytest

from dibs.access.access import EVERY_PROJECT, SERVICE
from dibs.access.actor import Actor
from dibs.access.machine_policy import MachinePolicy
from dibs.allocations.model.allocations import AllocationQuery
from dibs.allocations.model.errors import AllocationExists, AllocationNotFound, NoConductorAvailable
from dibs.allocations.operations.allocations import delete_allocation
from dibs.allocations.operations.creating import CreateAllocation, create_allocation
from dibs.allocations.queries import allocations
from dibs.database.errors import DeadlinePassed
from dibs.errors import BadValue, Forbidden
from dibs.machines.operations.conductors import RegisterConductor, register_conductor
from dibs.machines.operations.holds import CreateHold, create_hold
from dibs.machines.queries import conductors
from dibs.rpc.client import Caller
from dibs.rpc.intake import CREATE, DESTROY, UNANSWERED_MAX, RemoteIntake
from dibs.rpc.intake import procedures as real_procedures
from dibs.rpc.server import Calls
from dibs.rpc.signing import CallVerifier
from tests.bed.processes import free_port
from tests.bed.waiting import eventually
from tests.http.edge.echo_server import running_server

SECRET = "a secret of some length"


def failing(procedure):
    """Carry the call out, and fail before the answer."""

    def carry_out(actor, params):
        procedure(actor, params)
        raise RuntimeError("failed after the commit")

    return carry_out


class Conductors:
    """Conductors of one ledger that take calls in this process."""

    def __init__(self, ledger, stack):
        self.ledger = ledger
        self.stack = stack
        self.woken = []
        self.registered = {}
        caller = Caller(SECRET, ledger.clock, timeout_seconds=10)
        self.intake = RemoteIntake(ledger.runner, caller)

    def procedures(self, name, incarnation):
        return real_procedures(
            self.ledger.runner, MachinePolicy(), lambda: incarnation, lambda: self.woken.append(name)
        )

    def start(self, name, *, breaks=False, procedures=None):
        incarnation = str(uuid.uuid4())
        known = procedures or self.procedures(name, incarnation)
        calls = Calls(
            {method: failing(procedure) for method, procedure in known.items()} if breaks else known,
            incarnation=lambda: incarnation,
            verifier=CallVerifier(SECRET, self.ledger.clock),
            secret=SECRET,
        )
        server = self.stack.enter_context(running_server(dialect=calls))
        self.register(name, incarnation, f"{server.url}/rpc")

    def register(self, name, incarnation, url):
        self.registered[name] = (url, incarnation)
        command = RegisterConductor(hostname=name, group="", drivers=(), incarnation=incarnation, rpc_url=url)
        self.ledger.runner.write(register_conductor, SERVICE, command)

    def create(self, **values):
        return self.intake.create(SERVICE, CreateAllocation(**{"resource_class": "gold", **values}))

    def written(self, **values):
        """Return an allocation of a call whose answer was lost."""
        command = CreateAllocation(**{"resource_class": "gold", **values})
        return self.ledger.runner.write(create_allocation, SERVICE, command)

    def delete(self, allocation):
        self.intake.delete(SERVICE, allocation.uuid)

    def all(self):
        return self.ledger.store.read(lambda tx: allocations.page(tx, AllocationQuery(projects=EVERY_PROJECT)))


@pytest.fixture
def site(ledger):
    with contextlib.ExitStack() as stack:
        yield Conductors(ledger, stack)


def test_procedures_have_the_names_of_the_specification():
    assert (CREATE, DESTROY) == ("create_allocation", "destroy_allocation")


def test_called_conductor_gets_the_allocation(site):
    site.start("c1")
    made = site.create(name="db-1", traits=("CUSTOM_GPU",), extra={"a": [1]}, sticky=True, wait_seconds=5)
    assert site.all() == [made]
    assert (made.name, made.traits, made.extra, made.sticky) == ("db-1", ("CUSTOM_GPU",), {"a": [1]}, True)
    assert site.ledger.store.read(lambda tx: conductors.get_by_id(tx, made.conductor_id)).hostname == "c1"
    assert site.woken == ["c1"]


def test_destroyed_allocation_is_gone(site):
    site.start("c1")
    site.delete(site.create())
    assert site.all() == []


def test_conductor_that_takes_no_calls_is_not_called(site):
    with pytest.raises(NoConductorAvailable):
        site.create()
    assert site.all() == []


def test_conductor_that_cannot_be_reached_is_skipped(site):
    site.register("gone", str(uuid.uuid4()), f"http://127.0.0.1:{free_port()}/rpc")
    site.start("c1")
    for _ in range(6):
        site.create()
    assert site.woken == ["c1"] * 6


def test_client_gets_an_error_after_three_conductors_that_do_not_answer(site, caplog):
    for number in range(5):
        site.register(f"gone-{number}", str(uuid.uuid4()), f"http://127.0.0.1:{free_port()}/rpc")
    with pytest.raises(NoConductorAvailable):
        site.create()
    assert len([line for line in caplog.messages if "cannot be reached" in line]) == UNANSWERED_MAX == 3


def test_call_that_failed_after_its_commit_is_not_carried_out_twice(site):
    site.start("broken", breaks=True)
    site.start("c1")
    made = [site.create() for _ in range(8)]
    assert {allocation.uuid for allocation in site.all()} == {allocation.uuid for allocation in made}
    assert len(made) == 8


def test_allocation_is_returned_when_the_only_conductor_fails_after_its_commit(site):
    site.start("broken", breaks=True)
    made = site.create(name="db-1")
    assert site.all() == [made]


def test_destroy_that_failed_after_its_commit_raises_nothing(site):
    site.start("broken", breaks=True)
    site.start("c1")
    for _ in range(8):
        site.delete(site.create())
    assert site.all() == []


def test_call_after_its_deadline_changes_nothing(site):
    site.start("c1")
    made = site.create()
    _, incarnation = site.registered["c1"]
    known, passed = site.procedures("c1", incarnation), site.ledger.clock()
    for method, allocation in ((CREATE, {"resource_class": "gold"}), (DESTROY, {"uuid": made.uuid})):
        with pytest.raises(DeadlinePassed):
            known[method](SERVICE.actor, {"allocation": allocation, "deadline": passed})
    assert (site.all(), site.woken) == ([made], ["c1"])


class Frozen:
    """The calls of a conductor that was frozen: it carries them out when the client has its answer from another one."""

    def __init__(self, procedures):
        self.procedures = procedures
        self.thawed = threading.Event()
        self.errors = []

    def create(self, actor, params):
        self.thawed.wait(60)
        try:
            self.procedures[CREATE](actor, params)
        except DeadlinePassed as error:
            self.errors.append(error)


def test_deleted_allocation_is_not_created_by_a_conductor_that_was_frozen(site):
    site.intake = RemoteIntake(site.ledger.runner, Caller(SECRET, site.ledger.clock, timeout_seconds=0.2))
    frozen = Frozen(site.procedures("frozen", None))
    site.start("frozen", procedures={CREATE: frozen.create})
    ident = str(uuid.uuid4())
    with pytest.raises(NoConductorAvailable):
        site.create(uuid=ident)
    # Another conductor takes the call, and the client deletes the allocation.
    site.ledger.runner.write(delete_allocation, SERVICE, site.written(uuid=ident).uuid)
    site.ledger.clock.move(0.2)
    frozen.thawed.set()
    eventually(lambda: frozen.errors, what="the end of the late call")
    assert site.all() == []


def test_uuid_of_another_allocation_is_refused(site):
    site.start("c1")
    made = site.create()
    with pytest.raises(AllocationExists):
        site.create(uuid=made.uuid)


def test_uuid_of_another_allocation_is_refused_after_a_failed_call_too(site):
    site.start("broken", breaks=True)
    made = site.create(name="db-1")
    with pytest.raises(AllocationExists):
        site.create(uuid=made.uuid, name="db-2")
    assert len(site.all()) == 1


def test_only_an_equal_allocation_counts_as_the_result_of_a_failed_call(site):
    site.start("deaf", breaks=True, procedures={CREATE: lambda actor, params: None})
    nodes = [site.ledger.enrol(resource_class="gold").uuid for _ in range(2)]
    asked = {"name": "db-1", "traits": ("CUSTOM_A",), "candidate_nodes": (nodes[0],), "extra": {"a": 1}}
    made = site.written(**asked)
    assert site.create(**asked, uuid=made.uuid) == made
    for other in (
        {"traits": ()},
        {"candidate_nodes": (nodes[1],)},
        {"candidate_nodes": ()},
        {"extra": {}},
        {"owner": "p"},
        {"resource_class": "tin"},
        {"sticky": True},
        {"wait_seconds": 5},
    ):
        with pytest.raises(NoConductorAvailable):
            site.create(**{**asked, "uuid": made.uuid, **other})
    assert site.all() == [made]


def test_allocation_for_another_node_is_not_the_result_of_a_failed_call(site):
    site.start("deaf", breaks=True, procedures={CREATE: lambda actor, params: None})
    nodes = [site.ledger.enrol(resource_class="gold", state="active") for _ in range(2)]
    made = site.written(node=nodes[0].uuid)
    assert site.create(uuid=made.uuid, node=nodes[0].uuid) == made
    with pytest.raises(NoConductorAvailable):
        site.create(uuid=made.uuid, node=nodes[1].uuid)


def test_missing_allocation_cannot_be_destroyed(site):
    site.start("c1")
    made = site.create()
    site.delete(made)
    with pytest.raises(AllocationNotFound):
        site.delete(made)


BLUE = Actor(user="u", project="blue", roles=frozenset({"member", "reader"}))


def test_access_is_checked_before_a_call_is_made(site):
    site.start("c1")
    node = site.ledger.enrol(resource_class="gold", owner="red")
    theirs = site.written(owner="red")
    access = MachinePolicy().access(BLUE)
    hidden = CreateAllocation(resource_class="gold", owner="blue", candidate_nodes=(node.uuid,))
    with pytest.raises(BadValue, match="cannot be found"):
        site.intake.create(access, hidden)
    with pytest.raises(AllocationNotFound):
        site.intake.delete(access, theirs.uuid)
    assert (site.all(), site.woken) == ([theirs], [])


def forged(site, actor, method, allocation):
    """Call a conductor as an API process that checks nothing."""
    (url, incarnation) = site.registered["c1"]
    return Caller(SECRET, site.ledger.clock, timeout_seconds=10).call(
        url, incarnation, method, actor, allocation=allocation
    )


def test_forged_destroy_of_another_projects_allocation_is_refused_at_the_conductor(site):
    site.start("c1")
    theirs, ours = site.written(owner="red"), site.written(owner="blue")
    with pytest.raises(AllocationNotFound):
        forged(site, BLUE, DESTROY, {"uuid": theirs.uuid})
    reader = Actor(user="u", project="blue", roles=frozenset({"reader"}))
    with pytest.raises(Forbidden):
        forged(site, reader, DESTROY, {"uuid": ours.uuid})
    assert (site.all(), site.woken) == ([theirs, ours], [])
    forged(site, BLUE, DESTROY, {"uuid": ours.uuid})
    assert site.all() == [theirs]


@pytest.mark.parametrize("owner", ["red", None])
def test_forged_create_for_another_project_is_refused_at_the_conductor(site, owner):
    site.start("c1")
    values = {"resource_class": "gold", "traits": [], "candidate_nodes": [], "owner": owner}
    with pytest.raises(Forbidden):
        forged(site, BLUE, CREATE, values)
    assert (site.all(), site.woken) == ([], [])


def test_names_of_candidates_become_uuids(site):
    site.start("c1")
    node = site.ledger.enrol(resource_class="gold", name="db-1")
    assert site.create(candidate_nodes=("db-1",)).candidate_nodes == (node.uuid,)


@pytest.mark.parametrize("breaks", [False, True])
def test_held_node_goes_to_the_allocation_once(site, breaks):
    site.start("c1", breaks=breaks)
    site.start("c2", breaks=breaks)
    node = site.ledger.enrol(resource_class="gold")
    proof = str(uuid.uuid4())
    hold = CreateHold(uuid=proof, instance_uuid=proof, nodes=(node.uuid,), seconds=60)
    site.ledger.runner.write(create_hold, SERVICE, hold)
    made = site.create(hold=proof)
    assert (made.state, made.node_uuid) == ("active", node.uuid)
    assert site.all() == [made]


def test_deployed_node_gets_its_allocation_and_loses_it_by_the_node(site):
    site.start("c1")
    node = site.ledger.enrol(state="active", resource_class="gold")
    instance = str(uuid.uuid4())
    site.ledger.change(node, instance_uuid=instance)
    made = site.create(node=node.uuid, resource_class=None)
    assert (made.uuid, made.state, made.node_uuid) == (instance, "active", node.uuid)
    site.ledger.change(node, maintenance=True)
    site.intake.delete_of_node(SERVICE, node.uuid)
    assert site.ledger.node(node).instance_uuid is None
