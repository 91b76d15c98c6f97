import json
from collections.abc import Iterator

import pytest

from dibs.database.errors import StoreUnavailable
from dibs.dialects.compute.errors import STATUSES, answer_domain_error, error_answer
from dibs.errors import DibsError
from dibs.flavors.model.errors import FlavorNotFound


def every_error(kind: type[DibsError] = DibsError) -> Iterator[type[DibsError]]:
    yield kind
    for child in kind.__subclasses__():
        yield from every_error(child)


@pytest.mark.parametrize("kind", sorted(every_error(), key=str))
def test_every_error_of_the_domain_has_a_status(kind: type[DibsError]) -> None:
    assert kind in STATUSES, f"add {kind.__name__} to dialects/compute/errors.py"


def test_an_error_has_novas_shape() -> None:
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
def test_each_status_has_its_word(status: int, kind: str) -> None:
    assert list(json.loads(error_answer(status, "no").body)) == [kind]


def test_when_the_database_is_away_the_caller_is_told_when_to_come_back() -> None:
    answer = answer_domain_error(StoreUnavailable())
    assert (answer.status, dict(answer.headers)["Retry-After"]) == (503, "1")
