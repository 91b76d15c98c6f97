"""Every setting: name, type, default and help. To add one, add a field: flag, variable and key follow from it."""

import dataclasses
import socket
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

from msgspec import structs

from dibs.http.edge.binding import Address, parse_address
from dibs.http.edge.guards.proxies import TrustedProxies
from dibs.webhooks.model.targets import TargetRules

RPC_SECRET_LENGTH_MIN = 16


def _setting(
    default: Any, help: str, *, check: Callable[[Any], Any] | None = None, secret: bool = False, begins: str = ""
) -> Any:
    """Declare a field; ``begins`` is the title of the group of settings that starts with it."""
    metadata = {"help": help, "check": check, "secret": secret, "begins": begins}
    return dataclasses.field(default=default, metadata=metadata)


def _one_of(*choices: str) -> Callable[[str], None]:
    def check(value: str) -> None:
        if value not in choices:
            raise ValueError(f"must be one of {', '.join(choices)}")

    return check


def _at_least(lowest: float) -> Callable[[float], None]:
    def check(value: float) -> None:
        if not value >= lowest:
            raise ValueError(f"must be {lowest} or more")

    return check


def _is_host_and_port(value: str) -> None:
    if parse_address(value).path:
        raise ValueError("must be HOST:PORT")


def _is_http_url(value: str) -> None:
    if value and not value.startswith(("http://", "https://")):
        raise ValueError("must begin with http:// or https://")


def _is_long_enough(value: str) -> None:
    if 0 < len(value) < RPC_SECRET_LENGTH_MIN:
        raise ValueError(f"must have {RPC_SECRET_LENGTH_MIN} characters or more")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings of one process."""

    bind: str = _setting(
        "127.0.0.1:8780", "HOST:PORT or unix:/path to listen on.", check=parse_address, begins="basic settings"
    )
    database: str = _setting(
        "sqlite:///./var/dibs.sqlite",
        "Database URL. A missing SQLite file is created. Several HOST:PORT of a cluster are separated by commas.",
    )
    auth: str = _setting(
        "noauth",
        "Authentication method: noauth, http_basic or keystone.",
        check=_one_of("noauth", "http_basic", "keystone"),
    )
    workers: int = _setting(1, "Number of processes that answer requests.", check=_at_least(1))
    auth_file: str = _setting("", "User file for http_basic, with lines of user:bcrypt-hash[:project[:role,role]].")
    force_noauth: bool = _setting(False, "Allow noauth on an address that is not loopback.")
    trusted_proxies: str = _setting(
        "",
        "Addresses and networks of proxies whose X-Forwarded headers are trusted, separated by commas; unix for clients"
        " of a unix socket.",
        check=TrustedProxies.parse,
    )
    threads: int = _setting(
        16,
        "Number of requests that run at the same time in each process.",
        check=_at_least(1),
        begins="request limits and timeouts",
    )
    queue_limit: int = _setting(
        128, "Number of requests that may wait in each process. Further requests get 503.", check=_at_least(0)
    )
    caller_limit: int = _setting(
        100,
        "Number of requests that a user may have at the same time from one address, in each process. Further requests"
        " get 429. 0: no limit.",
        check=_at_least(0),
    )
    connection_limit: int = _setting(
        800,
        "Number of open connections in each process, half of them from one address. Further connections get 503.",
        check=_at_least(1),
    )
    body_limit_bytes: int = _setting(4 * 1024 * 1024, "Maximum size of a request body.", check=_at_least(1))
    body_timeout_seconds: float = _setting(
        30.0, "Time for a client to send a body or to read a response.", check=_at_least(0.01)
    )
    header_limit_bytes: int = _setting(
        64 * 1024, "Maximum size of the request line and headers together.", check=_at_least(256)
    )
    header_timeout_seconds: float = _setting(10.0, "Time for a client to send the headers.", check=_at_least(0.01))
    keep_alive_seconds: float = _setting(75.0, "Time that an idle connection is kept open.", check=_at_least(0))
    stop_timeout_seconds: int = _setting(
        30, "Time for running requests to finish when the server stops.", check=_at_least(0)
    )
    database_connections: int = _setting(
        0,
        "Maximum number of connections of each process to PostgreSQL or MariaDB. 0: threads + 8.",
        check=_at_least(0),
        begins="database",
    )
    secret_keys_file: str = _setting(
        "", "File with keys, one on each line, that encrypt the secrets of nodes in the database. The first encrypts."
    )
    tls_cert: str = _setting("", "PEM file of the certificate and its chain. Enables TLS.", begins="TLS")
    tls_key: str = _setting("", "PEM file of the certificate's private key.")
    log_format: str = _setting(
        "auto",
        "Log format: json, text or auto, which is text on a terminal and json elsewhere.",
        check=_one_of("auto", "json", "text"),
        begins="logs",
    )
    log_level: str = _setting(
        "info", "Log level: debug, info, warning or error.", check=_one_of("debug", "info", "warning", "error")
    )
    policy_file: str = _setting("", "oslo.policy file (YAML) that overrides default rules.", begins="access")
    placement_legacy_rules: bool = _setting(
        False, "Use Placement's older default rules, which let an admin use the reshaper."
    )
    placement_enforce_scope: bool = _setting(
        False, "Refuse system-scoped tokens in the Placement API, as Placement does."
    )
    placement_quotas: bool = _setting(
        False, "Enforce quotas for claims through the Placement API too. By default, these claims are only counted."
    )
    placement_randomize_candidates: bool = _setting(
        False, "Return allocation candidates in random order, so that schedulers do not compete for the same ones."
    )
    placement_max_allocation_candidates: int = _setting(
        -1,
        "Maximum number of allocation candidates in an answer, even if the request has a higher limit or none."
        " -1: no maximum.",
        check=_at_least(-1),
    )
    placement_candidates_generation: str = _setting(
        "depth-first",
        "Order of allocation candidates: depth-first, all of one tree before the next, or breadth-first, one of each"
        " tree in turn, so that a limit reaches more hosts.",
        check=_one_of("depth-first", "breadth-first"),
    )
    cors_allowed_origin: str = _setting(
        "", "Origins allowed to call the APIs from a browser (CORS), separated by commas."
    )
    cors_allow_headers: str = _setting("", "Additional request headers allowed for these origins, separated by commas.")
    console_session_hours: float = _setting(
        12.0, "Time of inactivity after which a user must sign in to the console again.", check=_at_least(0.01)
    )
    conductor_name: str = _setting("", "Name of this conductor. Default: host name and port.", begins="conductors")
    conductor_group: str = _setting("", "Conductor group of this conductor.")
    heartbeat_seconds: float = _setting(10.0, "Interval between the heartbeats of a conductor.", check=_at_least(0.01))
    conductor_timeout_seconds: float = _setting(
        30.0,
        "Time without a heartbeat after which a conductor counts as failed. At most half of take_over_seconds.",
        check=_at_least(0.01),
    )
    take_over_seconds: float = _setting(
        60.0,
        "Time within which other conductors take over the work of a failed one. 0 disables it.",
        check=_at_least(0),
    )
    retention_days: float = _setting(
        30.0,
        "Time after which failed allocations, and conductors that no longer run, are removed. 0: never.",
        check=_at_least(0),
    )
    event_retention_days: float = _setting(
        90, "Days after which events, the source of audit and streams, are removed. 0: never.", check=_at_least(0)
    )
    webhook_networks: str = _setting(
        "",
        "Networks that webhooks may reach besides public addresses, such as 10.0.0.0/8, separated by commas.",
        check=TargetRules.parse,
        begins="webhooks",
    )
    webhook_retention_days: float = _setting(
        7, "Days after which the deliveries of webhooks are removed. 0: never.", check=_at_least(0)
    )
    notification_transport_url: str = _setting(
        "",
        "oslo.messaging URL of a broker for notifications as Ironic and Blazar send them, such as"
        " rabbit://user:password@host:5672/. Empty: none.",
        secret=True,
        begins="notifications",
    )
    notification_baremetal_topics: str = _setting(
        "ironic_versioned_notifications", "Topics of notifications about nodes and allocations, separated by commas."
    )
    notification_lease_topics: str = _setting(
        "notifications", "Topics of notifications about leases, separated by commas."
    )
    allocation_lifetime_seconds: int = _setting(
        0,
        "Default lifetime of an allocation. 0: as long as allowed.",
        check=_at_least(0),
        begins="allocations",
    )
    allocation_lifetime_seconds_max: int = _setting(
        0, "Maximum lifetime of an allocation, from its creation or renewal. 0: no limit.", check=_at_least(0)
    )
    allocation_notice_seconds: int = _setting(
        900, "Time from the notice that an allocation ends soon to its end. 0: no notice.", check=_at_least(0)
    )
    allocation_grace_seconds: int = _setting(
        0, "Time from the end of an allocation to the release of its node.", check=_at_least(0)
    )
    allocation_turnover_seconds: int = _setting(
        600,
        "Time for undeploying and cleaning a node, which promised starts of the queue include.",
        check=_at_least(0),
    )
    allocation_end: str = _setting(
        "release",
        "What happens at the end of an allocation: release its node, after undeploying it, or only report the end.",
        check=_one_of("release", "report"),
    )
    queue_order: str = _setting(
        "fifo",
        "Order of the queue: fifo, first come first served, or fair_share, by the past use of nodes and the weight of"
        " each project. It must be the same in all processes.",
        check=_one_of("fifo", "fair_share"),
    )
    fair_share_half_life_hours: float = _setting(
        168.0,
        "Time after which past use of a node counts half in the order of the queue.",
        check=_at_least(0.01),
    )
    hold_seconds: float = _setting(
        300.0,
        "Default time until a node reservation expires.",
        check=_at_least(1),
        begins="node reservations",
    )
    hold_seconds_max: float = _setting(3600.0, "Maximum time until a node reservation expires.", check=_at_least(1))
    lease_before_end_minutes: int = _setting(
        60,
        "Default time from the before_end event to the end of a lease. 0 disables the event.",
        check=_at_least(0),
        begins="leases",
    )
    lease_before_start_minutes: int = _setting(
        15, "Time from the event lease.starting_soon to the start of a lease. 0 disables the event.", check=_at_least(0)
    )
    lease_cleaning_minutes: int = _setting(
        0, "Time that a host stays free before and after each lease, for cleaning.", check=_at_least(0)
    )
    lease_reassignment_seconds: float = _setting(
        10,
        "Interval at which failed hosts of pending and active leases are replaced. 0 disables it.",
        check=_at_least(0),
    )
    lease_retention_days: int = _setting(
        180, "Days after which terminated leases are removed. 0: never.", check=_at_least(0)
    )
    lease_seconds_max: int = _setting(0, "Maximum duration of a lease. 0: no limit.", check=_at_least(0))
    lease_exempt_projects: str = _setting("", "Projects without a maximum duration of leases, separated by commas.")
    compute_backend: str = _setting(
        "embedded",
        "Service that provides the flavors and servers of leases: embedded (/compute) or nova.",
        check=_one_of("embedded", "nova"),
        begins="integrations",
    )
    nova_cloud: str = _setting("", "Entry of clouds.yaml for Nova, with an admin user.")
    nova_clouds_file: str = _setting("", "Path of that clouds.yaml. Default: where openstacksdk looks for it.")
    region_name: str = _setting("", "Region of Nova, also sent to the enforcement service.")
    enforcement_url: str = _setting(
        "",
        "URL of a service that approves new and changed leases and is notified of their end. Empty: none.",
        check=_is_http_url,
    )
    enforcement_token: str = _setting("", "Value of X-Auth-Token in calls to the enforcement service.", secret=True)
    enforcement_timeout_seconds: float = _setting(
        10.0,
        "Time for the enforcement service to answer. Without an answer the lease is refused.",
        check=_at_least(0.01),
    )
    rpc_bind: str = _setting(
        "127.0.0.1:8781",
        "HOST:PORT on which `dibs conductor` listens for calls of `dibs api`.",
        check=_is_host_and_port,
        begins="calls between `dibs api` and `dibs conductor`",
    )
    rpc_url: str = _setting(
        "", "URL at which `dibs api` reaches this conductor. Default: derived from rpc_bind or the host name."
    )
    rpc_secret: str = _setting(
        "", "Secret shared by all `dibs api` and `dibs conductor` processes.", check=_is_long_enough, secret=True
    )
    rpc_timeout_seconds: float = _setting(
        10.0, "Time for a conductor to answer a call before the next conductor is tried.", check=_at_least(0.01)
    )
    rpc_ca_file: str = _setting(
        "", "PEM file of the CA certificates for conductors with TLS. Default: those of the system."
    )
    keystone_url: str = _setting("", "Public endpoint of Keystone, such as http://keystone:5000/v3.", begins="Keystone")
    keystone_username: str = _setting("", "Name of the service user that validates tokens.")
    keystone_password: str = _setting("", "Password of the service user.", secret=True)
    keystone_project: str = _setting("service", "Project of the service user.")
    keystone_user_domain: str = _setting("Default", "Domain of the service user.")
    keystone_project_domain: str = _setting("Default", "Domain of the service project.")
    keystone_limits_service: str = _setting(
        "",
        "Name of the service in Keystone whose unified limits are the quotas. The service user needs the role reader on"
        " the system. Empty: quotas are set in Dibs.",
    )

    def __post_init__(self) -> None:
        if not self.conductor_name:
            object.__setattr__(self, "conductor_name", _conductor_name(self.address))

    @property
    def address(self) -> Address:
        """Return the parsed bind address."""
        return parse_address(self.bind)

    @property
    def tls(self) -> bool:
        """Return True when the server uses TLS."""
        return bool(self.tls_cert)

    def bound_to(self, address: Address) -> Self:
        """Return the settings with the address that was bound; a default conductor name follows the new port."""
        is_default = self.conductor_name == _conductor_name(self.address)
        return dataclasses.replace(self, bind=str(address), conductor_name="" if is_default else self.conductor_name)

    def for_conductor(self) -> Self:
        """Return the settings of a process that is only a conductor: it listens for calls and nothing else.

        One API process may need all its threads, so no caller has a limit.
        """
        return dataclasses.replace(self.bound_to(parse_address(self.rpc_bind)), workers=1, caller_limit=0)

    @property
    def announced_rpc_url(self) -> str:
        """Return the URL at which API processes reach a conductor whose address is bound."""
        if self.rpc_url:
            return self.rpc_url
        address = self.address
        if address.host in ("0.0.0.0", "::"):
            address = structs.replace(address, host=socket.gethostname())
        return f"{address.url(self.tls)}/rpc"


FIELDS: dict[str, dataclasses.Field[Any]] = {field.name: field for field in dataclasses.fields(Settings)}
"""The fields by name, from which flags and documentation are generated."""


def groups() -> dict[str, list[str]]:
    """Return the names of the settings by group, in the order of the fields."""
    found: dict[str, list[str]] = {}
    for name, field in FIELDS.items():
        if field.metadata["begins"]:
            found[field.metadata["begins"]] = []
        found[next(reversed(found))].append(name)
    return found


def _conductor_name(address: Address) -> str:
    return socket.gethostname() if address.path else f"{socket.gethostname()}-{address.port}"
