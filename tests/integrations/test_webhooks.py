"""Messages to real receivers, and to what pretends to be one."""

import contextlib
import socket
import threading
import time
from collections.abc import Iterator

import pytest

from dibs.integrations import HttpSender
from dibs.webhooks.model.messages import Message
from dibs.webhooks.model.targets import TargetRules
from tests.bed.processes import free_port
from tests.bed.receiver import Receiver

SENDER = HttpSender(TargetRules.parse("127.0.0.0/8, ::1/128"), timeout_seconds=0.5)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    made = Receiver()
    yield made
    made.close()


def message(url: str) -> Message:
    return Message(url=url, headers={"webhook-id": "7", "content-type": "application/json"}, body=b'{"a": 1}')


@contextlib.contextmanager
def stubborn(answer: bytes, seconds: float) -> Iterator[str]:
    """A server that sends an answer byte by byte, with a pause after each, and then nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        over = threading.Event()

        def serve() -> None:
            connection, _ = listener.accept()
            with connection, contextlib.suppress(OSError):
                for number in range(len(answer)):
                    connection.sendall(answer[number : number + 1])
                    over.wait(seconds)
                over.wait(60)

        threading.Thread(target=serve, daemon=True).start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
        over.set()


def test_message_arrives_with_its_headers_and_the_status_is_returned(receiver: Receiver) -> None:
    receiver.status = 202
    assert SENDER.post(message(receiver.url.replace("127.0.0.1", "localhost") + "?key=1")).status == 202
    ((headers, body),) = receiver.messages
    assert (headers["webhook-id"], body) == ("7", b'{"a": 1}')
    assert headers["host"].startswith("localhost:")


def test_redirect_is_not_followed(receiver: Receiver) -> None:
    receiver.status = 302
    assert SENDER.post(message(receiver.url)).status == 302
    assert len(receiver.messages) == 1


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "0.0.0.0"])
def test_no_connection_is_made_to_an_address_that_is_not_allowed(receiver: Receiver, host: str) -> None:
    attempt = HttpSender(TargetRules()).post(message(receiver.url.replace("127.0.0.1", host)))
    assert attempt.status is None
    assert "webhook_networks" in (attempt.problem or "")
    assert receiver.messages == []


def test_receiver_that_does_not_listen_is_named() -> None:
    attempt = SENDER.post(message(f"http://127.0.0.1:{free_port()}/"))
    assert attempt.problem is not None
    assert attempt.problem.startswith("127.0.0.1: ")
    assert "refused" in attempt.problem


def test_unknown_name_is_a_problem() -> None:
    assert SENDER.post(message("http://nowhere.invalid/")).problem


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 200 OK\r\n" + b"X-Slow: 1\r\n" * 1_000, b"SSH-2.0-OpenSSH\r\n" * 9])
def test_receiver_that_answers_drop_by_drop_is_cut_off(answer: bytes) -> None:
    with stubborn(answer, 0.05) as url:
        began = time.monotonic()
        attempt = SENDER.post(message(url))
        assert attempt.problem is not None
        assert time.monotonic() - began < 30


def test_certificate_of_a_receiver_is_verified(receiver: Receiver) -> None:
    attempt = SENDER.post(message(receiver.url.replace("http:", "https:")))
    assert attempt.status is None
    assert attempt.problem
    assert receiver.messages == []
