"""Keystone tokens, validated by keystonemiddleware as in other OpenStack services.

The middleware is a WSGI filter. Here it gets an environment with only the tokens, and the application behind it only
records the identity; the request itself does not pass through it. A token of an application credential with access
rules is refused, because the filter does not see the path of the request.
"""

import logging
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from msgspec import Struct

from dibs.access.actor import Actor
from dibs.extras import needs_extra
from dibs.http.auth import Refusal, split_roles

with needs_extra("keystone", "Keystone authentication"):
    from keystoneauth1 import loading
    from keystoneauth1.exceptions import ConnectionError as KeystoneUnreachable
    from keystonemiddleware import auth_token  # type: ignore[import-untyped]
    from oslo_config import cfg

LOG = logging.getLogger(__name__)

TIMEOUT_SECONDS = 5
"""Time for Keystone to answer one request. Checking a token takes several when the service user's own token expired."""
RETRIES = 1

_GROUP = "keystone_authtoken"
_TOKEN_HEADERS = ("x-auth-token", "x-service-token")
_MESSAGES = {
    401: "The request you have made requires authentication.",
    503: "Keystone cannot be reached right now; please try again.",
}

Environ = dict[str, Any]
StartResponse = Callable[..., Any]


class ServiceUser(Struct, frozen=True, kw_only=True):
    """The account that validates tokens at Keystone."""

    username: str
    password: str
    project: str
    user_domain: str
    project_domain: str


class KeystoneAuth:
    """Validates tokens at Keystone."""

    credential_headers = _TOKEN_HEADERS
    threads = 8
    remembered_seconds = 10.0
    """A revoked token stays valid for this time. The middleware itself remembers tokens for five minutes."""

    def __init__(self, url: str, user: ServiceUser) -> None:
        self._filter = auth_token.AuthProtocol(_remember_identity, _configuration(url, user))

    def edition(self) -> object:
        """See Authenticator."""
        return None

    def claimed_name(self, headers: Mapping[str, str]) -> str:
        """See Authenticator: only Keystone knows whose token it is."""
        return ""

    def authenticate(self, headers: Mapping[str, str], *, anonymous_is_admin: bool) -> Actor | Refusal:
        """See Authenticator."""
        environ = _environ(headers)
        answered: list[tuple[int, list[tuple[str, str]]]] = []

        def start_response(status: str, response_headers: list[tuple[str, str]], exc_info: object = None) -> None:
            answered.append((int(status[:3]), response_headers))

        try:
            # WSGI requires that the body is consumed.
            list(self._filter(environ, start_response))
        except KeystoneUnreachable as error:
            # The filter answers 503 itself once it has a token of its own.
            LOG.error("Keystone cannot be reached: %s", error)
            return Refusal(503, _MESSAGES[503])
        status, response_headers = answered[-1]
        if status == 200:
            return _actor(environ)
        kept = tuple((name, value) for name, value in response_headers if name.lower() == "www-authenticate")
        return Refusal(status, _MESSAGES.get(status, "Keystone did not accept the token."), kept)


def _configuration(url: str, user: ServiceUser) -> dict[str, Any]:
    """Return the filter's configuration: a separate oslo.config, so that no file of another service is read."""
    own = cfg.ConfigOpts()
    own([], project="dibs", default_config_files=[], default_config_dirs=[])
    own.register_opts(loading.get_auth_plugin_conf_options("password"), group=_GROUP)
    values = {
        "auth_url": url,
        "username": user.username,
        "password": user.password,
        "project_name": user.project,
        "user_domain_name": user.user_domain,
        "project_domain_name": user.project_domain,
    }
    for name, value in values.items():
        own.set_override(name, value, group=_GROUP)
    return {
        "oslo_config_config": own,
        "auth_type": "password",
        "www_authenticate_uri": url,
        # Every catalog has a public endpoint of Keystone; many have no internal one.
        "interface": "public",
        # The name is too narrow: it is the time for the whole answer. The default is none.
        "http_connect_timeout": TIMEOUT_SECONDS,
        "http_request_max_retries": RETRIES,
    }


def _environ(headers: Mapping[str, str]) -> Environ:
    """Return the minimal WSGI environment with the tokens."""
    environ: Environ = {
        "REQUEST_METHOD": "GET",
        "SCRIPT_NAME": "",
        "PATH_INFO": "/",
        "SERVER_NAME": "dibs",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "wsgi.url_scheme": "http",
    }
    for name in _TOKEN_HEADERS:
        if name in headers:
            environ["HTTP_" + name.upper().replace("-", "_")] = headers[name]
    return environ


def _remember_identity(environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
    """Answer 200. The filter calls this application for a valid token, with the identity in environ."""
    start_response("200 OK", [])
    return [b""]


def _actor(environ: Environ) -> Actor:
    return Actor(
        user=environ.get("HTTP_X_USER_ID"),
        project=environ.get("HTTP_X_PROJECT_ID"),
        roles=split_roles(environ.get("HTTP_X_ROLES", "")),
        system_scope=environ.get("HTTP_OPENSTACK_SYSTEM_SCOPE") == "all",
    )
