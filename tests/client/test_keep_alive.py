"""Heartbeats in a thread, with a server that answers as the test says."""

import queue
import threading
from types import SimpleNamespace
from typing import Any

import pytest

from dibs.client.errors import AllocationFailed, Conflict, ConnectionFailed, NotFound
from dibs.client.keep_alive import KeepAlive

ALIVE = SimpleNamespace(state="active", last_error=None)
ENDED = SimpleNamespace(state="error", last_error="Its client sent no heartbeat for 60 seconds.")


class Server:
    """Answers heartbeats from a queue; each answer is taken by one heartbeat."""

    def __init__(self) -> None:
        self.answers: queue.Queue[Any] = queue.Queue()

    def heartbeat(self, timeout: float) -> Any:
        answer = self.answers.get(timeout=30)
        if isinstance(answer, Exception):
            raise answer
        return answer


def ended(server: Server, *answers: Any) -> AllocationFailed:
    """Give these answers and return how the block ended; the thread sends as many heartbeats as there are answers."""
    with pytest.raises(AllocationFailed) as error, KeepAlive("mine", 0.03, server.heartbeat) as kept:
        happened = threading.Event()
        kept.when_ended(happened.set)
        for answer in answers:
            server.answers.put(answer)
        assert happened.wait(30)
    return error.value


def test_the_end_of_the_allocation_is_raised_with_the_reason() -> None:
    assert str(ended(Server(), ALIVE, ALIVE, ENDED)) == (
        "Allocation mine has ended: Its client sent no heartbeat for 60 seconds."
    )


def test_connection_failures_do_not_stop_the_heartbeats() -> None:
    ended(Server(), ConnectionFailed("refused"), ALIVE, ConnectionFailed("timeout"), ENDED)


def test_a_deleted_allocation_has_ended() -> None:
    assert "it was deleted" in str(ended(Server(), NotFound("no such allocation")))


def test_a_callback_that_comes_late_is_called_at_once() -> None:
    server, calls = Server(), list[str]()
    with pytest.raises(AllocationFailed), KeepAlive("mine", 0.03, server.heartbeat) as kept:
        first = threading.Event()
        kept.when_ended(first.set)
        server.answers.put(ENDED)
        assert first.wait(30)
        kept.when_ended(lambda: calls.append("called"))
        assert calls == ["called"]


def test_an_error_of_the_block_is_more_important_than_the_end_of_the_allocation() -> None:
    server = Server()
    with pytest.raises(KeyError), KeepAlive("mine", 0.03, server.heartbeat) as kept:
        happened = threading.Event()
        kept.when_ended(happened.set)
        server.answers.put(ENDED)
        assert happened.wait(30)
        raise KeyError


@pytest.mark.parametrize("last", [Conflict("needs no heartbeats"), ALIVE, ENDED])
def test_nothing_is_raised_after_the_end_of_the_block(last: Any) -> None:
    server = Server()
    before = set(threading.enumerate())
    with KeepAlive("mine", 0.03, server.heartbeat):
        (thread,) = set(threading.enumerate()) - before
    server.answers.put(last)
    thread.join(30)
    assert not thread.is_alive()
