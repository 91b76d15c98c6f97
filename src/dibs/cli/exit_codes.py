"""Exit codes and error messages of the client commands. Scripts rely on the codes: never change or reuse one."""

import json
import re
from collections.abc import Iterator

from dibs.extras import MissingExtra

OK = 0
REFUSED = 1
"""The server refused the request, or the operation failed; the message on standard error says why."""
USAGE = 2
"""The command line is wrong, or the cloud is not configured."""
NOT_FOUND = 3
TIMED_OUT = 4
UNREACHABLE = 5
"""The server cannot be reached or is temporarily unavailable; retry later."""
NOT_ALLOWED = 6
"""Authentication failed, or the user lacks permission."""
INTERRUPTED = 130
"""Ctrl-C, with the code that shells use."""

_BY_STATUS = {401: NOT_ALLOWED, 403: NOT_ALLOWED, 404: NOT_FOUND, 502: UNREACHABLE, 503: UNREACHABLE, 504: UNREACHABLE}
_CREDENTIALS = (
    "Set user and password in DIBS_URL (https://USER:PASSWORD@host), in OS_USERNAME and OS_PASSWORD, or in"
    " auth.username and auth.password of the entry in clouds.yaml."
)
_URL = re.compile(r"https?://[^\s/,]+")


def code_of(error: Exception) -> int | None:
    """Return the exit code for an error, or None for an unexpected one."""
    if isinstance(error, MissingExtra):
        return USAGE

    from keystoneauth1 import exceptions as keystone
    from openstack import exceptions as sdk

    if isinstance(error, sdk.NotFoundException):
        return NOT_FOUND
    if _is_without_credentials(error):
        return NOT_ALLOWED
    if isinstance(error, sdk.HttpException):
        return _BY_STATUS.get(error.status_code or 0, REFUSED)
    kinds: list[tuple[type[Exception] | tuple[type[Exception], ...], int]] = [
        (sdk.ResourceTimeout, TIMED_OUT),
        ((sdk.ServiceDiscoveryException, keystone.ConnectionError, keystone.DiscoveryFailure), UNREACHABLE),
        ((keystone.Unauthorized, keystone.Forbidden), NOT_ALLOWED),
        ((sdk.ConfigException, keystone.AuthPluginException, keystone.MissingRequiredOptions), USAGE),
        ((sdk.SDKException, keystone.ClientException), REFUSED),
    ]
    return next((code for kind, code in kinds if isinstance(error, kind)), None)


def message_of(error: Exception) -> str:
    """Return the server's message without the text that client libraries add, or why there is no connection."""
    if isinstance(error, MissingExtra):
        return str(error)

    from openstack import exceptions as sdk

    if isinstance(error, sdk.HttpException):
        text = _message_in(error.response.text if error.response is not None else "") or error.details or str(error)
        return f"{text}\n{_CREDENTIALS}" if error.status_code == 401 else text
    if missing := _missing_options(error):
        return missing
    if _is_without_credentials(error):
        return f"{error}\n{_CREDENTIALS}"
    return _no_connection(error) if code_of(error) == UNREACHABLE else str(error)


def _missing_options(error: BaseException) -> str | None:
    """Return which variables or keys of clouds.yaml are missing, from the chain of causes."""
    from keystoneauth1 import exceptions as keystone

    for cause in _chain(error):
        if isinstance(cause, keystone.MissingRequiredOptions):
            names = [option.dest for option in cause.options]
            variables = " and ".join(f"OS_{name.upper()}" for name in names)
            keys = " and ".join(f"auth.{name}" for name in names)
            return f"Credentials are missing. Set {variables}, or {keys} of the entry in clouds.yaml."
    return None


def _is_without_credentials(error: Exception) -> bool:
    """Return True when an entry of clouds.yaml names an authentication method without user and password."""
    from keystoneauth1 import exceptions as keystone

    return any(isinstance(cause, keystone.AuthorizationFailure) for cause in _chain(error))


def _no_connection(error: Exception) -> str:
    url = _URL.search(str(error))
    if url is None:
        return f"Cannot connect to the server: {error}"
    reason = _system_error(error) or "the service is unavailable or is not Dibs"
    return f"Cannot connect to {url[0].rstrip(':')}: {reason}. Is `dibs serve` running?"


def _system_error(error: BaseException) -> str | None:
    """Return the operating system's reason, such as "connection refused", from the chain of causes."""
    for cause in _chain(error):
        if isinstance(cause, OSError) and cause.strerror:
            return cause.strerror[0].lower() + cause.strerror[1:]
    return None


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and its causes."""
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__ or cause.__context__


def _message_in(body: str) -> str | None:
    """Return the message in a response of the bare-metal or the reservation API, which openstacksdk does not parse."""
    try:
        message = json.loads(body)["error_message"]
    except (ValueError, KeyError, TypeError):
        return None
    # Quirk: the bare-metal API encodes its message as JSON in a JSON string, of one of two forms.
    try:
        fault = json.loads(message)
        return str(fault.get("faultstring") or fault["description"])
    except (ValueError, KeyError, TypeError, AttributeError):
        return str(message)
