"""Law 1 with holds: of all concurrent requests for a node, in any dialect, exactly one gets it."""

import random
import uuid
from collections.abc import Callable

from dibs.access.access import SERVICE
from dibs.allocations.operations.creating import CreateAllocation, create_allocation
from dibs.conductor.expiry import expire_holds
from dibs.errors import DibsError
from dibs.ledger.model.claims import ClaimRequest
from dibs.ledger.model.errors import CapacityExceeded, ConsumerGenerationConflict
from dibs.ledger.operations.claims import ReplaceClaims, replace_claims
from dibs.machines.model.errors import (
    HoldExists,
    HoldNotFound,
    InstanceOfAnother,
    NodeAssociated,
    NodeClaimed,
    NodeHeld,
    NodeLocked,
    NothingToHold,
    WrongState,
)
from dibs.machines.model.holds import Hold
from dibs.machines.model.nodes import Node
from dibs.machines.operations.holds import (
    CreateHold,
    RenewHold,
    create_hold,
    delete_hold,
    get_hold,
    renew_hold,
)
from dibs.machines.operations.provisioning import RequestProvision, request_provision
from tests.builders import Ledger, trusted
from tests.laws import assert_lawful
from tests.races.crowd import all_at_once

CALLERS = 16
ROUNDS = 5


def new() -> str:
    return str(uuid.uuid4())


def hold(ledger: Ledger, *nodes: Node, instance: str | None = None, seconds: float = 60) -> Hold:
    command = CreateHold(
        uuid=new(),
        instance_uuid=instance or new(),
        nodes=tuple(node.uuid for node in nodes),
        seconds=seconds,
    )
    return ledger.runner.write(create_hold, SERVICE, command)


def deploy(ledger: Ledger, node: Node, proof: str | None = None) -> Node:
    command = RequestProvision(ident=node.uuid, rules=(), verb="active", hold_uuid=proof)
    return ledger.runner.write(request_provision, SERVICE, command)


def claim(ledger: Ledger, node: Node) -> str:
    consumer = new()
    request = ClaimRequest(consumer=consumer, resources={node.uuid: {"CUSTOM_GOLD": 1}}, project_id="p", user_id="u")
    ledger.runner.write(replace_claims, SERVICE, ReplaceClaims(requests=(request,)))
    return consumer


def won(answers: list[object]) -> list[object]:
    """Return the answers that granted the node; every other answer must be an expected refusal."""
    refusals = (
        CapacityExceeded,
        HoldNotFound,
        NodeAssociated,
        NodeClaimed,
        NodeHeld,
        NodeLocked,
        NothingToHold,
        WrongState,
    )
    assert all(isinstance(each, refusals) or not isinstance(each, Exception) for each in answers), answers
    return [each for each in answers if not isinstance(each, Exception)]


def test_one_of_many_concurrent_holds_on_a_node_is_created(ledger: Ledger, database_url: str) -> None:
    for resource_class in ["gold", None] * ROUNDS:
        node = ledger.enrol(resource_class=resource_class)
        answers = all_at_once(CALLERS, lambda _, node=node: hold(ledger, node))
        (winner,) = won(answers)
        assert ledger.runner.read(get_hold, SERVICE, winner.uuid) == winner
    assert_lawful(database_url)


def test_as_many_concurrent_holds_as_nodes_all_get_one_in_any_order(ledger: Ledger, database_url: str) -> None:
    nodes = [ledger.enrol(resource_class="gold") for _ in range(CALLERS)]
    answers = all_at_once(CALLERS, lambda number: hold(ledger, *random.Random(number).sample(nodes, CALLERS)))
    assert len({made.node_uuid for made in won(answers)}) == CALLERS
    assert_lawful(database_url)


def test_one_instance_holds_exactly_one_of_many_nodes(ledger: Ledger, database_url: str) -> None:
    nodes = [ledger.enrol(resource_class="gold") for _ in range(CALLERS)]
    instance = new()
    answers = all_at_once(CALLERS, lambda number: hold(ledger, nodes[number], instance=instance))
    assert sum(isinstance(answer, Hold) for answer in answers) == 1, answers
    assert all(isinstance(answer, Hold | HoldExists) for answer in answers), answers
    assert_lawful(database_url)


def test_one_of_concurrent_holds_claims_and_instances_gets_a_node(ledger: Ledger) -> None:
    ways: list[Callable[[Node], object]] = [
        lambda node: hold(ledger, node),
        lambda node: claim(ledger, node),
        lambda node: ledger.change(node, instance_uuid=new()),
    ]
    for _ in range(ROUNDS):
        node = ledger.enrol(resource_class="gold")
        answers = all_at_once(12, lambda number, node=node: ways[number % 3](node))
        assert len(won(answers)) == 1, answers
        assert ledger.unit(node)["used"] == 1


def test_hold_is_consumed_exactly_once(ledger: Ledger, database_url: str) -> None:
    for number in range(ROUNDS):
        node = ledger.enrol(resource_class="gold")
        made = hold(ledger, node)
        request = CreateAllocation(resource_class="gold", hold=made.uuid)
        ways: list[Callable[[], object]] = [
            lambda node=node, made=made: deploy(ledger, node, made.uuid),
            lambda request=request: ledger.runner.write(create_allocation, SERVICE, request),
            lambda made=made: ledger.runner.write(delete_hold, SERVICE, made.uuid),
        ]
        chance = random.Random(number)
        calls = [chance.choice(ways) for _ in range(CALLERS)]
        assert len(won(all_at_once(CALLERS, lambda number, calls=calls: calls[number]()))) == 1
    assert_lawful(database_url)


def test_no_other_consumer_gets_a_node_while_its_hold_is_consumed(ledger: Ledger, database_url: str) -> None:
    for _ in range(ROUNDS):
        node = ledger.enrol(resource_class="gold")
        made = hold(ledger, node)
        ways: list[Callable[[], object]] = [
            lambda node=node, made=made: deploy(ledger, node, made.uuid),
            lambda node=node: claim(ledger, node),
            lambda node=node: ledger.change(node, instance_uuid=new()),
            lambda node=node: hold(ledger, node),
        ]
        answers = all_at_once(CALLERS, lambda number, ways=ways: ways[min(number, 1 + number % 3)]())
        (winner,) = won(answers)
        assert isinstance(winner, Node)
        assert ledger.node(node).instance_uuid == made.instance_uuid
    assert_lawful(database_url)


def test_hold_that_expires_during_a_deploy_is_either_consumed_or_expired(ledger: Ledger, database_url: str) -> None:
    consumed = expired = 0
    for number in range(ROUNDS * 3):
        node = ledger.enrol(resource_class="gold")
        made = hold(ledger, node, seconds=1)
        # The ledger's clock advances one microsecond per reading, so the hold expires while the callers run.
        ledger.clock.moved += made.expires_at - ledger.clock() - number
        answers = all_at_once(
            8,
            lambda number, node=node, made=made: (
                deploy(ledger, node, made.uuid) if number % 2 else expire_holds(ledger.runner)
            ),
        )
        deployed = [answer for answer in answers if isinstance(answer, Node)]
        ended = sum(answer for answer in answers if isinstance(answer, int))
        assert all(not isinstance(answer, Exception) or isinstance(answer, DibsError) for answer in answers), answers
        if deployed:
            assert (len(deployed), ended) == (1, 0), answers
            assert ledger.node(node).instance_uuid == made.instance_uuid
            consumed += 1
        else:
            expire_holds(ledger.runner)
            assert ledger.unit(node)["used"] == 0
            expired += 1
    assert consumed + expired == ROUNDS * 3
    assert_lawful(database_url)


def test_renewal_before_the_end_keeps_the_node(ledger: Ledger, database_url: str) -> None:
    node = ledger.enrol(resource_class="gold")
    made = hold(ledger, node)
    ledger.clock.move(59)
    renewal = RenewHold(uuid=made.uuid, seconds=60)
    ledger.runner.write(renew_hold, SERVICE, renewal)
    ledger.clock.move(30)
    answers = all_at_once(
        8,
        lambda number: ledger.runner.write(renew_hold, SERVICE, renewal) if number % 2 else expire_holds(ledger.runner),
    )
    assert [answer for answer in answers if not isinstance(answer, Hold)] == [0] * 4, answers
    assert ledger.unit(node)["used"] == 1
    assert_lawful(database_url)


def test_hold_and_claim_of_another_project_never_share_a_consumer(ledger: Ledger, database_url: str) -> None:
    """The second of the two is refused, at whichever lock it waits for the first."""
    stranger = trusted(user="s", project="stranger", roles=frozenset({"member"}))
    for _ in range(ROUNDS * 4):
        kept, claimed = (ledger.enrol(resource_class="gold") for _ in range(2))
        instance = new()
        command = CreateHold(uuid=new(), instance_uuid=instance, nodes=(kept.uuid,), seconds=60)
        request = ClaimRequest(
            consumer=instance, resources={claimed.uuid: {"CUSTOM_GOLD": 1}}, generation=None, project_id="p"
        )
        ways: list[Callable[[], object]] = [
            lambda command=command: ledger.runner.write(create_hold, stranger, command),
            lambda request=request: ledger.runner.write(replace_claims, SERVICE, ReplaceClaims(requests=(request,))),
        ]
        random.shuffle(ways)
        answers = all_at_once(2, lambda number, ways=ways: ways[number]())
        refusals = [answer for answer in answers if isinstance(answer, Exception)]
        assert len(refusals) == 1, answers
        assert isinstance(refusals[0], InstanceOfAnother | ConsumerGenerationConflict), answers
    assert_lawful(database_url)
