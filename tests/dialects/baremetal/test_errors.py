import json
from collections.abc import Iterator

import pytest

from dibs.database.errors import StoreUnavailable
from dibs.dialects.baremetal.errors import STATUSES, Refusal, answer_domain_error, fault, framework_fault
from dibs.errors import DibsError
from dibs.http.failures import MESSAGE_MAX
from dibs.machines.model.errors import NodeNotFound


def every_error(kind: type[DibsError] = DibsError) -> Iterator[type[DibsError]]:
    yield kind
    for child in kind.__subclasses__():
        yield from every_error(child)


@pytest.mark.parametrize("kind", sorted(every_error(), key=str))
def test_every_error_of_the_domain_has_a_status(kind: type[DibsError]) -> None:
    assert kind in STATUSES, f"add {kind.__name__} to dialects/baremetal/errors.py"


def test_an_error_of_the_service_is_a_fault_inside_a_string() -> None:
    response = answer_domain_error(NodeNotFound(node="n"))
    assert response.status == 404
    inside = json.loads(json.loads(response.body)["error_message"])
    assert inside == {"faultcode": "Client", "faultstring": "Node n could not be found.", "debuginfo": None}


def test_a_fault_of_the_server_says_so() -> None:
    assert json.loads(json.loads(fault(500, "x").body)["error_message"])["faultcode"] == "Server"


def test_an_error_of_the_framework_has_code_title_and_description() -> None:
    response = framework_fault(405, "why", (("Allow", "GET"),))
    inside = json.loads(json.loads(response.body)["error_message"])
    assert inside == {"code": 405, "title": "Method Not Allowed", "description": "why"}
    assert ("Allow", "GET") in response.headers


def test_a_lost_database_is_503_with_retry_after() -> None:
    response = answer_domain_error(StoreUnavailable())
    assert response.status == 503
    assert dict(response.headers)["Retry-After"] == "1"


def test_a_long_message_loses_its_middle_and_keeps_its_end() -> None:
    body = Refusal(400, "x" * 1_000_000 + " (at name)").response.body
    assert len(body) < MESSAGE_MAX + 200
    assert b"(at name)" in body
