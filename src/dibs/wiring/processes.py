"""Build processes from their parts: API and conductor together, or one of them."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from dibs.access.machine_policy import MachinePolicy
from dibs.allocations.operations.intake import LocalIntake
from dibs.conductor import Conductor
from dibs.database import Statistics, Store, health, open_store, revisions
from dibs.database.columns import CLEAR, Vault
from dibs.database.runner import DatabaseClock, Runner
from dibs.database.schema import metadata
from dibs.errors import BadValue
from dibs.http.edge import metrics
from dibs.http.edge.shell import Application
from dibs.quotas.operations.limits import KeystoneLimitSource, LimitSource
from dibs.rpc.client import Caller
from dibs.rpc.intake import RemoteIntake, procedures
from dibs.rpc.server import Calls
from dibs.rpc.signing import CallVerifier
from dibs.settings import Settings
from dibs.wiring.background import Background
from dibs.wiring.hooks import build_hooks, build_runner
from dibs.wiring.parts import make_conductor, make_console, make_dialects
from dibs.wiring.rules import cors_from, half_life_seconds_from, keystone_limits_from
from dibs.wiring.site_metrics import SiteMetrics

CONDUCTOR_CONNECTIONS = 8
"""Database connections for the conductor, in addition to one for each thread that answers requests."""


class SchemaProblem(Exception):
    """This code cannot use the database; the message says what to do."""


def build_application(settings: Settings) -> Application:
    """Build a process with the dialects and a conductor. Nothing connects or starts before the hooks are called."""
    store, background, runner = _open(settings)
    clock = background.clock
    conductor = make_conductor(settings, runner)
    intake = LocalIntake(runner, conductor.wake)
    return Application(
        dialects=make_dialects(settings, runner, clock, intake, conductor.wake),
        console=make_console(settings, runner, clock, intake, conductor.wake),
        cors=cors_from(settings),
        site_metrics=SiteMetrics(runner).exposition,
        ready=partial(health.problems, store),
        ready_once=conductor.problems,
        start=background.start,
        stop=_stop(settings, store, background),
        start_once=partial(_start_once, settings, background, conductor.start),
        stop_once=partial(_stop_once, store, background, conductor.stop),
    )


def build_api(settings: Settings) -> Application:
    """Build a process with the dialects only; conductors run in other processes and find their work in the database."""
    store, background, runner = _open(settings)
    clock = background.clock
    caller = Caller(
        settings.rpc_secret,
        clock,
        timeout_seconds=settings.rpc_timeout_seconds,
        ca_file=settings.rpc_ca_file,
    )
    intake = RemoteIntake(runner, caller)
    return Application(
        dialects=make_dialects(settings, runner, clock, intake, _nothing),
        console=make_console(settings, runner, clock, intake, _nothing),
        cors=cors_from(settings),
        site_metrics=SiteMetrics(runner).exposition,
        ready=partial(health.problems, store),
        start=background.start,
        stop=partial(_close, store, background),
        start_once=partial(_start_once, settings, background, _nothing),
        stop_once=partial(_stop_once, store, background, _nothing),
    )


def build_conductor(settings: Settings) -> Application:
    """Build a process with a conductor only, which accepts calls from API processes."""
    store, background, runner = _open(settings)
    conductor = make_conductor(settings, runner, rpc_url=settings.announced_rpc_url)
    calls = Calls(
        procedures(runner, MachinePolicy(settings.policy_file or None), lambda: conductor.incarnation, conductor.wake),
        incarnation=lambda: conductor.incarnation,
        verifier=CallVerifier(settings.rpc_secret, background.clock),
        secret=settings.rpc_secret,
    )
    return Application(
        dialects=[calls],
        site_metrics=SiteMetrics(runner).exposition,
        ready=partial(health.problems, store),
        ready_once=partial(_problems_of_conductor, conductor),
        start=background.start,
        stop=_stop(settings, store, background),
        start_once=partial(_start_once, settings, background, conductor.start),
        stop_once=partial(_stop_once, store, background, conductor.stop),
    )


def _open(settings: Settings) -> tuple[Store, Background, Runner]:
    store = open_store(
        settings.database,
        connections=settings.database_connections or settings.threads + CONDUCTOR_CONNECTIONS,
        statistics=Statistics(
            metrics.SQL_STATEMENTS.inc,
            metrics.TRANSACTION_RERUNS.inc,
            metrics.LOCK_WAIT.observe,
            lambda reason: metrics.REFUSALS.labels(reason).inc(),
        ),
    )
    clock = DatabaseClock(store)
    limits = keystone_limits_from(settings)
    hooks = build_hooks(
        placement_quotas=settings.placement_quotas,
        fair_share_half_life_seconds=half_life_seconds_from(settings),
        limits=LimitSource() if limits is None else KeystoneLimitSource(limits.known),
    )
    return store, Background(clock, limits), build_runner(store, clock, read_vault(settings), hooks)


def read_vault(settings: Settings) -> Vault:
    """Read the keys for secrets; raise SecretKeysProblem when there is a file without usable keys."""
    if not settings.secret_keys_file:
        return CLEAR
    try:
        keys = Path(settings.secret_keys_file).read_text().split()
        vault = Vault(keys)
    except (OSError, BadValue) as error:
        raise SchemaProblem(f"{settings.secret_keys_file}: {error}") from error
    if not keys:
        raise SchemaProblem(f"{settings.secret_keys_file}: there is no key in this file.")
    return vault


def upgrade_database(settings: Settings) -> None:
    """Run the migrations that the database lacks; raise SchemaProblem when it is too new for this code."""
    from dibs.database import migrate

    migrate.upgrade(settings.database)
    with revisions.connected(settings.database) as connection:
        if problem := revisions.revision_problem(connection):
            raise SchemaProblem(problem)


def _start_once(settings: Settings, background: Background, start: Callable[[], None]) -> None:
    """Upgrade an embedded database; refuse to start on a server's outdated one, which the operator upgrades."""
    if settings.database.startswith("sqlite") and revisions.is_outdated(settings.database):
        upgrade_database(settings)
    elif problems := revisions.problems(settings.database, metadata):
        raise SchemaProblem(" ".join(problems))
    background.start()
    start()


def _stop(settings: Settings, store: Store, background: Background) -> Callable[[], None]:
    """Return the stop hook of a process: a single process closes the store in ``_stop_once``, after its conductor."""
    return partial(_close, store, background) if settings.workers > 1 else _nothing


def _stop_once(store: Store, background: Background, stop: Callable[[], None]) -> None:
    stop()
    _close(store, background)


def _close(store: Store, background: Background) -> None:
    background.stop()
    store.close()


def _problems_of_conductor(conductor: Conductor) -> list[str]:
    """Return why the process is not ready: a conductor that was replaced still answers, but does no work."""
    unregistered = conductor.incarnation is None
    return [*conductor.problems(), *(["this conductor is not registered; its log says why"] if unregistered else [])]


def _nothing() -> None:
    """Do nothing: start, wake and stop of a process without a conductor."""
