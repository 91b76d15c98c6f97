"""Values that packages take, made from the settings."""

from typing import TYPE_CHECKING

from dibs.allocations.model.lifetimes import LifetimeRules
from dibs.http.edge.cors import Cors
from dibs.integrations import HttpEnforcement, Nova, OsloNotifier
from dibs.leases.model.dates import LeaseRules
from dibs.notifications.model.messages import BAREMETAL, LEASES
from dibs.settings import Settings

if TYPE_CHECKING:
    from dibs.integrations.keystone_limits import KeystoneLimits


def nova_from(settings: Settings) -> Nova | None:
    """Return the client of Nova; None when Dibs is the compute service."""
    if settings.compute_backend != "nova":
        return None
    return Nova(settings.nova_cloud, clouds_file=settings.nova_clouds_file, region=settings.region_name)


def enforcement_from(settings: Settings) -> HttpEnforcement | None:
    """Return the client of the enforcement service; None when there is none."""
    if not settings.enforcement_url:
        return None
    return HttpEnforcement(
        settings.enforcement_url,
        token=settings.enforcement_token,
        timeout_seconds=settings.enforcement_timeout_seconds,
        auth_url=settings.keystone_url,
        region=settings.region_name,
    )


def notifier_from(settings: Settings) -> OsloNotifier | None:
    """Return what sends notifications to a message broker; None when there is none."""
    if not settings.notification_transport_url:
        return None
    topics = {
        BAREMETAL: _words(settings.notification_baremetal_topics),
        LEASES: _words(settings.notification_lease_topics),
    }
    return OsloNotifier(settings.notification_transport_url, topics, settings.conductor_name)


def _words(text: str) -> tuple[str, ...]:
    return tuple(filter(None, map(str.strip, text.split(","))))


def lifetime_rules_from(settings: Settings) -> LifetimeRules:
    """Return the rules for the ends of allocations."""
    return LifetimeRules(
        default_seconds=settings.allocation_lifetime_seconds,
        seconds_max=settings.allocation_lifetime_seconds_max,
        notice_seconds=settings.allocation_notice_seconds,
        grace_seconds=settings.allocation_grace_seconds,
        turnover_seconds=settings.allocation_turnover_seconds,
        releases=settings.allocation_end == "release",
    )


def half_life_seconds_from(settings: Settings) -> float | None:
    """Return the half-life of what projects had of the nodes; None when the first come are served first."""
    return settings.fair_share_half_life_hours * 3_600 if settings.queue_order == "fair_share" else None


def keystone_limits_from(settings: Settings) -> "KeystoneLimits | None":
    """Return the reader of Keystone's unified limits; None when quotas are set in Dibs."""
    if not settings.keystone_limits_service:
        return None
    from dibs.integrations.keystone_limits import KeystoneLimits

    return KeystoneLimits(
        settings.keystone_url,
        username=settings.keystone_username,
        password=settings.keystone_password,
        user_domain=settings.keystone_user_domain,
        service=settings.keystone_limits_service,
        region=settings.region_name,
    )


def lease_rules_from(settings: Settings) -> LeaseRules:
    """Return the rules for leases."""
    return LeaseRules(
        cleaning_minutes=settings.lease_cleaning_minutes,
        before_end_minutes=settings.lease_before_end_minutes,
        seconds_max=settings.lease_seconds_max,
        external_compute=settings.compute_backend == "nova",
        enforced=bool(settings.enforcement_url),
        exempt_projects=frozenset(_words(settings.lease_exempt_projects)),
    )


def cors_from(settings: Settings) -> Cors | None:
    """Return the rules for browsers of other origins; None when no origin is allowed."""
    return Cors.from_lists(settings.cors_allowed_origin, settings.cors_allow_headers)
