"""Domain errors as answers."""

import json

import pytest

from dibs.allocations.model.errors import AllocationNotFound, NoConductorAvailable
from dibs.dialects.native.errors import STATUSES, answer_domain_error
from dibs.errors import DibsError
from dibs.quotas.model.errors import LimitsUnknown, QuotaInKeystone


def test_code_is_the_name_of_the_error() -> None:
    response = answer_domain_error(AllocationNotFound(allocation="x"))
    assert response.status == 404
    expected = {"code": "allocation_not_found", "message": "Allocation x could not be found."}
    assert json.loads(response.body) == {"error": expected}


def test_503_has_a_retry_after_header() -> None:
    assert dict(answer_domain_error(NoConductorAvailable()).headers)["retry-after"] == "1"


def test_every_error_has_a_status() -> None:
    assert STATUSES[DibsError] == 500


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [(QuotaInKeystone(), 409, "quota_in_keystone"), (LimitsUnknown(), 503, "limits_unknown")],
)
def test_limits_of_keystone_have_errors_of_their_own(error: DibsError, status: int, code: str) -> None:
    answer = answer_domain_error(error)
    assert (answer.status, json.loads(answer.body)["error"]) == (status, {"code": code, "message": str(error)})
