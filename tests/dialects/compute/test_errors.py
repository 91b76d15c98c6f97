import json

import pytest

from dibs.database.errors import StoreUnavailable
from dibs.dialects.compute.errors import STATUSES, answer_domain_error, error_answer
from dibs.errors import DibsError, every_error
from dibs.flavors.model.errors import FlavorNotFound


@pytest.mark.parametrize("kind", sorted(every_error(), key=str))
def test_every_domain_error_has_a_status(kind: type[DibsError]) -> None:
    assert kind in STATUSES, f"add {kind.__name__} to dialects/compute/errors.py"


def test_error_has_the_format_of_nova() -> None:
    answer = answer_domain_error(FlavorNotFound(flavor="f"))
    assert answer.status == 404
    assert json.loads(answer.body) == {"itemNotFound": {"code": 404, "message": "Flavor f could not be found."}}


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, "badRequest"),
        (403, "forbidden"),
        (405, "badMethod"),
        (406, "computeFault"),
        (409, "conflictingRequest"),
        (413, "overLimit"),
        (500, "computeFault"),
    ],
)
def test_each_status_has_the_name_that_nova_gives_it(status: int, kind: str) -> None:
    assert list(json.loads(error_answer(status, "no").body)) == [kind]


def test_lost_database_is_503_with_retry_after() -> None:
    answer = answer_domain_error(StoreUnavailable())
    assert (answer.status, dict(answer.headers)["Retry-After"]) == (503, "1")
