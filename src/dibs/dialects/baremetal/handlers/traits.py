"""Traits of a node (specification 004)."""

from dibs.dialects.baremetal import schemas
from dibs.dialects.baremetal.documents.idents import location, node_in_path
from dibs.dialects.baremetal.errors import bad_request
from dibs.dialects.baremetal.exchange import Exchange, empty_answer, json_answer
from dibs.http.messages import Response
from dibs.machines.operations import node_traits as operations

_HOW_TO_PUT = (
    "A single node trait may be added via PUT /v1/nodes/<node identifier>/traits/<trait> with no body, or all node "
    "traits may be replaced via PUT /v1/nodes/<node identifier>/traits with the list of traits specified in "
    "the request body."
)


def list_traits(exchange: Exchange) -> Response:
    """GET /v1/nodes/{node}/traits"""
    ident = node_in_path(exchange)
    rules = ("baremetal:node:traits:list",)
    found = exchange.read(operations.list_traits, operations.NodeTraits(ident=ident, rules=rules))
    return json_answer({"traits": found})


def set_traits(exchange: Exchange) -> Response:
    """PUT /v1/nodes/{node}/traits

    Answers 200 with the list, as the specification says; the released service answers 204 (contract sample 147).
    """
    ident = node_in_path(exchange)
    rules = ("baremetal:node:traits:set",)
    body = exchange.body("body", schemas.TRAITS)
    if "traits" not in body:
        raise bad_request(_HOW_TO_PUT)
    names = tuple(dict.fromkeys(body["traits"]))
    command = operations.SetTraits(ident=ident, rules=rules, traits=names)
    return json_answer({"traits": exchange.write(operations.set_traits, command)})


def remove_all_traits(exchange: Exchange) -> Response:
    """DELETE /v1/nodes/{node}/traits"""
    ident = node_in_path(exchange)
    rules = ("baremetal:node:traits:delete",)
    exchange.write(operations.remove_all_traits, operations.NodeTraits(ident=ident, rules=rules))
    return empty_answer(204)


def add_trait(exchange: Exchange) -> Response:
    """PUT /v1/nodes/{node}/traits/{trait}"""
    ident = node_in_path(exchange)
    rules = ("baremetal:node:traits:set",)
    if exchange.has_body:
        raise bad_request(_HOW_TO_PUT)
    trait = exchange.arguments["trait"]
    exchange.write(operations.add_trait, operations.AddTrait(ident=ident, rules=rules, trait=trait))
    return empty_answer(204, location(exchange, "nodes", ident, "traits", trait))


def remove_trait(exchange: Exchange) -> Response:
    """DELETE /v1/nodes/{node}/traits/{trait}"""
    ident = node_in_path(exchange)
    rules = ("baremetal:node:traits:delete",)
    command = operations.RemoveTrait(ident=ident, rules=rules, trait=exchange.arguments["trait"])
    exchange.write(operations.remove_trait, command)
    return empty_answer(204)
