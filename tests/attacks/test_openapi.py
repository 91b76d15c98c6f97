"""Requests generated from the OpenAPI document, and their responses compared with it, by schemathesis.

The requests match the document. They are the same in every run, and cheap: no socket, no server process. The other
tests of this folder send invalid ones.
"""

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import checks
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    positive_data_acceptance,
    response_schema_conformance,
    status_code_conformance,
)

from dibs.http.openapi import build_document
from tests.attacks.everything_target import ARGUMENTS, EverythingTarget
from tests.attacks.target import Attack
from tests.bed.session import Bed

EXAMPLES = 10
CHECKS = [
    checks.not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
SERVICES = {
    "/baremetal": ("baremetal", 1),
    "/placement": ("placement", 1),
    "/reservation": ("reservation", 1),
    "/compute": ("compute", 2),
    "/dibs": ("dibs", 1),
}
"""The service type and the major version of each mount."""

MORE_RULES = {
    "GET /baremetal/v1/allocations",
    "POST /baremetal/v1/allocations",
    "GET /baremetal/v1/allocations/{allocation}",
    "PATCH /baremetal/v1/allocations/{allocation}",
    "GET /baremetal/v1/chassis",
    "POST /baremetal/v1/chassis",
    "GET /baremetal/v1/chassis/detail",
    "DELETE /baremetal/v1/chassis/{chassis}",
    "GET /baremetal/v1/chassis/{chassis}",
    "PATCH /baremetal/v1/chassis/{chassis}",
    "GET /baremetal/v1/chassis/{chassis}/nodes",
    "GET /baremetal/v1/chassis/{chassis}/nodes/detail",
    "GET /baremetal/v1/conductors",
    "GET /baremetal/v1/conductors/{conductor}",
    "GET /baremetal/v1/drivers",
    "GET /baremetal/v1/drivers/{driver}",
    "GET /baremetal/v1/nodes",
    "POST /baremetal/v1/nodes",
    "GET /baremetal/v1/nodes/detail",
    "GET /baremetal/v1/nodes/validate",
    "GET /baremetal/v1/nodes/{node}",
    "PATCH /baremetal/v1/nodes/{node}",
    "GET /baremetal/v1/nodes/{node}/allocation",
    "GET /baremetal/v1/nodes/{node}/history",
    "GET /baremetal/v1/nodes/{node}/history/{event}",
    "PUT /baremetal/v1/nodes/{node}/management/boot_device",
    "GET /baremetal/v1/nodes/{node}/portgroups",
    "GET /baremetal/v1/nodes/{node}/portgroups/detail",
    "GET /baremetal/v1/nodes/{node}/ports",
    "GET /baremetal/v1/nodes/{node}/ports/detail",
    "PUT /baremetal/v1/nodes/{node}/states/power",
    "PUT /baremetal/v1/nodes/{node}/states/provision",
    "PUT /baremetal/v1/nodes/{node}/traits",
    "POST /baremetal/v1/nodes/{node}/vifs",
    "DELETE /baremetal/v1/nodes/{node}/vifs/{vif}",
    "GET /baremetal/v1/nodes/{node}/volume/connectors",
    "GET /baremetal/v1/nodes/{node}/volume/targets",
    "GET /baremetal/v1/portgroups",
    "POST /baremetal/v1/portgroups",
    "GET /baremetal/v1/portgroups/detail",
    "DELETE /baremetal/v1/portgroups/{portgroup}",
    "GET /baremetal/v1/portgroups/{portgroup}",
    "PATCH /baremetal/v1/portgroups/{portgroup}",
    "GET /baremetal/v1/portgroups/{portgroup}/ports",
    "GET /baremetal/v1/portgroups/{portgroup}/ports/detail",
    "GET /baremetal/v1/ports",
    "POST /baremetal/v1/ports",
    "GET /baremetal/v1/ports/detail",
    "GET /baremetal/v1/ports/{port}",
    "PATCH /baremetal/v1/ports/{port}",
    "GET /baremetal/v1/reservations",
    "POST /baremetal/v1/reservations",
    "POST /baremetal/v1/reservations/{reservation}/renew",
    "GET /baremetal/v1/volume/connectors",
    "POST /baremetal/v1/volume/connectors",
    "DELETE /baremetal/v1/volume/connectors/{connector}",
    "GET /baremetal/v1/volume/connectors/{connector}",
    "PATCH /baremetal/v1/volume/connectors/{connector}",
    "GET /baremetal/v1/volume/targets",
    "POST /baremetal/v1/volume/targets",
    "DELETE /baremetal/v1/volume/targets/{target}",
    "GET /baremetal/v1/volume/targets/{target}",
    "PATCH /baremetal/v1/volume/targets/{target}",
    "GET /compute/v2.1/flavors",
    "POST /compute/v2.1/flavors",
    "GET /compute/v2.1/flavors/detail",
    "POST /compute/v2.1/flavors/{flavor}/os-extra_specs",
    "PUT /compute/v2.1/flavors/{flavor}/os-extra_specs/{key}",
    "GET /compute/v2.1/os-hypervisors",
    "GET /compute/v2.1/os-hypervisors/detail",
    "PUT /compute/v2.1/os-services/{service}",
    "GET /compute/v2.1/servers",
    "POST /compute/v2.1/servers",
    "GET /compute/v2.1/servers/detail",
    "POST /compute/v2.1/servers/{server}/action",
    "PUT /compute/v2.1/servers/{server}/metadata/{key}",
    "GET /dibs/v1/allocations",
    "POST /dibs/v1/allocations",
    "GET /dibs/v1/audit",
    "POST /dibs/v1/calendars",
    "GET /dibs/v1/events",
    "GET /dibs/v1/leases/availability",
    "POST /dibs/v1/maintenance",
    "GET /dibs/v1/nodes/{node}/history",
    "GET /dibs/v1/reports/utilisation",
    "GET /dibs/v1/why",
    "GET /dibs/v1/why/candidates",
    "GET /dibs/v1/why/nodes",
    "POST /dibs/v1/webhooks",
    "GET /placement/allocation_candidates",
    "POST /placement/allocations",
    "PUT /placement/allocations/{consumer}",
    "POST /placement/reshaper",
    "GET /placement/resource_providers",
    "POST /placement/resource_providers",
    "POST /placement/resource_providers/{uuid}/inventories",
    "GET /placement/traits",
    "POST /reservation/v1/leases",
    "PUT /reservation/v1/leases/{lease}",
    "POST /reservation/v1/os-hosts",
    "PUT /reservation/v1/os-hosts/{host}",
    "POST /dibs/v1/allocations/{allocation}/renew",
    "GET /reservation/v1/leases",
}
"""Operations that refuse some requests that match the schema: it cannot say that parameters exclude each other, that a
name is that of an attribute, or what a text inside a text looks like. No request to any other may be a 400."""

ORDER = ("GET", "PUT", "PATCH", "POST", "DELETE")
"""What deletes comes last: it would leave nothing to change."""


@pytest.fixture(scope="module")
def target(bed: Bed, engine_name: str) -> Iterator[EverythingTarget]:
    url = bed.databases(engine_name).fresh()
    made = EverythingTarget(url)
    yield made
    made.close()
    bed.databases(engine_name).discard(url)


@pytest.mark.one_engine
@pytest.mark.parametrize("mount", SERVICES)
def test_responses_to_valid_requests_conform_to_the_document(target: EverythingTarget, mount: str) -> None:
    target.prepare()
    document = build_document(dialect for dialect in target.dialects if dialect.mount == mount)
    # A NUL character is refused everywhere: no engine but SQLite could store it.
    config = schemathesis.Config.from_dict({"generation": {"allow-x00": False}})
    schema = schemathesis.openapi.from_dict(document, config=config)
    operations = [found.ok() for found in schema.get_all_operations() if not is_left_out(found.ok())]
    problems = []
    for operation in sorted(operations, key=lambda each: (ORDER.index(each.method.upper()), each.path)):
        try:
            send_examples(target, operation, mount)
        except BaseExceptionGroup as group:
            problems.append(f"{operation.label}: {group}")
    assert not problems, "\n\n".join(problems)


def is_left_out(operation: Any) -> bool:
    """Return True for what Dibs documents as not supported."""
    return not any(int(status) < 400 for status in operation.definition.raw["responses"])


def send_examples(target: EverythingTarget, operation: Any, mount: str) -> None:
    """Send random valid requests of an operation; three of four are about objects that exist."""

    @settings(
        max_examples=EXAMPLES,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(), known=st.integers(0, 3))
    def send(case: Any, known: int) -> None:
        if known:
            names = case.path_parameters or {}
            case.path_parameters = {name: ARGUMENTS[mount].get(name, value) for name, value in names.items()}
        strict = known and operation.label not in MORE_RULES
        case.validate_response(
            respond(target, case, mount), checks=[*CHECKS, positive_data_acceptance] if strict else CHECKS
        )

    send()


def respond(target: EverythingTarget, case: Any, mount: str) -> schemathesis.Response:
    """Send a request to the application without a socket."""
    sent = requests.Request(**case.as_transport_kwargs(base_url="http://target")).prepare()
    parts = urlsplit(str(sent.url))
    body = sent.body.encode() if isinstance(sent.body, str) else sent.body or b""
    definition: Mapping[str, Any] = case.operation.definition.raw
    attack = Attack(
        method=str(sent.method),
        path=parts.path.removeprefix(mount).encode(),
        query=parts.query.encode(),
        body=body,
        headers=_headers(mount, definition.get("x-openstack-max-version"), bool(body)),
        mount=mount,
    )
    answer = target.answer(attack)
    headers = {"content-type": [answer.content_type]} if answer.content_type else {}
    return schemathesis.Response(answer.status, headers, answer.body, sent, elapsed=0, verify=False)


def _headers(mount: str, newest: int | None, has_body: bool) -> dict[str, bytes]:
    """Return the headers of an admin that asks for the newest version, or the newest that has the operation."""
    service, major = SERVICES[mount]
    version = "latest" if newest is None else f"{major}.{newest}"
    headers = {
        "x-auth-token": b"admin",
        "x-roles": b"admin,service",
        "openstack-api-version": f"{service} {version}".encode(),
    }
    return {**headers, "content-type": b"application/json"} if has_body else headers
