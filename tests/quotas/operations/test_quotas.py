"""Set, show, list and remove quotas."""

import pytest

from dibs.access.access import SERVICE
from dibs.errors import BadValue, Forbidden
from dibs.ledger.model.events import CapacityFreed
from dibs.quotas.model.access import GET, LIST_ALL
from dibs.quotas.model.errors import QuotaNotFound
from dibs.quotas.model.quotas import CLASSES_MAX, Limits
from dibs.quotas.operations.quotas import ListQuotas, SetQuota, get_quota, list_quotas, set_quota
from tests.builders import Ledger, granted
from tests.event_rows import rows
from tests.quota_builders import limit, unlimit


def limits(ledger: Ledger, project: str = "p") -> dict[str, Limits]:
    return dict(ledger.runner.read(get_quota, SERVICE, project).quota.limits)


def test_limits_are_set_one_by_one(ledger: Ledger) -> None:
    limit(ledger, "p", nodes=4)
    limit(ledger, "p", queued=2)
    limit(ledger, "p", "gold", node_hours=100, lease_seconds=60)
    limit(ledger, "p", nodes=5)
    assert limits(ledger) == {
        "": Limits(nodes=5, queued=2),
        "gold": Limits(node_hours=100, lease_seconds=60),
    }
    assert limits(ledger, "other") == {}


def test_class_without_limits_is_forgotten(ledger: Ledger) -> None:
    limit(ledger, "p", "gold", nodes=4)
    limit(ledger, "p", "silver", nodes=4)
    limit(ledger, "p", "gold", nodes=None)
    assert limits(ledger) == {"silver": Limits(nodes=4)}
    limit(ledger, "p", "silver", nodes=None)
    assert limits(ledger) == {}
    limit(ledger, "p", "silver", nodes=None)
    assert ledger.runner.read(list_quotas, SERVICE, ListQuotas(limit=10)) == []


def test_removal_of_one_class_or_of_all(ledger: Ledger) -> None:
    for resource_class in ("", "gold", "silver"):
        limit(ledger, "p", resource_class, nodes=4)
    unlimit(ledger, "p", "gold")
    unlimit(ledger, "p", "")
    assert set(limits(ledger)) == {"silver"}
    with pytest.raises(QuotaNotFound, match="Project p has no quota for class gold"):
        unlimit(ledger, "p", "gold")
    unlimit(ledger, "p")
    with pytest.raises(QuotaNotFound, match=r"Project p has no quota\."):
        unlimit(ledger, "p")


def test_classes_of_a_project_are_bounded(ledger: Ledger) -> None:
    for number in range(CLASSES_MAX):
        limit(ledger, "p", f"class-{number}", nodes=1)
    with pytest.raises(BadValue, match="at most 100 classes"):
        limit(ledger, "p", "another", nodes=1)
    limit(ledger, "p", "class-0", nodes=2)


def test_list_is_paged_in_the_order_of_projects(ledger: Ledger) -> None:
    for project in ("c", "a", "b"):
        limit(ledger, project, nodes=1)
    pages = [
        [quota.project for quota in ledger.runner.read(list_quotas, SERVICE, ListQuotas(limit=2, marker=marker))]
        for marker in ("", "b")
    ]
    assert pages == [["a", "b"], ["c"]]


def test_caller_sees_the_quota_of_its_project_only(ledger: Ledger) -> None:
    limit(ledger, "p", nodes=1)
    limit(ledger, "q", nodes=1)
    member = granted(GET, project="p")
    assert [quota.project for quota in ledger.runner.read(list_quotas, member, ListQuotas(limit=9))] == ["p"]
    ledger.runner.read(get_quota, member, "p")
    with pytest.raises(Forbidden, match=LIST_ALL):
        ledger.runner.read(get_quota, member, "q")
    with pytest.raises(Forbidden):
        ledger.runner.read(list_quotas, granted(GET), ListQuotas(limit=9))
    with pytest.raises(Forbidden):
        ledger.runner.write(set_quota, member, SetQuota(project="p", limits={"nodes": 9}))


def test_every_change_is_an_event_and_wakes_the_queue(ledger: Ledger) -> None:
    woken: list[None] = []
    ledger.runner.subscribe(CapacityFreed, lambda: woken.append(None))
    limit(ledger, "p", nodes=1)
    limit(ledger, "p", nodes=2)
    unlimit(ledger, "p")
    assert len(woken) == 3
    one, two = ({"limits": {"": {"nodes": number}}} for number in (1, 2))
    events = [event for event in rows(ledger.store) if event["type"].startswith("quota.")]
    assert {(event["object_id"], event["project_id"]) for event in events} == {("p", "p")}
    assert [(event["type"], event["before_state"], event["after_state"]) for event in events] == [
        ("quota.created", None, one),
        ("quota.changed", one, two),
        ("quota.deleted", two, None),
    ]
