"""One hierarchy of exceptions, for every failure."""

import inspect

import pytest
import requests
from keystoneauth1 import exceptions as keystone
from openstack import exceptions as sdk

from dibs.client import Dibs, errors
from dibs.client.errors import AlreadyDifferent, DibsError, as_dibs_error, check_same
from tests.bed.processes import free_port


def test_an_equal_object_is_accepted() -> None:
    check_same("Allocation a", {"class": "gold"}, {"class": "gold", "state": "active"})


def test_every_difference_is_named() -> None:
    with pytest.raises(AlreadyDifferent) as error:
        check_same("Allocation a", {"class": "gold", "sticky": True}, {"class": "silver", "sticky": False})
    assert str(error.value) == (
        "Allocation a already exists, but its class is 'silver', not 'gold'; its sticky is False, not True."
    )


def answered(status: int) -> Exception:
    """Return the exception of openstacksdk for a status."""
    response = requests.Response()
    response.status_code, response.reason = status, "a reason"
    with pytest.raises(sdk.HttpException) as error:
        sdk.raise_from_response(response)
    return error.value


@pytest.mark.parametrize(
    ("error", "ours", "theirs"),
    [
        (answered(400), errors.BadRequest, sdk.BadRequestException),
        (answered(401), errors.NotAllowed, sdk.HttpException),
        (answered(403), errors.NotAllowed, sdk.ForbiddenException),
        (answered(404), errors.NotFound, sdk.NotFoundException),
        (answered(409), errors.Conflict, sdk.ConflictException),
        (answered(503), errors.ServerFailed, sdk.HttpException),
        (keystone.Unauthorized("no"), errors.NotAllowed, sdk.HttpException),
        (keystone.ConnectFailure("refused"), errors.ConnectionFailed, keystone.ConnectionError),
        (keystone.ConnectTimeout("late"), errors.ConnectionFailed, keystone.ConnectionError),
        (sdk.ServiceDiscoveryException("nothing"), errors.ConnectionFailed, sdk.SDKException),
        (sdk.ConfigException("no such cloud"), errors.NotConfigured, sdk.ConfigException),
        (keystone.MissingAuthPlugin("none"), errors.NotConfigured, sdk.ConfigException),
        (sdk.SDKException("anything"), DibsError, sdk.SDKException),
    ],
)
def test_every_exception_of_the_libraries_has_one_of_ours(
    error: Exception, ours: type[DibsError], theirs: type[Exception]
) -> None:
    made = as_dibs_error(error)
    assert type(made) is ours
    assert isinstance(made, theirs)
    if isinstance(error, sdk.HttpException):
        assert isinstance(made, sdk.HttpException)
        assert (made.status_code, made.details, str(made)) == (error.status_code, error.details, str(error))


def test_every_call_reports_a_connection_failure_the_same_way() -> None:
    dibs = Dibs.connect(f"http://127.0.0.1:{free_port()}")
    for call in (
        lambda: dibs.why("gold"),
        lambda: dibs.candidates({"CUSTOM_GOLD": 1}),
        lambda: dibs.allocations.create("gold"),
        lambda: list(dibs.allocations.list()),
        lambda: dibs.allocations.release("mine"),
        lambda: list(dibs.nodes.list()),
        lambda: dibs.nodes.get("rack1-01"),
        lambda: list(dibs.reservations.list()),
        lambda: dibs.reservations.create(["rack1-01"]),
        lambda: list(dibs.leases.list()),
        lambda: dibs.leases.get("training"),
    ):
        with pytest.raises(errors.ConnectionFailed):
            call()


def test_the_documentation_lists_every_exception() -> None:
    classes = [each.__name__ for _, each in inspect.getmembers(errors, inspect.isclass) if issubclass(each, DibsError)]
    assert [name for name in classes if name not in (errors.__doc__ or "")] == []
