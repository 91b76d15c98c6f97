"""Ctrl-C and SIGTERM, for real."""

import os
import signal
import subprocess
import sys

import pytest

from dibs.cli.interrupting import Interruptions


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_is_heard_when_it_no_longer_disturbs(number: signal.Signals) -> None:
    done = []
    with Interruptions() as interruptions:
        with pytest.raises(KeyboardInterrupt), interruptions.held_off():
            os.kill(os.getpid(), number)
            done.append("finished")
        with interruptions.held_off():
            done.append("and not again")
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), number)
    assert done == ["finished", "and not again"]


def test_who_insists_is_heard_at_once() -> None:
    with Interruptions() as interruptions, pytest.raises(KeyboardInterrupt), interruptions.held_off():
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)
        raise AssertionError("it was not heard")


def test_what_was_there_before_is_put_back() -> None:
    former = signal.getsignal(signal.SIGINT)
    with Interruptions():
        assert signal.getsignal(signal.SIGINT) != former
    assert signal.getsignal(signal.SIGINT) == former


def test_a_command_gets_the_signal_instead() -> None:
    program = "import os, signal, time; os.kill(os.getppid(), signal.SIGTERM); time.sleep(60)"
    with Interruptions() as interruptions:
        process = subprocess.Popen([sys.executable, "-c", program])
        assert interruptions.wait_for(process) == 128 + signal.SIGTERM
