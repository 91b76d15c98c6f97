"""One registration of a conductor."""

import threading

from msgspec import Struct, field

from dibs.machines.model.driver import Interrupted


class Session(Struct):
    """The incarnation under which a conductor works, and whether that has ended.

    Each registration begins a new session. Work of an ended session stops: another conductor may do it by now.
    """

    incarnation: str
    ended: threading.Event = field(default_factory=threading.Event)

    def pause(self, seconds: float) -> None:
        """Wait; raise Interrupted when the session ends meanwhile."""
        if self.ended.wait(seconds):
            raise Interrupted
