"""Work pauses only while its session lasts."""

import pytest

from dibs.conductor.session import Session
from dibs.machines.model.driver import Interrupted


def test_end_of_the_session_interrupts_a_pause() -> None:
    session = Session("incarnation")
    session.pause(0)
    session.ended.set()
    with pytest.raises(Interrupted):
        session.pause(3600)
