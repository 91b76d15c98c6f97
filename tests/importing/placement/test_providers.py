"""Order, completion and comparison of providers."""

from typing import Any

from dibs.importing import Report
from dibs.importing.placement.providers import ProviderCopier, list_parents_first
from tests.importing.fake_service import FakeService

VCPU = {"total": 8, "reserved": 0, "min_unit": 1, "max_unit": 8, "step_size": 1, "allocation_ratio": 1.0}


def entry(uuid: str, parent: str | None = None) -> dict[str, Any]:
    return {"uuid": uuid, "name": uuid, "parent_provider_uuid": parent, "generation": 0}


def documents(uuid: str, **parts: Any) -> dict[str, Any]:
    """Return the documents of a provider; parts that are not given are empty."""
    path = f"/resource_providers/{uuid}"
    return {
        path: entry(uuid),
        f"{path}/aggregates": {"aggregates": parts.get("aggregates", [])},
        f"{path}/traits": {"traits": parts.get("traits", [])},
        f"{path}/inventories": {"inventories": parts.get("inventories", {})},
    }


def copy(source: FakeService, target: FakeService, nodes: FakeService, report: Report) -> None:
    ProviderCopier(source, target, nodes, report).copy_all([entry("a")])


def apply_put(target: FakeService) -> FakeService:
    """Let the target store what is put."""

    def write(method: str, path: str, body: Any) -> None:
        target.documents[path] = body

    target.on_write = write
    return target


def test_parents_come_before_their_children() -> None:
    listed = [entry("grandchild", "child"), entry("child", "root"), entry("root")]
    service = FakeService({"/resource_providers": {"resource_providers": listed}})
    assert [each["uuid"] for each in list_parents_first(service)] == ["root", "child", "grandchild"]


def test_a_provider_whose_parent_was_deleted_comes_last() -> None:
    listed = [entry("orphan", "deleted"), entry("root")]
    service = FakeService({"/resource_providers": {"resource_providers": listed}})
    assert [each["uuid"] for each in list_parents_first(service)] == ["root", "orphan"]


def test_a_provider_without_inventories_is_completed_with_the_inventories_last(report: Report) -> None:
    source = FakeService(documents("a", traits=["CUSTOM_A"], aggregates=["1"], inventories={"VCPU": VCPU}))
    target = apply_put(FakeService(documents("a", aggregates=["1"])))
    copy(source, target, FakeService(), report)
    assert [path.rpartition("/")[2] for _, path, _ in target.writes] == ["traits", "inventories"]
    assert report.counts["provider"] == {"copied": 1}


def test_a_provider_with_inventories_is_compared_only(report: Report) -> None:
    source = FakeService(documents("a", traits=["CUSTOM_A"], inventories={"VCPU": VCPU}))
    target = FakeService(documents("a", inventories={"VCPU": {**VCPU, "total": 4}}))
    copy(source, target, FakeService(), report)
    assert target.writes == []
    assert [each.what for each in report.findings[0].differences] == ["traits", "inventories/VCPU/total"]


def test_of_a_node_only_the_aggregates_are_written(report: Report) -> None:
    source = FakeService(documents("a", traits=["CUSTOM_A"], aggregates=["1"], inventories={"CUSTOM_GOLD": VCPU}))
    target = apply_put(FakeService(documents("a")))
    copy(source, target, FakeService({"/v1/nodes/a": {}}), report)
    assert [path for _, path, _ in target.writes] == ["/resource_providers/a/aggregates"]
    assert "bare-metal node" in report.findings[0].differences[0].why
