"""Puts the parts together: the only module that knows all of them."""

import time
from functools import partial

from dibs.conductor import Conductor
from dibs.dialects.baremetal import Baremetal
from dibs.dialects.placement import Placement
from dibs.drivers import DRIVERS
from dibs.http import metrics
from dibs.http.cors import Cors
from dibs.http.shell import Application
from dibs.settings import Settings
from dibs.store import Statistics, Store, health, migrate, open_store
from dibs.usecases.runner import Runner

CONDUCTOR_CONNECTIONS = 8
"""Database connections for the conductor, beside one for each thread that answers requests."""


class SchemaProblem(Exception):
    """The database is not fit for this code; the message says what to do."""


def build_application(settings: Settings) -> Application:
    """Everything one process serves. Nothing connects or starts before the hooks are called."""
    store = open_store(
        settings.database,
        connections=settings.threads + CONDUCTOR_CONNECTIONS,
        statistics=Statistics(metrics.SQL_STATEMENTS.inc, metrics.TRANSACTION_RERUNS.inc),
    )
    runner = Runner(store, read_clock)
    conductor = Conductor(
        runner,
        DRIVERS,
        read_clock,
        hostname=settings.conductor_name,
        group=settings.conductor_group,
        heartbeat_seconds=settings.heartbeat_seconds,
        timeout_seconds=settings.conductor_timeout_seconds,
        take_over_seconds=settings.take_over_seconds,
    )
    policy_file = settings.policy_file or None
    baremetal = Baremetal(runner, DRIVERS, policy_file=policy_file, wake=conductor.wake)
    placement = Placement(
        runner,
        read_clock,
        policy_file=policy_file,
        legacy_rules=settings.placement_legacy_rules,
        enforce_scope=settings.placement_enforce_scope,
        randomize_candidates=settings.placement_randomize_candidates,
    )
    return Application(
        dialects=[baremetal, placement],
        cors=Cors.from_lists(settings.cors_allowed_origin, settings.cors_allow_headers),
        ready=partial(health.problems, store),
        stop=store.close,
        start_once=partial(_start_once, settings, conductor),
        stop_once=partial(_stop_once, store, conductor),
    )


def read_clock() -> int:
    """Now, in microseconds since 1970 UTC. The only place that asks."""
    return time.time_ns() // 1_000


def upgrade_database(settings: Settings) -> None:
    """Bring the schema to what this code needs."""
    migrate.upgrade(settings.database)


def check_database(settings: Settings) -> list[str]:
    """Everything that keeps this code from working with the database."""
    return migrate.problems(settings.database)


def database_version(settings: Settings) -> str | None:
    """The revision of the schema; None when there is none."""
    return migrate.version(settings.database)


def _start_once(settings: Settings, conductor: Conductor) -> None:
    """An embedded database gets its schema at first start; a server's is upgraded only when the operator says so."""
    if settings.database.startswith("sqlite"):
        migrate.upgrade(settings.database)
    problems = migrate.problems(settings.database)
    if problems:
        raise SchemaProblem(" ".join(problems))
    conductor.start()


def _stop_once(store: Store, conductor: Conductor) -> None:
    conductor.stop()
    store.close()
