"""Calls to a conductor over HTTP: results, errors, and answers that cannot be used."""

import contextlib
import socket
import threading
import time

import pytest

from dibs.machines.model.errors import NodeLocked
from dibs.rpc.client import NoAnswer
from dibs.rpc.server import Calls
from tests.bed.processes import free_port
from tests.builders import FIRST_INSTANT
from tests.rpc.rpc_server import EVA, caller, rpc_server


@pytest.fixture
def life():
    """The incarnation of the conductor; None when it is not registered."""
    return ["life-1"]


@pytest.fixture
def url(life):
    with rpc_server(incarnation=lambda: life[0]) as url:
        yield url


def test_call_carries_the_actor_and_the_parameters(url):
    result = caller().call(url, "life-1", "echo", EVA, word="gold")
    assert result == {"user": "eva", "roles": ["member", "reader"], "scope": False, "params": {"word": "gold"}}


def test_error_of_the_operation_is_raised_with_its_details(url):
    with pytest.raises(NodeLocked) as met:
        caller().call(url, "life-1", "refuse", EVA)
    assert met.value.details == {"node": "n1", "host": "c1"}


def test_call_with_another_secret_is_refused(url):
    with pytest.raises(NoAnswer, match="401") as met:
        caller("not the secret").call(url, "life-1", "echo", EVA)
    assert not met.value.maybe_carried_out


def test_call_to_an_earlier_incarnation_is_refused(url, life):
    life[0] = "life-2"
    with pytest.raises(NoAnswer, match="401"):
        caller().call(url, "life-1", "echo", EVA)


def test_conductor_that_is_not_registered_takes_no_calls(url, life):
    life[0] = None
    with pytest.raises(NoAnswer, match="503") as met:
        caller().call(url, "life-1", "echo", EVA)
    assert not met.value.maybe_carried_out


def test_conductor_that_cannot_be_reached_has_not_carried_the_call_out():
    with pytest.raises(NoAnswer, match="cannot be reached") as met:
        caller().call(f"http://127.0.0.1:{free_port()}/rpc", "life-1", "echo", EVA)
    assert not met.value.maybe_carried_out


@pytest.mark.parametrize(("method", "complaint"), [("nonsense", "nonsense does not exist"), ("demand", "KeyError")])
def test_call_that_the_conductor_rejects_is_no_answer(url, method, complaint):
    with pytest.raises(NoAnswer, match=complaint):
        caller().call(url, "life-1", method, EVA)


class Stops(Calls):
    """A conductor that stops during each call."""

    def answer(self, request):
        return self.refuse(request, 503, "The server stops before this request was finished.")


@contextlib.contextmanager
def hanging_up():
    """Accept a call, read some of it, and close the connection."""

    def hang_up():
        connection, _ = listener.accept()
        with connection:
            connection.recv(1)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=hang_up, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/rpc"
        thread.join()


@pytest.mark.parametrize("conductor", [lambda: rpc_server(Stops), hanging_up], ids=["stops", "hangs up"])
def test_call_is_given_up_when_the_conductor_can_no_longer_carry_it_out(monkeypatch, conductor):
    monkeypatch.setattr("dibs.rpc.client.CLOCKS_DIFFER_SECONDS", 0.2)
    began = time.monotonic()
    with conductor() as url, pytest.raises(NoAnswer) as met:
        caller(timeout_seconds=0.3).call(url, "life-1", "echo", EVA)
    assert met.value.maybe_carried_out
    assert time.monotonic() - began >= 0.5


def test_call_carries_its_deadline(url):
    assert caller(timeout_seconds=3).call(url, "life-1", "deadline", EVA) == FIRST_INSTANT + 3_000_000


def test_answer_without_a_valid_signature_is_not_used():
    with rpc_server(secret="another secret") as url, pytest.raises(NoAnswer, match="valid signature") as met:
        caller().call(url, "life-1", "echo", EVA)
    assert met.value.maybe_carried_out
