"""Real signals and closed pipes."""

import io
import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from dibs.cli.interrupts import SIGNALS, Interrupts, check_readers


@pytest.fixture
def _heeded_hangup() -> Iterator[None]:
    """Heed SIGHUP in a run that nohup started, which ignores it."""
    former = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, former)


@pytest.mark.usefixtures("_heeded_hangup")
@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_is_deferred_until_the_end_of_the_block(number: signal.Signals) -> None:
    done = []
    with Interrupts() as interrupts:
        with pytest.raises(KeyboardInterrupt), interrupts.deferred():
            os.kill(os.getpid(), number)
            done.append("finished")
        with interrupts.deferred():
            done.append("and not again")
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), number)
    assert done == ["finished", "and not again"]


def test_a_second_signal_interrupts_at_once() -> None:
    with Interrupts() as interrupts, pytest.raises(KeyboardInterrupt), interrupts.deferred():
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)
        raise AssertionError("the second signal was ignored")


def test_the_former_handler_is_restored() -> None:
    former = signal.getsignal(signal.SIGINT)
    with Interrupts():
        assert signal.getsignal(signal.SIGINT) != former
    assert signal.getsignal(signal.SIGINT) == former


def test_a_signal_is_forwarded_to_the_running_command() -> None:
    program = "import os, signal, time; os.kill(os.getppid(), signal.SIGTERM); time.sleep(60)"
    with Interrupts() as interrupts:
        process = subprocess.Popen([sys.executable, "-c", program])
        assert interrupts.wait_for(process) == 128 + signal.SIGTERM


def test_nohup_keeps_its_effect() -> None:
    former = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with Interrupts():
            os.kill(os.getpid(), signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, former)


def test_a_pipe_without_a_reader_is_found_without_writing() -> None:
    reading, writing = os.pipe()
    with open(writing, "w") as pipe:
        check_readers(pipe, io.StringIO())
        os.close(reading)
        with pytest.raises(BrokenPipeError):
            check_readers(io.StringIO(), pipe)
