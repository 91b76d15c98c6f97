"""Register a conductor and keep it registered with heartbeats."""

import logging
import threading
import uuid
from collections.abc import Callable

from msgspec import Struct

from dibs.access.access import SERVICE
from dibs.conductor.session import Session
from dibs.conductor.threads import WatchedThread
from dibs.database.errors import StoreContended, StoreUnavailable
from dibs.database.runner import Runner
from dibs.machines.model.conductors import TIMEOUT_SECONDS, after
from dibs.machines.model.errors import ConductorReplaced
from dibs.machines.operations.conductors import Heartbeat, RegisterConductor, record_heartbeat, register_conductor

logger = logging.getLogger(__name__)


class Identity(Struct, frozen=True, kw_only=True):
    """The facts that a conductor registers about itself."""

    hostname: str
    group: str = ""
    drivers: tuple[str, ...] = ()
    timeout_seconds: float = TIMEOUT_SECONDS
    """How long the conductor may be silent before the others take over its work."""
    rpc_url: str | None = None
    """The URL for calls from API processes; None when it accepts no calls."""


class Registration:
    """Registers a conductor, sends its heartbeats in a thread, and ends its session when that fails.

    A conductor without a session works on nothing. Its session ends when another process registers under its name, for
    good; and when it could send no heartbeat for the timeout, because the others may do its work by then: it registers
    again as soon as it reaches the database.
    """

    def __init__(
        self,
        runner: Runner,
        clock: Callable[[], int],
        identity: Identity,
        *,
        heartbeat_seconds: float,
        retry_seconds: float,
        registered: Callable[[], None],
    ) -> None:
        self._runner = runner
        self._clock = clock
        self._identity = identity
        self._heartbeat_seconds = heartbeat_seconds
        self._retry_seconds = retry_seconds
        self._registered = registered
        self._heartbeat_at = 0
        self._stopping = threading.Event()
        self.thread = WatchedThread(f"heartbeat-{identity.hostname}", self._run_until_stopped)
        self.session: Session | None = None
        """The current session; None while the conductor is not registered."""

    @property
    def active(self) -> bool:
        """False once it was stopped, or another process registered under the name."""
        return not self._stopping.is_set()

    def start(self) -> None:
        """Register now, or as soon as the database can be reached, and start the thread."""
        self._try_heartbeat()
        self.thread.start()

    def stop(self) -> None:
        """Stop sending heartbeats. The session lasts until it is ended, so that work in progress can finish."""
        self._stopping.set()

    def end_session(self) -> None:
        """Interrupt the work of the session."""
        if self.session is not None:
            self.session.ended.set()

    def sign_off(self, deadline: float) -> None:
        """Tell the other conductors that this one has stopped, so that they take over its work at once.

        A database that hangs must not keep the process from stopping, so this waits until the deadline at most.
        """
        if self.session is not None:
            sender = WatchedThread(f"sign-off-{self._identity.hostname}", self._send_sign_off)
            sender.start()
            sender.join_until(deadline)

    def _send_sign_off(self) -> None:
        assert self.session is not None
        command = Heartbeat(hostname=self._identity.hostname, incarnation=self.session.incarnation, online=False)
        try:
            self._runner.write(record_heartbeat, SERVICE, command)
        except (ConductorReplaced, StoreUnavailable, StoreContended) as error:
            logger.warning("conductor %s stopped without signing off: %s", self._identity.hostname, error)

    def _run_until_stopped(self) -> None:
        while not self._stopping.wait(self._heartbeat_seconds if self.session else self._retry_seconds):
            self.thread.note_progress()
            self._try_heartbeat()
            self.thread.rest()

    def _try_heartbeat(self) -> None:
        try:
            self._register_or_send_heartbeat()
        except ConductorReplaced as replaced:
            logger.error("%s", replaced)
            self._stopping.set()
            self._lose_session()
        except (StoreUnavailable, StoreContended):
            if self.session and after(self._heartbeat_at, self._identity.timeout_seconds) < self._clock():
                logger.error(
                    "conductor %s sent no heartbeat for %s seconds and interrupts its work: others may do it by now",
                    self._identity.hostname,
                    self._identity.timeout_seconds,
                )
                self._lose_session()
        except Exception:
            logger.exception("conductor %s cannot send a heartbeat", self._identity.hostname)

    def _register_or_send_heartbeat(self) -> None:
        now, identity = self._clock(), self._identity
        if self.session is None:
            self._register()
        else:
            command = Heartbeat(
                hostname=identity.hostname,
                incarnation=self.session.incarnation,
                timeout_seconds=identity.timeout_seconds,
            )
            self._runner.write(record_heartbeat, SERVICE, command)
        self._heartbeat_at = now

    def _register(self) -> None:
        identity, session = self._identity, Session(str(uuid.uuid4()))
        command = RegisterConductor(
            hostname=identity.hostname,
            group=identity.group,
            drivers=identity.drivers,
            incarnation=session.incarnation,
            timeout_seconds=identity.timeout_seconds,
            rpc_url=identity.rpc_url,
        )
        self._runner.write(register_conductor, SERVICE, command)
        self.session = session
        logger.info("conductor %s is registered", identity.hostname)
        self._registered()

    def _lose_session(self) -> None:
        self.end_session()
        self.session = None
