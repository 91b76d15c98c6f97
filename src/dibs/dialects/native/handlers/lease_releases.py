"""Release a host, or an instance, of an active lease."""

from dibs.dialects.native.exchange import Exchange, json_answer
from dibs.documents.json_schema import Schema
from dibs.http.messages import Response
from dibs.leases.operations.active.releasing import ReleaseHost, release_host

HOST: Schema = {
    "type": "object",
    "properties": {
        "host": {
            "type": "string",
            "minLength": 1,
            "maxLength": 255,
            "description": "Name or id of the host, or UUID of its node.",
        }
    },
    "required": ["host"],
    "additionalProperties": False,
}


def release(exchange: Exchange) -> Response:
    """POST /v1/leases/{lease}/release"""
    access = exchange.services.lease_policy.access(exchange.actor)
    command = ReleaseHost(uuid=exchange.arguments["lease"], host=exchange.body(HOST)["host"])
    released = exchange.services.runner.write(release_host, access, command)
    exchange.services.wake()
    return json_answer({"lease": released.lease, "hosts": dict(released.hosts)})
