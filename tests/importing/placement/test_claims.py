"""Copy of claims."""

from typing import Any

import pytest

from dibs.importing import Report
from dibs.importing.placement.claims import NO_OWNER, ClaimCopier
from tests.importing.fake_service import FakeService

NONE: dict[str, Any] = {"allocations": {}}


def claims(*providers: str, user: str = "eva", **more: Any) -> dict[str, Any]:
    resources = {provider: {"resources": {"VCPU": 1}} for provider in providers}
    return {"allocations": resources, "project_id": "p", "user_id": user, "consumer_generation": 3, **more}


def copy(original: dict[str, Any], found: dict[str, Any], report: Report) -> list[Any]:
    """Copy the claims of one consumer on two providers; return the bodies of the writes."""
    used = {"allocations": {"consumer": {}}}
    providers = {f"/resource_providers/{each}/allocations": used for each in "ab"}
    source, target = FakeService({**providers, "/allocations/consumer": original}), FakeService()
    target.documents["/allocations/consumer"] = found

    def write(method: str, path: str, body: Any) -> None:
        target.documents[path] = body

    target.on_write = write
    ClaimCopier(source, target, report).copy_all([{"uuid": "b"}, {"uuid": "a"}])
    return [body for _, _, body in target.writes]


def test_a_consumer_of_two_providers_is_written_once(report: Report) -> None:
    (body,) = copy(claims("a", "b", consumer_type="INSTANCE"), NONE, report)
    assert (set(body["allocations"]), body["consumer_type"], body["consumer_generation"]) == (
        {"a", "b"},
        "INSTANCE",
        None,
    )
    assert report.counts["claim"] == {"copied": 1}


def test_a_consumer_without_a_type_is_written_without_one(report: Report) -> None:
    (body,) = copy(claims("a", consumer_type="unknown"), NONE, report)
    assert "consumer_type" not in body


@pytest.mark.parametrize(("user", "writes"), [(NO_OWNER, 1), ("eva", 0), ("ada", 0)])
def test_existing_claims_are_written_only_to_set_a_missing_owner(user: str, writes: int, report: Report) -> None:
    assert len(copy(claims("a"), claims("a", user=user), report)) == writes
    assert report.all_the_same is (user != "ada")
