"""Actors and domain errors as JSON."""

import json

import pytest

from dibs.access.actor import SERVICE_ACTOR, Actor
from dibs.allocations.model.errors import AllocationNotFound
from dibs.errors import BadValue
from dibs.rpc.wire import read_actor, read_refusal, write_actor, write_refusal


@pytest.mark.parametrize("actor", [SERVICE_ACTOR, Actor(), Actor(user="u", project="p", roles=frozenset({"b", "a"}))])
def test_actor_survives_the_wire(actor: Actor) -> None:
    assert read_actor(json.loads(json.dumps(write_actor(actor)))) == actor


def test_error_survives_the_wire_with_its_details() -> None:
    error = read_refusal(json.loads(json.dumps(write_refusal(AllocationNotFound(allocation="web")))))
    assert (type(error), str(error)) == (AllocationNotFound, "Allocation web could not be found.")


def test_error_of_another_version_keeps_its_message() -> None:
    document = {"message": "No luck.", "data": {"error": "ErrorOfTheFuture", "details": {}}}
    error = read_refusal(document)
    assert (type(error), str(error)) == (BadValue, "No luck.")
