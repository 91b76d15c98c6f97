"""An allocation session with a fake client; the tests of the command use a real server and real signals."""

import io
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from openstack import exceptions

from dibs.cli.allocation_session import AllocationRequest, AllocationSession


class FakeAllocations:
    """Allocations that end in a given state, or a wait that times out."""

    def __init__(self, state: str = "active", existing: str | None = None, times_out: bool = False) -> None:
        self.state = state
        self.existing = existing
        self.times_out = times_out
        self.released: list[str] = []

    def create(self, resource_class: str, **options: Any) -> Any:
        ident = self.existing or options["uuid"]
        return SimpleNamespace(id=ident, name="mine", resource_class=resource_class, node_id="n")

    def create_many(self, resource_class: str, count: int, **options: Any) -> Any:
        return [self.create(resource_class, uuid=f"batch-{number}") for number in range(count)]

    def wait(self, allocations: Any, **options: Any) -> Any:
        if self.times_out:
            raise exceptions.ResourceTimeout("late")
        return allocations

    def get(self, ident: str) -> Any:
        return SimpleNamespace(state=self.state)

    def release(self, ident: str, **options: Any) -> None:
        self.released.append(ident)


def session(allocations: FakeAllocations, **request: Any) -> AllocationSession:
    node = SimpleNamespace(id="n", name="rack1-01", traits=["CUSTOM_A"], properties={}, extra={})
    dibs: Any = SimpleNamespace(allocations=allocations, nodes=SimpleNamespace(get=lambda ident: node))
    arguments = {"resource_class": "gold", "options": {}, **request}
    return AllocationSession(dibs, AllocationRequest(**arguments), io.StringIO())


def test_a_command_runs_with_the_node_and_the_allocation_is_released(tmp_path: Path) -> None:
    allocations = FakeAllocations()
    command = f'echo "$DIBS_NODE_NAME" > {tmp_path}/seen; exit 3'
    assert session(allocations).run(command, {}) == 3
    assert (tmp_path / "seen").read_text() == "rack1-01\n"
    assert len(allocations.released) == 1


def test_all_allocations_of_a_batch_are_released() -> None:
    allocations = FakeAllocations()
    assert session(allocations, count=2).run("true", {}) == 0
    assert allocations.released == ["batch-0", "batch-1"]


def test_an_existing_allocation_is_not_used_and_not_released(tmp_path: Path) -> None:
    allocations = FakeAllocations(existing="of-another-client")
    with pytest.raises(exceptions.SDKException, match="Allocation mine already exists"):
        session(allocations).run(f"touch {tmp_path}/ran", {})
    assert list(tmp_path.iterdir()) == []
    assert "of-another-client" not in allocations.released


@pytest.mark.parametrize(("state", "released"), [("allocating", 1), ("error", 0)])
def test_a_timeout_releases_only_allocations_that_are_still_queued(state: str, released: int) -> None:
    allocations = FakeAllocations(state, times_out=True)
    with pytest.raises(exceptions.ResourceTimeout):
        session(allocations, wait=5).create()
    assert len(allocations.released) == released


def test_without_wait_the_allocation_is_returned_at_once() -> None:
    allocations = FakeAllocations(times_out=True)
    (created,) = session(allocations, wait=None).create()
    assert created.resource_class == "gold"
    assert allocations.released == []
