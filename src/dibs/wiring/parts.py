"""The parts of a process: its conductor, its dialects and its console."""

import time
from collections.abc import Callable, Sequence

from dibs.access.lease_policy import LeasePolicy
from dibs.access.machine_policy import MachinePolicy
from dibs.allocations.operations.intake import AllocationIntake
from dibs.conductor import Conductor
from dibs.conductor.retention import RetentionDays
from dibs.console import Console
from dibs.console.exchange import Services as ConsoleServices
from dibs.console.keys import SiteKey
from dibs.console.live import Changes
from dibs.database.runner import Clock, Runner
from dibs.dialects.baremetal import Baremetal, HoldTimes
from dibs.dialects.compute import Compute
from dibs.dialects.native import Native
from dibs.dialects.placement import CandidateRules, Placement
from dibs.dialects.reservation import Reservation
from dibs.drivers import DRIVERS
from dibs.http.messages import Dialect
from dibs.integrations import HttpSender
from dibs.settings import Settings
from dibs.settings.authentication import has_console, sign_in_from
from dibs.webhooks.model.targets import TargetRules
from dibs.wiring.rules import enforcement_from, lease_rules_from, lifetime_rules_from, notifier_from, nova_from


def read_monotonic_clock() -> int:
    """Return microseconds that never go back, for intervals within a process."""
    return time.monotonic_ns() // 1_000


def make_conductor(settings: Settings, runner: Runner, rpc_url: str | None = None) -> Conductor:
    """Make the conductor of a process."""
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
        before_start_minutes=settings.lease_before_start_minutes,
        retention_days=RetentionDays(
            failures=settings.retention_days,
            leases=settings.lease_retention_days,
            events=settings.event_retention_days,
            deliveries=settings.webhook_retention_days,
        ),
        lifetime_rules=lifetime_rules_from(settings),
        compute=nova_from(settings),
        enforcement=enforcement_from(settings),
        sender=HttpSender(TargetRules.parse(settings.webhook_networks)),
        notifier=notifier_from(settings),
        rpc_url=rpc_url,
    )


def make_dialects(
    settings: Settings, runner: Runner, clock: Clock, intake: AllocationIntake, wake: Callable[[], None]
) -> Sequence[Dialect]:
    """Make the dialects; there is no compute dialect where Nova is the compute service."""
    policy_file = settings.policy_file or None
    lifetime_rules = lifetime_rules_from(settings)
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
    lease_rules = lease_rules_from(settings)
    nova = nova_from(settings)
    find_flavor = nova.find_flavor if nova is not None else None
    reservation = Reservation(
        runner,
        wake=wake,
        rules=lease_rules,
        find_flavor=find_flavor,
        enforcement=enforcement_from(settings),
        policy_file=policy_file,
    )
    native = Native(
        runner,
        intake=intake,
        wake=wake,
        read_candidates=placement.read_candidate_query,
        lease_rules=lease_rules,
        lifetime_rules=lifetime_rules,
        find_flavor=find_flavor,
        webhook_targets=TargetRules.parse(settings.webhook_networks),
        policy_file=policy_file,
    )
    compute = [] if nova is not None else [Compute(runner, wake=wake, policy_file=policy_file)]
    return [baremetal, placement, reservation, *compute, native]


def make_console(
    settings: Settings, runner: Runner, clock: Clock, intake: AllocationIntake, wake: Callable[[], None]
) -> Console | None:
    """Make the console; None for a server without authentication that other machines can reach."""
    if not has_console(settings):
        return None
    nova = nova_from(settings)
    site_key = SiteKey(runner)
    services = ConsoleServices(
        runner=runner,
        clock=clock,
        machine_policy=MachinePolicy(settings.policy_file or None),
        lease_policy=LeasePolicy(settings.policy_file or None),
        lease_rules=lease_rules_from(settings),
        lifetime_rules=lifetime_rules_from(settings),
        find_flavor=nova.find_flavor if nova is not None else None,
        enforcement=enforcement_from(settings),
        intake=intake,
        wake=wake,
        changes=Changes(runner),
        sign_in=sign_in_from(settings, site_key),
        site_key=site_key,
    )
    return Console(services)
