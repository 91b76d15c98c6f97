import json
from collections.abc import Iterator

import pytest

from dibs.database.errors import StoreContended, StoreUnavailable
from dibs.dialects.reservation.errors import STATUSES, Refusal, answer_refusal, refusal_of, unauthorized
from dibs.errors import DibsError, Forbidden
from dibs.leases.model.errors import BadLease, HostKeptForLeases
from dibs.quotas.model.errors import LimitsUnknown

OF_LEASES = ("Host", "Lease", "NotEnoughHosts", "MalformedRequirements", "NoSuchHost", "OutsideLease", "BadLease")


def every_error(kind: type[DibsError] = DibsError) -> Iterator[type[DibsError]]:
    yield kind
    for child in kind.__subclasses__():
        yield from every_error(child)


def test_every_error_about_hosts_and_leases_has_a_status() -> None:
    """Other errors cannot occur: no request of this dialect claims, deploys or launches anything."""
    elsewhere = {HostKeptForLeases}
    about = {kind for kind in every_error() if kind.__name__.startswith(OF_LEASES)}
    assert about - elsewhere - STATUSES.keys() == set()


def test_error_contains_its_status_twice() -> None:
    answer = answer_refusal(Refusal(404, "No."))
    assert (answer.status, json.loads(answer.body)) == (
        404,
        {"error_code": 404, "error_message": "No.", "error_name": 404},
    )


def test_error_of_the_router_has_another_format() -> None:
    answer = answer_refusal(Refusal(405, "No.", (("Allow", "GET"),), by_router=True))
    assert json.loads(answer.body) == {"error": 405, "error_message": "No."}
    assert ("Allow", "GET") in answer.headers


def test_401_has_the_format_of_keystonemiddleware() -> None:
    answer = unauthorized("Who?", (("www-authenticate", "Basic"),))
    assert json.loads(answer.body) == {"error": {"code": 401, "title": "Unauthorized", "message": "Who?"}}
    assert ("www-authenticate", "Basic") in answer.headers


def test_403_names_the_rule() -> None:
    refusal = refusal_of(Forbidden(resource="blazar:leases:get"))
    assert (refusal.status, str(refusal)) == (403, "Policy doesn't allow blazar:leases:get to be performed.")


@pytest.mark.parametrize("error", [StoreUnavailable(), StoreContended(attempts=3), LimitsUnknown()])
def test_unavailable_database_is_a_503_with_retry_after(error: DibsError) -> None:
    answer = answer_refusal(refusal_of(error))
    assert answer.status == 503
    assert ("Retry-After", "1") in answer.headers


def test_subclass_of_an_error_has_the_status_of_its_base() -> None:
    class Odder(BadLease):
        """{reason}"""

    assert refusal_of(Odder(reason="odd")).status == 400
