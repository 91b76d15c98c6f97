"""An allocation session with a fake client; the tests of the command use a real server and real signals."""

import io
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dibs.cli.allocation_session import AllocationRequest, AllocationSession
from dibs.client.errors import AllocationFailed, Conflict, ConnectionFailed, TimedOut
from dibs.client.keep_alive import KeepAlive


class FakeAllocations:
    """Allocations that end in a given state, or a wait that raises an error."""

    def __init__(
        self, state: str = "active", existing: str | None = None, error: Exception | None = None, heartbeat: str = ""
    ) -> None:
        self.state = state
        self.existing = existing
        self.error = error
        self.heartbeat = heartbeat
        self.released: list[str] = []
        self.kept: list[str] = []
        self.unreachable = False

    def create_or_find(self, resource_class: str, **options: Any) -> Any:
        return self._made(self.existing or options["uuid"], resource_class, options), self.existing is None

    def create_many(self, resource_class: str, count: int, **options: Any) -> Any:
        return [self._made(f"batch-{number}", resource_class, options) for number in range(count)]

    def kept_alive(self, allocation: Any) -> KeepAlive:
        seconds = 0.03 if self.heartbeat else 3_000
        return KeepAlive("mine", seconds, lambda timeout: SimpleNamespace(state="error", last_error=self.heartbeat))

    def keep(self, ident: str) -> None:
        self.kept.append(ident)

    def wait(self, allocations: Any, **options: Any) -> Any:
        if self.error is not None:
            raise self.error
        return allocations

    def get(self, ident: str) -> Any:
        return SimpleNamespace(state=self.state)

    def release(self, ident: str, **options: Any) -> None:
        if self.unreachable:
            raise ConnectionFailed("no network")
        self.released.append(ident)

    def _made(self, ident: str, resource_class: str, options: dict[str, Any]) -> Any:
        seconds = options["keep_alive"]
        return SimpleNamespace(
            id=ident, name="mine", resource_class=resource_class, node_id="n", keep_alive_seconds=seconds
        )


def session(allocations: FakeAllocations, *, stderr: io.StringIO | None = None, **request: Any) -> AllocationSession:
    node = SimpleNamespace(id="n", name="rack1-01", traits=["CUSTOM_A"], properties={}, extra={})
    dibs: Any = SimpleNamespace(allocations=allocations, nodes=SimpleNamespace(get=lambda ident: node))
    arguments = {"resource_class": "gold", **request}
    return AllocationSession(dibs, AllocationRequest(**arguments), io.StringIO(), stderr or io.StringIO())


class ClosedPipe(io.StringIO):
    """A stream whose reader is gone."""

    def write(self, text: str) -> int:
        raise BrokenPipeError


def raise_broken_pipe(allocations: Any) -> None:
    raise BrokenPipeError


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
    with pytest.raises(Conflict, match="Allocation mine already exists"):
        session(allocations).run(f"touch {tmp_path}/ran", {})
    assert list(tmp_path.iterdir()) == []
    assert allocations.released == []


@pytest.mark.parametrize(("state", "released"), [("allocating", 1), ("error", 0)])
def test_a_timeout_releases_only_allocations_that_are_still_queued(state: str, released: int) -> None:
    allocations = FakeAllocations(state, error=TimedOut("late"))
    with pytest.raises(TimedOut):
        session(allocations, wait=5).create(lambda shown: None)
    assert len(allocations.released) == released


def test_without_wait_the_allocation_is_returned_at_once() -> None:
    allocations, shown = FakeAllocations(error=TimedOut("late")), list[Any]()
    session(allocations, wait=None).create(shown.extend)
    assert [(each.resource_class, each.keep_alive_seconds) for each in shown] == [("gold", None)]
    assert (allocations.released, allocations.kept) == ([], [])


def test_an_allocation_needs_heartbeats_until_it_is_shown() -> None:
    allocations = FakeAllocations()

    def show(shown: Any) -> None:
        assert (shown[0].keep_alive_seconds, allocations.kept) == (60, [])

    session(allocations, wait=5, keep_alive=60).create(show)
    assert (len(allocations.kept), allocations.released) == (1, [])


@pytest.mark.parametrize("wait", [None, 5])
def test_an_allocation_that_cannot_be_shown_is_released(wait: int | None) -> None:
    allocations = FakeAllocations()
    with pytest.raises(BrokenPipeError):
        session(allocations, wait=wait).create(raise_broken_pipe)
    assert (len(allocations.released), allocations.kept) == (1, [])


@pytest.mark.parametrize(("error", "released"), [(AllocationFailed("none"), 0), (ConnectionFailed("lost"), 1)])
def test_only_a_failed_allocation_stays_after_an_error(error: Exception, released: int) -> None:
    allocations = FakeAllocations(error=error)
    with pytest.raises(type(error)):
        session(allocations, wait=5).create(lambda shown: None)
    assert len(allocations.released) == released


def test_an_allocation_that_cannot_be_released_is_announced_with_its_end() -> None:
    allocations, stderr = FakeAllocations(error=ConnectionFailed("lost")), io.StringIO()
    allocations.unreachable = True
    with pytest.raises(ConnectionFailed, match="lost"):
        session(allocations, wait=5, keep_alive=60, stderr=stderr).create(lambda shown: None)
    assert stderr.getvalue().endswith("was not deleted. It ends in 60 seconds.\n")


def test_a_closed_terminal_does_not_prevent_the_release() -> None:
    allocations = FakeAllocations()
    with pytest.raises(BrokenPipeError):
        session(allocations, stderr=ClosedPipe()).run("true", {})
    assert len(allocations.released) == 1


def test_a_command_whose_allocation_was_ended_is_hung_up() -> None:
    allocations = FakeAllocations(heartbeat="Its client sent no heartbeat for 60 seconds.")
    with pytest.raises(AllocationFailed, match="has ended: Its client sent no heartbeat"):
        session(allocations).run("exec sleep 600", {})
    assert len(allocations.released) == 1
