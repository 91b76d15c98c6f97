"""Count what projects have of the nodes, and set their weights."""

import pytest

from dibs.access.access import SERVICE
from dibs.errors import Forbidden
from dibs.ledger.model.events import CapacityFreed
from dibs.quotas.model.access import GET, LIST_ALL
from dibs.quotas.model.errors import ShareNotFound
from dibs.quotas.model.shares import FORGOTTEN_AFTER, Share
from dibs.quotas.operations.shares import ListShares, SetWeight, forget_shares, list_shares, set_weight
from tests.allocation_builders import Steps, allocate, gold, hold, release
from tests.builders import Ledger, granted
from tests.event_rows import rows
from tests.provider_builders import statements
from tests.share_builders import HALF_LIFE_SECONDS, share_fairly, share_of, weigh


def test_weight_is_set_and_removed(ledger: Ledger) -> None:
    weigh(ledger, "p", 5)
    assert (share_of(ledger, "p").weight, share_of(ledger, "other").weight) == (5, None)
    weigh(ledger, "p", None)
    assert share_of(ledger, "p").weight is None
    with pytest.raises(ShareNotFound, match="Project p has no weight"):
        weigh(ledger, "p", None)
    with pytest.raises(ShareNotFound):
        weigh(ledger, "nosuch", None)


def test_another_weight_is_an_event_and_wakes_the_conductors(ledger: Ledger) -> None:
    woken = []
    ledger.runner.subscribe(CapacityFreed, lambda: woken.append(True))
    weigh(ledger, "p", 5)
    assert woken == [True]
    (event,) = rows(ledger.store)
    assert (event["type"], event["project_id"], event["after_state"]) == ("share.changed", "p", {"weight": 5})


def test_only_those_who_may_change_quotas_set_weights_and_members_see_their_own(ledger: Ledger) -> None:
    for project in ("p", "q"):
        weigh(ledger, project, 2)
    member = granted(GET, project="p")
    with pytest.raises(Forbidden):
        ledger.runner.write(set_weight, member, SetWeight(project="p", weight=9))
    listed = [ledger.runner.read(list_shares, access, ListShares(limit=9)) for access in (member, granted(LIST_ALL))]
    assert [[each.project for each in found] for found in listed] == [["p"], ["p", "q"]]
    page = ledger.runner.read(list_shares, SERVICE, ListShares(limit=1, marker="p"))
    assert [each.project for each in page] == ["q"]


def test_nodes_of_a_project_are_counted_on_every_path(ledger: Ledger) -> None:
    share_fairly(ledger)
    steps = Steps(ledger, "conductor-1")
    nodes = [gold(ledger, owner="p") for _ in range(2)]
    made = allocate(ledger, owner="p")
    steps.grant(made, nodes[0].uuid)
    assert (share_of(ledger, "p").nodes, share_of(ledger, "p").average) == (1, 0.0)
    ledger.clock.move(HALF_LIFE_SECONDS)
    hold(ledger, nodes[1])
    assert share_of(ledger, "").nodes == 1, "a hold of a caller without a project"
    release(ledger, made)
    assert share_of(ledger, "p").nodes == 0
    assert share_of(ledger, "p").average == pytest.approx(0.5, rel=1e-3)


def test_share_that_is_not_counted_yet_begins_with_the_nodes_of_the_project(ledger: Ledger) -> None:
    steps = Steps(ledger, "conductor-1")
    nodes = [gold(ledger, owner="p") for _ in range(3)]
    for node in nodes[:2]:
        steps.grant(allocate(ledger, owner="p"), node.uuid)
    assert share_of(ledger, "p") == Share(project="p"), "nothing is counted where the first come are served first"
    share_fairly(ledger)
    steps.grant(allocate(ledger, owner="p"), nodes[2].uuid)
    assert (share_of(ledger, "p").nodes, share_of(ledger, "p").average) == (3, 2.0)


def test_counting_takes_a_fixed_number_of_statements_and_none_by_default(ledger: Ledger) -> None:
    steps = Steps(ledger, "conductor-1")
    nodes = [gold(ledger, owner="p") for _ in range(4)]
    made = [allocate(ledger, owner="p") for _ in nodes]
    first, second, third, fourth = zip(made, nodes, strict=True)
    plain = statements(ledger, lambda: steps.grant(first[0], first[1].uuid))
    share_fairly(ledger)
    steps.grant(second[0], second[1].uuid)
    fair = [statements(ledger, lambda each=each: steps.grant(each[0], each[1].uuid)) for each in (third, fourth)]
    assert fair[0] == fair[1] <= plain + 10


def test_shares_that_say_nothing_any_more_are_forgotten(ledger: Ledger) -> None:
    share_fairly(ledger)
    steps = Steps(ledger, "conductor-1")
    steps.grant(allocate(ledger, owner="p"), gold(ledger, owner="p").uuid)
    weigh(ledger, "q", 2)
    ledger.clock.move(FORGOTTEN_AFTER * HALF_LIFE_SECONDS - 60)
    assert ledger.runner.write(forget_shares, SERVICE, None) == 0
    ledger.clock.move(120)
    assert ledger.runner.write(forget_shares, SERVICE, None) == 1
    assert [each.project for each in ledger.runner.read(list_shares, SERVICE, ListShares(limit=9))] == ["q"]
