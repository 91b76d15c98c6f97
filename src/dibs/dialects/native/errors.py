"""From an error to the answer: ``{"error": {"code": "node_request_not_found", "message": "…"}}``."""

import http
import json
import re
from collections.abc import Mapping

from dibs.domain import errors as domain
from dibs.http.failures import shorten
from dibs.http.messages import Response

Headers = tuple[tuple[str, str], ...]

STATUSES: Mapping[type[domain.DibsError], int] = {
    domain.DibsError: 500,
    domain.BadValue: 400,
    domain.InvalidTrait: 400,
    domain.TooManyTraits: 400,
    domain.BadLease: 400,
    domain.MalformedRequirements: 400,
    domain.LeaseTooLong: 400,
    domain.LeaseRefused: 400,
    domain.FlavorNotFound: 400,
    domain.Forbidden: 403,
    domain.NodeNotFound: 404,
    domain.NodeRequestNotFound: 404,
    domain.NodeRequestExists: 409,
    domain.InstanceInUse: 409,
    domain.WrongState: 409,
    domain.NobodyToFindNodes: 503,
    domain.ComputeAway: 503,
    domain.StoreUnavailable: 503,
    domain.StoreContended: 503,
}
"""What the use cases of this dialect raise. An error that is not here counts as what it is a kind of."""

_WORD = re.compile(r"(?<=[a-z])(?=[A-Z])")


class Refusal(Exception):
    """An error that the dialect itself finds."""

    def __init__(self, status: int, message: str, headers: Headers = ()) -> None:
        super().__init__(message)
        self.status = status
        self.headers = headers


def answer_domain_error(error: domain.DibsError) -> Response:
    """The answer to a refusal by the ledger; its code is the name of the error."""
    status = next(STATUSES[kind] for kind in type(error).__mro__ if kind in STATUSES)
    code = _WORD.sub("_", type(error).__name__).lower()
    return error_answer(status, str(error), code=code)


def error_answer(status: int, message: str, headers: Headers = (), *, code: str = "") -> Response:
    """An error; without a code of its own it has that of the status, such as ``not_found``."""
    code = code or http.HTTPStatus(status).phrase.lower().replace(" ", "_").replace("-", "_")
    body = json.dumps({"error": {"code": code, "message": shorten(message)}}).encode()
    again = (("retry-after", "1"),) if status == 503 and not headers else ()
    return Response(status, body, (("content-type", "application/json"), *headers, *again))
