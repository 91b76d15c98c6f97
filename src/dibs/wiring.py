"""Build processes from their parts. The only module that knows all of them; start reading here."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

from dibs.access.access import SERVICE
from dibs.access.lease_policy import LeasePolicy
from dibs.access.machine_policy import MachinePolicy
from dibs.allocations.model.lifetimes import LifetimeRules
from dibs.allocations.operations import laws as allocation_laws
from dibs.allocations.operations.guards import AllocationNodeGuard
from dibs.allocations.operations.intake import AllocationIntake, LocalIntake
from dibs.conductor import Conductor
from dibs.console import Console
from dibs.console.exchange import Services as ConsoleServices
from dibs.console.keys import SiteKey
from dibs.console.live import Changes
from dibs.database import Statistics, Store, health, open_store, revisions
from dibs.database.columns import CLEAR, Vault
from dibs.database.hooks import Hooks
from dibs.database.laws import Law, violations
from dibs.database.runner import Clock, DatabaseClock, Runner
from dibs.database.schema import metadata
from dibs.dialects.baremetal import Baremetal, HoldTimes
from dibs.dialects.compute import Compute
from dibs.dialects.native import Native
from dibs.dialects.placement import CandidateRules, Placement
from dibs.dialects.reservation import Reservation
from dibs.drivers import DRIVERS
from dibs.errors import BadValue
from dibs.events.operations.recording import EventRecorder
from dibs.http.edge import metrics
from dibs.http.edge.cors import Cors
from dibs.http.edge.shell import Application
from dibs.http.messages import Dialect
from dibs.integrations import HttpEnforcement, Nova
from dibs.leases.model.dates import LeaseRules
from dibs.leases.operations import laws as lease_laws
from dibs.leases.operations.guards import LeaseLedgerGuard, LeaseNodeGuard
from dibs.ledger.operations import laws as ledger_laws
from dibs.machines.operations import laws as machine_laws
from dibs.machines.operations import secrets
from dibs.machines.operations.guards import NodeDrivers, NodeLedgerGuard
from dibs.machines.operations.secrets import TABLES, EncryptSecrets
from dibs.rpc.client import Caller
from dibs.rpc.intake import RemoteIntake, procedures
from dibs.rpc.server import Calls
from dibs.rpc.signing import CallVerifier
from dibs.servers.operations import laws as server_laws
from dibs.servers.operations.lease_uses import ServersOfLeases
from dibs.settings import Settings
from dibs.settings.authentication import has_console, sign_in_from

HOOKS = Hooks(
    EventRecorder(),
    NodeDrivers(DRIVERS),
    NodeLedgerGuard(),
    LeaseLedgerGuard(),
    LeaseNodeGuard(),
    AllocationNodeGuard(),
    ServersOfLeases(),
)
"""The hooks that packages register with the packages below them. Guards run in this order."""

LAWS = (*ledger_laws.LAWS, *machine_laws.LAWS, *allocation_laws.LAWS, *lease_laws.LAWS, *server_laws.LAWS)
"""What ``dibs check`` verifies."""

CONDUCTOR_CONNECTIONS = 8
"""Database connections for the conductor, in addition to one for each thread that answers requests."""


class SchemaProblem(Exception):
    """This code cannot use the database; the message says what to do."""


def read_clock() -> int:
    """Return the time of the machine in microseconds since 1970 UTC; a server uses a ``DatabaseClock`` instead."""
    return time.time_ns() // 1_000


def read_monotonic_clock() -> int:
    """Return microseconds that never go back, for intervals within a process."""
    return time.monotonic_ns() // 1_000


def build_application(settings: Settings) -> Application:
    """Build a process with the dialects and a conductor. Nothing connects or starts before the hooks are called."""
    store, clock, runner = _open(settings)
    conductor = _conductor(settings, runner)
    intake = LocalIntake(runner, conductor.wake)
    return Application(
        dialects=_dialects(settings, runner, clock, intake, conductor.wake),
        console=_console(settings, runner, clock, intake, conductor.wake),
        cors=_cors(settings),
        ready=partial(health.problems, store),
        ready_once=conductor.problems,
        start=clock.start,
        stop=_stop(settings, store, clock),
        start_once=partial(_start_once, settings, clock, conductor.start),
        stop_once=partial(_stop_once, store, clock, conductor.stop),
    )


def build_api(settings: Settings) -> Application:
    """Build a process with the dialects only; conductors run in other processes and find their work in the database."""
    store, clock, runner = _open(settings)
    caller = Caller(
        settings.rpc_secret,
        clock,
        timeout_seconds=settings.rpc_timeout_seconds,
        ca_file=settings.rpc_ca_file,
    )
    intake = RemoteIntake(runner, caller)
    return Application(
        dialects=_dialects(settings, runner, clock, intake, _nothing),
        console=_console(settings, runner, clock, intake, _nothing),
        cors=_cors(settings),
        ready=partial(health.problems, store),
        start=clock.start,
        stop=partial(_close, store, clock),
        start_once=partial(_start_once, settings, clock, _nothing),
        stop_once=partial(_stop_once, store, clock, _nothing),
    )


def build_conductor(settings: Settings) -> Application:
    """Build a process with a conductor only, which accepts calls from API processes."""
    store, clock, runner = _open(settings)
    conductor = _conductor(settings, runner, rpc_url=settings.announced_rpc_url)
    calls = Calls(
        procedures(runner, MachinePolicy(settings.policy_file or None), lambda: conductor.incarnation, conductor.wake),
        incarnation=lambda: conductor.incarnation,
        verifier=CallVerifier(settings.rpc_secret, clock),
        secret=settings.rpc_secret,
    )
    return Application(
        dialects=[calls],
        ready=partial(health.problems, store),
        ready_once=partial(_problems_of_conductor, conductor),
        start=clock.start,
        stop=_stop(settings, store, clock),
        start_once=partial(_start_once, settings, clock, conductor.start),
        stop_once=partial(_stop_once, store, clock, conductor.stop),
    )


def _open(settings: Settings) -> tuple[Store, DatabaseClock, Runner]:
    store = open_store(
        settings.database,
        connections=settings.database_connections or settings.threads + CONDUCTOR_CONNECTIONS,
        statistics=Statistics(metrics.SQL_STATEMENTS.inc, metrics.TRANSACTION_RERUNS.inc),
    )
    clock = DatabaseClock(store)
    return store, clock, build_runner(store, clock, read_vault(settings))


def build_runner(store: Store, clock: Clock = read_clock, vault: Vault = CLEAR) -> Runner:
    """Build a runner whose operations find every hook; tests use it too, so that they run with all guards."""
    return Runner(store, clock, HOOKS, vault)


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


def _conductor(settings: Settings, runner: Runner, rpc_url: str | None = None) -> Conductor:
    return Conductor(
        runner,
        DRIVERS,
        read_monotonic_clock,
        hostname=settings.conductor_name,
        group=settings.conductor_group,
        heartbeat_seconds=settings.heartbeat_seconds,
        timeout_seconds=settings.conductor_timeout_seconds,
        take_over_seconds=settings.take_over_seconds,
        reassignment_seconds=settings.lease_reassignment_seconds,
        cleaning_minutes=settings.lease_cleaning_minutes,
        retention_days=settings.retention_days,
        lease_retention_days=settings.lease_retention_days,
        lifetime_rules=_lifetime_rules(settings),
        event_retention_days=settings.event_retention_days,
        compute=_nova(settings),
        enforcement=_enforcement(settings),
        rpc_url=rpc_url,
    )


def _dialects(
    settings: Settings, runner: Runner, clock: Clock, intake: AllocationIntake, wake: Callable[[], None]
) -> Sequence[Dialect]:
    policy_file = settings.policy_file or None
    lifetime_rules = _lifetime_rules(settings)
    baremetal = Baremetal(
        runner,
        DRIVERS,
        policy_file=policy_file,
        wake=wake,
        intake=intake,
        hold_times=HoldTimes(default=settings.hold_seconds, longest=settings.hold_seconds_max),
        lifetime_rules=lifetime_rules,
    )
    placement = Placement(
        runner,
        clock,
        policy_file=policy_file,
        legacy_rules=settings.placement_legacy_rules,
        enforce_scope=settings.placement_enforce_scope,
        candidates=CandidateRules(
            randomize=settings.placement_randomize_candidates,
            breadth_first=settings.placement_candidates_generation == "breadth-first",
            count_max=None
            if settings.placement_max_allocation_candidates < 0
            else settings.placement_max_allocation_candidates,
        ),
    )
    lease_rules = _lease_rules(settings)
    nova = _nova(settings)
    find_flavor = nova.find_flavor if nova is not None else None
    reservation = Reservation(
        runner,
        wake=wake,
        rules=lease_rules,
        find_flavor=find_flavor,
        enforcement=_enforcement(settings),
        policy_file=policy_file,
    )
    native = Native(
        runner,
        intake=intake,
        wake=wake,
        lease_rules=lease_rules,
        lifetime_rules=lifetime_rules,
        find_flavor=find_flavor,
        policy_file=policy_file,
    )
    compute = [] if nova is not None else [Compute(runner, wake=wake, policy_file=policy_file)]
    return [baremetal, placement, reservation, *compute, native]


def _console(
    settings: Settings, runner: Runner, clock: Clock, intake: AllocationIntake, wake: Callable[[], None]
) -> Console | None:
    if not has_console(settings):
        return None
    nova = _nova(settings)
    site_key = SiteKey(runner)
    services = ConsoleServices(
        runner=runner,
        clock=clock,
        machine_policy=MachinePolicy(settings.policy_file or None),
        lease_policy=LeasePolicy(settings.policy_file or None),
        lease_rules=_lease_rules(settings),
        lifetime_rules=_lifetime_rules(settings),
        find_flavor=nova.find_flavor if nova is not None else None,
        enforcement=_enforcement(settings),
        intake=intake,
        wake=wake,
        changes=Changes(runner),
        sign_in=sign_in_from(settings, site_key),
        site_key=site_key,
    )
    return Console(services)


def _nova(settings: Settings) -> Nova | None:
    if settings.compute_backend != "nova":
        return None
    return Nova(settings.nova_cloud, clouds_file=settings.nova_clouds_file, region=settings.region_name)


def _enforcement(settings: Settings) -> HttpEnforcement | None:
    if not settings.enforcement_url:
        return None
    return HttpEnforcement(
        settings.enforcement_url,
        token=settings.enforcement_token,
        timeout_seconds=settings.enforcement_timeout_seconds,
        auth_url=settings.keystone_url,
        region=settings.region_name,
    )


def _lifetime_rules(settings: Settings) -> LifetimeRules:
    return LifetimeRules(
        default_seconds=settings.allocation_lifetime_seconds,
        seconds_max=settings.allocation_lifetime_seconds_max,
        notice_seconds=settings.allocation_notice_seconds,
        grace_seconds=settings.allocation_grace_seconds,
        turnover_seconds=settings.allocation_turnover_seconds,
        releases=settings.allocation_end == "release",
    )


def _lease_rules(settings: Settings) -> LeaseRules:
    return LeaseRules(
        cleaning_minutes=settings.lease_cleaning_minutes,
        before_end_minutes=settings.lease_before_end_minutes,
        seconds_max=settings.lease_seconds_max,
        external_compute=settings.compute_backend == "nova",
        enforced=bool(settings.enforcement_url),
        exempt_projects=frozenset(filter(None, map(str.strip, settings.lease_exempt_projects.split(",")))),
    )


def _cors(settings: Settings) -> Cors | None:
    return Cors.from_lists(settings.cors_allowed_origin, settings.cors_allow_headers)


def upgrade_database(settings: Settings) -> None:
    """Run the migrations that the database lacks; raise SchemaProblem when it is too new for this code."""
    from dibs.database import migrate

    migrate.upgrade(settings.database)
    with revisions.connected(settings.database) as connection:
        if problem := revisions.revision_problem(connection):
            raise SchemaProblem(problem)


def check_database(settings: Settings) -> list[str]:
    """Return every difference between the database and the tables of all packages, which this module imports."""
    from dibs.database import migrate

    return migrate.problems(settings.database, metadata)


def check_laws(settings: Settings) -> Iterator[tuple[Law, Iterator[list[str]]]]:
    """Yield each law with the violations of each page of rows; nothing is written."""
    if problems := revisions.problems(settings.database, metadata):
        raise SchemaProblem(" ".join(problems))
    with closing(open_store(settings.database, connections=1)) as store:
        for law in LAWS:
            yield law, violations(store, law)


def encrypt_secrets(settings: Settings) -> int:
    """Encrypt every stored secret with the first key of the file; return the number of rows."""
    count = 0
    with closing(open_store(settings.database, connections=1)) as store:
        runner = build_runner(store, vault=read_vault(settings))
        for table in TABLES:
            last_key: int | None = 0
            while last_key is not None:
                done = runner.write(secrets.encrypt_secrets, SERVICE, EncryptSecrets(table=table, after_key=last_key))
                count, last_key = count + done.count, done.last_key
    return count


def database_version(settings: Settings) -> str | None:
    """Return the revision of the schema; None when there is none."""
    return revisions.current(settings.database)


def _start_once(settings: Settings, clock: DatabaseClock, start: Callable[[], None]) -> None:
    """Upgrade an embedded database; refuse to start on a server's outdated one, which the operator upgrades."""
    if settings.database.startswith("sqlite") and revisions.is_outdated(settings.database):
        upgrade_database(settings)
    elif problems := revisions.problems(settings.database, metadata):
        raise SchemaProblem(" ".join(problems))
    clock.start()
    start()


def _stop(settings: Settings, store: Store, clock: DatabaseClock) -> Callable[[], None]:
    """Return the stop hook of a process: a single process closes the store in ``_stop_once``, after its conductor."""
    return partial(_close, store, clock) if settings.workers > 1 else _nothing


def _stop_once(store: Store, clock: DatabaseClock, stop: Callable[[], None]) -> None:
    stop()
    _close(store, clock)


def _close(store: Store, clock: DatabaseClock) -> None:
    clock.stop()
    store.close()


def _problems_of_conductor(conductor: Conductor) -> list[str]:
    """Return why the process is not ready: a conductor that was replaced still answers, but does no work."""
    unregistered = conductor.incarnation is None
    return [*conductor.problems(), *(["this conductor is not registered; its log says why"] if unregistered else [])]


def _nothing() -> None:
    """Do nothing: start, wake and stop of a process without a conductor."""
