"""The server in a conductor process: one path that takes signed calls."""

import json
import logging
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from dibs.access.actor import Actor
from dibs.documents.json_body import UnusableJson, read_json
from dibs.documents.json_schema import Schema
from dibs.errors import DibsError
from dibs.http.failures import Headers, plain_error_content, plain_failure
from dibs.http.messages import Operation, Request, Response
from dibs.rpc.signing import SIGNATURE, CallVerifier, Unproven, sign_answer
from dibs.rpc.wire import Json, read_actor, write_refusal

LOG = logging.getLogger(__name__)

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602

Procedure = Callable[[Actor, Json], Any]
"""Takes the actor and the other parameters, and returns a JSON value. Raises DibsError to refuse, and KeyError,
TypeError or ValueError for invalid parameters."""


class Calls:
    """JSON-RPC 2.0 as a dialect, so that it has the limits, logs and metrics of the others."""

    mount = "/rpc"
    title = "Calls to this conductor"
    public_paths = frozenset({"/"})
    """No authentication from headers: the signature is the proof, and it covers the body with the actor."""
    anonymous_is_admin = False
    strict_paths = False
    checks_media_types = False
    secret_nouns = frozenset[str]()
    operations: Iterable[Operation] = ()

    def __init__(
        self,
        procedures: Mapping[str, Procedure],
        *,
        incarnation: Callable[[], str | None],
        verifier: CallVerifier,
        secret: str,
    ) -> None:
        self._procedures = procedures
        self._incarnation = incarnation
        self._verifier = verifier
        self._secret = secret

    def answer(self, request: Request) -> Response:
        """See http.messages.Dialect."""
        if request.path != "/":
            return self.refuse(request, 404, "RPC calls are accepted at /rpc only.")
        if request.method != "POST":
            return self.refuse(request, 405, "RPC calls use POST.", (("allow", "POST"),))
        incarnation = self._incarnation()
        if incarnation is None:
            return self.refuse(request, 503, "This conductor is not registered at the moment.", (("retry-after", "1"),))
        try:
            nonce = self._verifier.check(request.headers, incarnation, request.body)
        except Unproven as error:
            LOG.warning("refused an RPC call: %s", error)
            return self.refuse(request, 401, str(error))
        body = json.dumps(self._carry_out(request.body)).encode()
        proof = (SIGNATURE, sign_answer(self._secret, nonce, body))
        return Response(200, body, (("content-type", "application/json"), proof))

    def refuse(self, request: Request | None, status: int, message: str, headers: Headers = ()) -> Response:
        """See http.messages.Dialect."""
        return plain_failure(status, message, headers)

    def error_content(self, status: int) -> Mapping[str, Schema]:
        """See http.messages.Dialect."""
        return plain_error_content()

    def _carry_out(self, body: bytes) -> Json:
        try:
            call = read_json(body)
        except UnusableJson as error:
            return _failed(None, PARSE_ERROR, str(error))
        if not _is_call(call):
            return _failed(None, INVALID_REQUEST, "The body is not a single JSON-RPC 2.0 call with an id.")
        procedure = self._procedures.get(call["method"])
        if procedure is None:
            return _failed(call["id"], METHOD_NOT_FOUND, f"The method {call['method']} does not exist.")
        try:
            actor = read_actor(call["params"]["actor"])
            result = procedure(actor, {name: value for name, value in call["params"].items() if name != "actor"})
        except DibsError as error:
            return {"jsonrpc": "2.0", "error": write_refusal(error), "id": call["id"]}
        except (KeyError, TypeError, ValueError) as error:
            LOG.exception("RPC call %s failed", call["method"])
            return _failed(call["id"], INVALID_PARAMS, f"{type(error).__name__}: {error}")
        return {"jsonrpc": "2.0", "result": result, "id": call["id"]}


def _is_call(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.get("jsonrpc") == "2.0"
        and isinstance(value.get("method"), str)
        and isinstance(value.get("params"), dict)
        and isinstance(value.get("id"), str | int)
    )


def _failed(call_id: Any, code: int, message: str) -> Json:
    return {"jsonrpc": "2.0", "error": {"code": code, "message": message}, "id": call_id}
