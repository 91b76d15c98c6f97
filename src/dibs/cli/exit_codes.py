"""The exit codes of commands that ask a server. Scripts rely on them: never change one, never use one again."""

import json

from dibs.extras import MissingExtra

OK = 0
REFUSED = 1
"""The server refused, or what was asked for failed; the sentence on standard error says why."""
USAGE = 2
"""The command line is wrong, or says nothing about where the server is."""
NOT_FOUND = 3
TIMED_OUT = 4
UNREACHABLE = 5
"""Nobody answers, or the server cannot answer just now; try again later."""
NOT_ALLOWED = 6
"""The server does not know who is asking, or does not let them."""
INTERRUPTED = 130
"""Ctrl-C, as shells count it."""

_BY_STATUS = {401: NOT_ALLOWED, 403: NOT_ALLOWED, 404: NOT_FOUND, 502: UNREACHABLE, 503: UNREACHABLE, 504: UNREACHABLE}


def code_of(error: Exception) -> int | None:
    """The exit code for an error; None when it is nothing that a user could expect."""
    if isinstance(error, MissingExtra):
        return USAGE

    from keystoneauth1 import exceptions as keystone
    from openstack import exceptions as sdk

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


def sentence_of(error: Exception) -> str:
    """What the server said, without the words that libraries put around it."""
    if isinstance(error, MissingExtra):
        return str(error)

    from openstack import exceptions as sdk

    if isinstance(error, sdk.HttpException):
        return _message_in(error.response.text if error.response is not None else "") or error.details or str(error)
    return f"Nobody answers. {error}" if code_of(error) == UNREACHABLE else str(error)


def _message_in(body: str) -> str | None:
    """The message in an answer of the bare-metal or the reservation API, which openstacksdk does not find or unpack."""
    try:
        message = json.loads(body)["error_message"]
    except (ValueError, KeyError, TypeError):
        return None
    # Quirk: the bare-metal API wraps its message in JSON once more.
    try:
        return str(json.loads(message)["faultstring"])
    except (ValueError, KeyError, TypeError):
        return str(message)
