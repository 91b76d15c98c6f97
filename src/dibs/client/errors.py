"""The exceptions of ``dibs.client``: one hierarchy, whose classes are also those of openstacksdk.

    DibsError
    ├── ConnectionFailed       no answer: connection refused or lost, timeout, not a Dibs
    ├── NotConfigured          no such cloud in clouds.yaml, or credentials are missing
    ├── BadRequest             400: the request is not valid
    ├── NotAllowed             401, 403: not authenticated, or without the permission
    ├── NotFound               404: the object does not exist, or the caller may not see it
    ├── Conflict               409: the object is in use or in the wrong state
    ├── ServerFailed           any other status: the server is overloaded, or failed
    ├── AllocationFailed       the allocation has failed, or was ended by the server
    ├── TimedOut               the wait took too long
    ├── AlreadyDifferent       an object of the same name exists, but differs from the requested one
    └── NameNotUnique          several objects have the name

Wrong arguments (an unknown filter, a string instead of a list) are a TypeError, as in any Python call.
"""

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

from keystoneauth1 import exceptions as keystone
from openstack import exceptions as sdk

Item = TypeVar("Item")


class DibsError(sdk.SDKException):
    """The parent of every exception that ``dibs.client`` raises."""


class ConnectionFailed(DibsError, keystone.ConnectionError):
    """The server cannot be reached, or what answers is not Dibs."""


class NotConfigured(DibsError, sdk.ConfigException):
    """The cloud or its credentials are missing from clouds.yaml and the environment."""


class BadRequest(DibsError, sdk.BadRequestException):
    """The server does not accept the values of the request."""


class NotAllowed(DibsError, sdk.ForbiddenException):
    """The caller is not authenticated, or lacks the permission."""


class NotFound(DibsError, sdk.NotFoundException):
    """The object does not exist, or the caller may not see it."""


class Conflict(DibsError, sdk.ConflictException):
    """The object is in use or in the wrong state."""


class ServerFailed(DibsError, sdk.HttpException):
    """The server is overloaded or failed; a retry may help."""


class AllocationFailed(DibsError, sdk.ResourceFailure):
    """The allocation failed, or the server ended it because no heartbeat arrived."""


class TimedOut(DibsError, sdk.ResourceTimeout):
    """The wait took longer than allowed."""


class AlreadyDifferent(DibsError):
    """An object of the same name exists, but differs from the requested one."""


class NameNotUnique(DibsError, sdk.DuplicateResource):
    """Several objects have this name; use the id."""


_BY_STATUS: Mapping[int, type[DibsError]] = {
    400: BadRequest,
    401: NotAllowed,
    403: NotAllowed,
    404: NotFound,
    409: Conflict,
}
_BY_KIND: tuple[tuple[tuple[type[Exception], ...], type[DibsError]], ...] = (
    ((keystone.ConnectionError, keystone.DiscoveryFailure, sdk.ServiceDiscoveryException), ConnectionFailed),
    ((sdk.ConfigException, keystone.AuthPluginException, keystone.MissingAuthMethods), NotConfigured),
    ((sdk.ResourceTimeout,), TimedOut),
    ((sdk.DuplicateResource,), NameNotUnique),
)


@contextlib.contextmanager
def dibs_errors() -> Iterator[None]:
    """Raise exceptions of openstacksdk and keystoneauth as the ones of this module. Also a decorator."""
    try:
        yield
    except DibsError:
        raise
    except (sdk.SDKException, keystone.ClientException) as error:
        raise as_dibs_error(error) from error


def each_or_error(items: Iterable[Item]) -> Iterator[Item]:
    """Yield items of a list that is read page by page, with the exceptions of this module."""
    with dibs_errors():
        yield from items


def as_dibs_error(error: Exception) -> DibsError:
    """Return the exception of this module for one of openstacksdk or keystoneauth."""
    if isinstance(error, sdk.HttpException):
        return _http_error(error.status_code, error.message, error.response, error.details)
    if isinstance(error, keystone.HttpError):
        return _http_error(error.http_status, str(error), error.response, error.details)
    kind = next((ours for theirs, ours in _BY_KIND if isinstance(error, theirs)), DibsError)
    return kind(str(error))


def _http_error(status: int | None, message: str | None, response: Any, details: str | None) -> DibsError:
    kind: Any = _BY_STATUS.get(status or 0, ServerFailed)
    made: DibsError = kind(message, response=response, details=details)
    # A response is missing if authentication failed before the request was sent.
    made.status_code = status  # type: ignore[attr-defined]
    return made


def check_same(what: str, requested: Mapping[str, Any], found: Mapping[str, Any]) -> None:
    """Raise AlreadyDifferent if an existing object differs from the requested one."""
    different = [
        f"{name} is {found[name]!r}, not {requested[name]!r}" for name in requested if requested[name] != found[name]
    ]
    if different:
        raise AlreadyDifferent(f"{what} already exists, but its {'; its '.join(different)}.")
