"""Every setting, once: name, type, default and help. Read once at start, then passed on; nothing reads it again.

A flag wins over the environment (``DIBS_<NAME>``), which wins over one TOML file (``--config`` or ``DIBS_CONFIG``),
which wins over the default. To add a setting, add a field to Settings: flag, variable, key and check follow from it.
"""

import dataclasses
import socket
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Self

from dibs.http.edge.binding import Address, parse_address

ENVIRONMENT_PREFIX = "DIBS_"
CONFIG_VARIABLE = "DIBS_CONFIG"

RPC_SECRET_LENGTH_MIN = 16

_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off"})


class SettingsError(Exception):
    """A setting has a value that cannot be used; the message says which, where it came from, and why."""


def _setting(
    default: Any, help: str, *, check: Callable[[Any], Any] | None = None, secret: bool = False, begins: str = ""
) -> Any:
    """A field; ``begins`` names the group of settings that it is the first of."""
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
    """What an operator decides."""

    bind: str = _setting(
        "127.0.0.1:8780", "HOST:PORT or unix:/path to listen on.", check=parse_address, begins="what matters first"
    )
    database: str = _setting("sqlite:///./var/dibs.sqlite", "Database URL; a missing SQLite file is made.")
    auth: str = _setting(
        "noauth", "Who is believed: noauth, http_basic or keystone.", check=_one_of("noauth", "http_basic", "keystone")
    )
    auth_file: str = _setting("", "File of user:bcrypt-hash[:project[:role,role]] lines for http_basic.")
    force_noauth: bool = _setting(False, "Allow noauth on an address that other machines can reach.")
    workers: int = _setting(1, "Processes that answer requests.", check=_at_least(1))
    threads: int = _setting(
        16, "Requests that run at once in each process.", check=_at_least(1), begins="limits and times of requests"
    )
    queue_limit: int = _setting(128, "Requests that may wait in each process; more get 503.", check=_at_least(0))
    body_limit_bytes: int = _setting(4 * 1024 * 1024, "Largest request body.", check=_at_least(1))
    body_timeout_seconds: float = _setting(
        30.0, "Longest time to send a body or take an answer.", check=_at_least(0.01)
    )
    header_limit_bytes: int = _setting(64 * 1024, "Largest request line and headers together.", check=_at_least(256))
    header_timeout_seconds: float = _setting(10.0, "Longest time to send the headers.", check=_at_least(0.01))
    keep_alive_seconds: float = _setting(75.0, "Time an idle connection is kept open.", check=_at_least(0))
    stop_timeout_seconds: int = _setting(30, "Time for requests to finish when the server stops.", check=_at_least(0))
    tls_cert: str = _setting("", "PEM file of the certificate and its chain; makes the server speak TLS.", begins="TLS")
    tls_key: str = _setting("", "PEM file of the certificate's private key.")
    log_format: str = _setting(
        "auto", "json, text, or auto: text on a terminal.", check=_one_of("auto", "json", "text"), begins="logs"
    )
    log_level: str = _setting(
        "info", "debug, info, warning or error.", check=_one_of("debug", "info", "warning", "error")
    )
    policy_file: str = _setting(
        "", "oslo.policy file (YAML) that overrides the default rules.", begins="who may do what"
    )
    placement_legacy_rules: bool = _setting(
        False, "Placement's older default rules, which let an admin use the reshaper; the newer keep it for services."
    )
    placement_enforce_scope: bool = _setting(
        False, "Refuse callers with system scope in Placement's API, as Placement does."
    )
    placement_randomize_candidates: bool = _setting(
        False, "Give allocation candidates in random order, so that many schedulers do not all get the same few first."
    )
    cors_allowed_origin: str = _setting("", "Origins whose web pages may call the APIs, separated by commas.")
    cors_allow_headers: str = _setting("", "Request headers that those pages may send, separated by commas.")
    conductor_name: str = _setting(
        "", "Name that this conductor registers under; made from host and port if empty.", begins="conductors"
    )
    conductor_group: str = _setting("", "Conductor group that this conductor serves.")
    heartbeat_seconds: float = _setting(10.0, "Time between two heartbeats of a conductor.", check=_at_least(0.01))
    conductor_timeout_seconds: float = _setting(
        30.0,
        "Silence after which a conductor counts as dead; at most half of take_over_seconds.",
        check=_at_least(0.01),
    )
    take_over_seconds: float = _setting(
        60.0, "Time within which the work of a conductor that died is taken over; 0 turns it off.", check=_at_least(0)
    )
    hold_seconds: float = _setting(
        300.0,
        "Time after which a reservation of a node ends, unless its maker or a renewal says otherwise.",
        check=_at_least(1),
        begins="reservations of nodes",
    )
    hold_seconds_max: float = _setting(3600.0, "Longest time that a reservation may ask for.", check=_at_least(1))
    lease_before_end_minutes: int = _setting(
        60,
        "Time before the end of a lease at which that is announced, unless its owner says when; 0: never.",
        check=_at_least(0),
        begins="leases",
    )
    lease_cleaning_minutes: int = _setting(0, "Time that a host rests before and after each lease.", check=_at_least(0))
    lease_healing_seconds: float = _setting(
        10,
        "How often other hosts are sought for leases whose hosts broke before they began; 0: never.",
        check=_at_least(0),
    )
    lease_seconds_max: int = _setting(0, "Longest time that a lease may last; 0: any.", check=_at_least(0))
    lease_exempt_projects: str = _setting("", "Projects whose leases may last longer, separated by commas.")
    compute_backend: str = _setting(
        "embedded",
        "Who keeps flavors and servers: embedded, which is /compute, or nova.",
        check=_one_of("embedded", "nova"),
        begins="services outside that leases have to do with",
    )
    nova_cloud: str = _setting("", "Entry of clouds.yaml under which Nova is reached; its user is an admin.")
    nova_clouds_file: str = _setting("", "The clouds.yaml that has it; else it is looked for in the usual places.")
    region_name: str = _setting("", "Region in which Nova is, and of which the enforcement service is told.")
    enforcement_url: str = _setting(
        "",
        "URL of a service that is asked before a lease is made or changed and told when it ends; empty: nobody is.",
        check=_is_http_url,
    )
    enforcement_token: str = _setting("", "What it is sent as X-Auth-Token.", secret=True)
    enforcement_timeout_seconds: float = _setting(
        10.0, "Time for it to answer; a lease that it does not answer about is refused.", check=_at_least(0.01)
    )
    rpc_bind: str = _setting(
        "127.0.0.1:8781",
        "HOST:PORT on which `dibs conductor` takes calls from `dibs api`.",
        check=_is_host_and_port,
        begins="between `dibs api` and `dibs conductor`",
    )
    rpc_url: str = _setting(
        "", "URL at which `dibs api` reaches this conductor; made from rpc_bind, or the host's name, if empty."
    )
    rpc_secret: str = _setting(
        "", "Secret that all `dibs api` and `dibs conductor` processes share.", check=_is_long_enough, secret=True
    )
    rpc_timeout_seconds: float = _setting(
        10.0, "Time for a conductor to answer a call before another is tried.", check=_at_least(0.01)
    )
    rpc_ca_file: str = _setting("", "PEM file of authorities that vouch for conductors with TLS; else the system's.")
    keystone_url: str = _setting("", "Keystone's public endpoint, such as http://keystone:5000/v3.", begins="Keystone")
    keystone_username: str = _setting("", "Service user that validates tokens.")
    keystone_password: str = _setting("", "Its password.", secret=True)
    keystone_project: str = _setting("service", "Its project.")
    keystone_user_domain: str = _setting("Default", "Domain of the service user.")
    keystone_project_domain: str = _setting("Default", "Domain of the service project.")

    def __post_init__(self) -> None:
        if not self.conductor_name:
            object.__setattr__(self, "conductor_name", _conductor_name(self.address))

    @property
    def address(self) -> Address:
        """The bind address, parsed."""
        return parse_address(self.bind)

    @property
    def tls(self) -> bool:
        """True when the server speaks TLS."""
        return bool(self.tls_cert)

    def bound_to(self, address: Address) -> Self:
        """The same settings once the system has chosen a port; a conductor name made from the old one follows."""
        made = self.conductor_name == _conductor_name(self.address)
        return dataclasses.replace(self, bind=str(address), conductor_name="" if made else self.conductor_name)

    def for_conductor(self) -> Self:
        """The same settings for a process that is only a conductor: it listens for calls and nothing else."""
        return dataclasses.replace(self.bound_to(parse_address(self.rpc_bind)), workers=1)

    @property
    def announced_rpc_url(self) -> str:
        """Where API processes reach a conductor that is bound already."""
        if self.rpc_url:
            return self.rpc_url
        address = self.address
        if address.host in ("0.0.0.0", "::"):
            address = dataclasses.replace(address, host=socket.gethostname())
        return f"{address.url(self.tls)}/rpc"


FIELDS: dict[str, dataclasses.Field[Any]] = {field.name: field for field in dataclasses.fields(Settings)}
"""The table: what flags and documentation are made from."""


def groups() -> dict[str, list[str]]:
    """The names of the settings by what they are about, in the order in which they stand above."""
    found: dict[str, list[str]] = {}
    for name, field in FIELDS.items():
        if field.metadata["begins"]:
            found[field.metadata["begins"]] = []
        found[next(reversed(found))].append(name)
    return found


def load_settings(flags: Mapping[str, Any], environment: Mapping[str, str], config_path: str | None = None) -> Settings:
    """Put the sources together; flags that are None were not given."""
    values: dict[str, Any] = {}
    path = config_path or environment.get(CONFIG_VARIABLE)
    if path:
        values.update(_read_file(path))
    for name in FIELDS:
        variable = ENVIRONMENT_PREFIX + name.upper()
        if variable in environment:
            values[name] = _convert(name, environment[variable], variable)
    for name, value in flags.items():
        if value is not None:
            values[name] = _convert(name, value, "--" + name.replace("_", "-"))
    settings = Settings(**values)
    _check_together(settings)
    return settings


def _read_file(path: str) -> dict[str, Any]:
    try:
        with open(path, "rb") as file:
            found = tomllib.load(file)
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"{path}: {error}") from error
    for name in found:
        if name not in FIELDS:
            raise SettingsError(f"{path}: there is no setting {name!r}")
    return {name: _convert(name, value, f"{path}: {name}") for name, value in found.items()}


def _convert(name: str, value: Any, source: str) -> Any:
    """The value in the type of its field; strings are what flags and the environment have."""
    field = FIELDS[name]
    try:
        converted = _CONVERTERS[type(field.default)](value)
        if field.metadata["check"] is not None:
            field.metadata["check"](converted)
    except ValueError as error:
        shown = "the value" if field.metadata["secret"] else repr(value)
        raise SettingsError(f"{source}: {shown} {error}") from None
    return converted


def _to_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    raise ValueError("must be text")


def _to_bool(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if str(value).lower() in _TRUE | _FALSE:
        return str(value).lower() in _TRUE
    raise ValueError("must be true or false")


def _to_int(value: Any) -> int:
    try:
        if isinstance(value, str | int) and not isinstance(value, bool):
            return int(value)
    except ValueError:
        pass
    raise ValueError("must be a whole number")


def _to_float(value: Any) -> float:
    try:
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            return float(value)
    except ValueError:
        pass
    raise ValueError("must be a number")


_CONVERTERS: dict[type, Callable[[Any], Any]] = {str: _to_text, bool: _to_bool, int: _to_int, float: _to_float}


def _check_together(settings: Settings) -> None:
    """What one value alone does not show."""
    if bool(settings.tls_cert) != bool(settings.tls_key):
        raise SettingsError("tls_cert and tls_key are needed together")
    if settings.auth == "http_basic" and not settings.auth_file:
        raise SettingsError("auth http_basic needs auth_file")
    if settings.auth == "keystone":
        for name in ("keystone_url", "keystone_username", "keystone_password"):
            if not getattr(settings, name):
                raise SettingsError(f"auth keystone needs {name}")
    if settings.compute_backend == "nova" and not settings.nova_cloud:
        raise SettingsError("compute_backend nova needs nova_cloud")
    if settings.hold_seconds > settings.hold_seconds_max:
        raise SettingsError("hold_seconds must not be longer than hold_seconds_max")
    if settings.conductor_timeout_seconds <= settings.heartbeat_seconds:
        raise SettingsError("conductor_timeout_seconds must be longer than heartbeat_seconds")
    if 0 < settings.take_over_seconds < 2 * settings.conductor_timeout_seconds:
        raise SettingsError(
            "take_over_seconds must be at least twice conductor_timeout_seconds, or 0: whoever takes over has to find"
            " out first that the other is dead"
        )


def _conductor_name(address: Address) -> str:
    return socket.gethostname() if address.path else f"{socket.gethostname()}-{address.port}"
