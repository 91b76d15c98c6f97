"""The query string of GET /allocation_candidates.

``resources``, ``required``, ``member_of`` and ``in_tree`` belong to the request group that the suffix of the
parameter's name says; the other parameters are about all groups. The parameters of each version are data below.
"""

import re
from collections.abc import Sequence

from dibs.candidates.model.candidate_query import CandidateQuery, RequestGroup
from dibs.dialects.placement.errors import Code, bad_request
from dibs.dialects.placement.query import (
    Forms,
    Query,
    read_in_tree,
    read_member_of,
    read_required,
    read_resources,
    read_traits,
)
from dibs.dialects.placement.schemas import Schema, in_version
from dibs.ledger.model.criteria import ANYTHING, Criteria

FORBIDDEN_TRAITS_SINCE = 22
NAMED_GROUPS_SINCE = 33
SAME_SUBTREE_SINCE = 36
ROOT_TRAITS_FORMS = 38
"""Quirk: ``root_required`` has no any-of form, not even in 1.39."""

_TEXT: Schema = {"type": "string"}
_NUMBER = "[1-9][0-9]*"
_NAME = "[a-zA-Z0-9_-]{1,64}"
_OF_GROUP = ("resources", "required", "member_of")
_LIMIT: Schema = {"type": "string", "pattern": "^[1-9][0-9]*$"}
_POLICY: Schema = {"type": "string", "enum": ["none", "isolate"]}
_LIMIT_DIGITS_MAX = 9

PARAMETERS: dict[str, Schema] = {
    "resources": _TEXT,
    "required": _TEXT,
    "member_of": _TEXT,
    "in_tree": _TEXT,
    "limit": _LIMIT,
    "group_policy": _POLICY,
    "root_required": _TEXT,
    "same_subtree": _TEXT,
}
"""The parameters of the newest version."""


def _ungrouped(*names: str) -> Schema:
    properties = {name: PARAMETERS[name] for name in names}
    return {"type": "object", "properties": properties, "required": ["resources"], "additionalProperties": False}


def _grouped(suffix: str, of_group: Sequence[str], *names: str) -> Schema:
    return {
        "type": "object",
        "properties": {name: PARAMETERS[name] for name in ("limit", "group_policy", *names)},
        "patternProperties": {f"^{name}({suffix})?$": _TEXT for name in of_group},
        "additionalProperties": False,
    }


_SCHEMAS = {
    10: _ungrouped("resources"),
    16: _ungrouped("resources", "limit"),
    17: _ungrouped("resources", "limit", "required"),
    21: _ungrouped("resources", "limit", "required", "member_of"),
    25: _grouped(_NUMBER, _OF_GROUP),
    31: _grouped(_NUMBER, (*_OF_GROUP, "in_tree")),
    33: _grouped(_NAME, (*_OF_GROUP, "in_tree")),
    35: _grouped(_NAME, (*_OF_GROUP, "in_tree"), "root_required"),
    36: _grouped(_NAME, (*_OF_GROUP, "in_tree"), "root_required", "same_subtree"),
}
"""The schemas of the query string, by first version."""

_KEY_OF_GROUP = {
    since: re.compile(f"(resources|required|member_of|in_tree)({suffix})?")
    for since, suffix in ((0, _NUMBER), (NAMED_GROUPS_SINCE, _NAME))
}


def read_query(query: Query, minor: int, *, nested: bool) -> CandidateQuery:
    """Read the query, and check everything that needs no database."""
    query.check(in_version(_SCHEMAS, minor))
    limit, policy = _read_limit(query), query.first("group_policy")
    root_traits, same_subtrees = _read_root_traits(query), _read_same_subtrees(query)
    groups = [_read_group(query, minor, suffix) for suffix in _suffixes(query, minor)]
    if minor >= SAME_SUBTREE_SINCE:
        _check_suffixes(groups, same_subtrees)
    else:
        _check_orphans(groups)
    if minor >= FORBIDDEN_TRAITS_SINCE:
        _check_contradictions(groups)
    if policy is None and sum(group.one_provider for group in groups) > 1:
        raise bad_request(
            'The "group_policy" parameter is required when specifying more than one "resources{N}" parameter.'
        )
    return CandidateQuery(
        groups=tuple(groups),
        isolate=policy == "isolate",
        root_traits=root_traits,
        same_subtrees=same_subtrees,
        limit=limit,
        nested=nested,
    )


def _suffixes(query: Query, minor: int) -> list[str]:
    """Return the suffixes of all groups, in the order of the parameters."""
    pattern = _KEY_OF_GROUP[NAMED_GROUPS_SINCE if minor >= NAMED_GROUPS_SINCE else 0]
    found = (pattern.fullmatch(name) for name in query.names)
    return list(dict.fromkeys(match[2] or "" for match in found if match))


def _read_group(query: Query, minor: int, suffix: str) -> RequestGroup:
    resources, in_tree = query.last("resources" + suffix), query.last("in_tree" + suffix)
    return RequestGroup(
        suffix=suffix,
        resources={} if resources is None else read_resources(resources),
        traits=read_required(query, minor, suffix),
        aggregates=read_member_of(query, minor, suffix),
        in_tree=None if in_tree is None else read_in_tree(in_tree),
    )


def _read_limit(query: Query) -> int | None:
    """Read the limit. Quirk: of several values the first counts; the schema checked only the last."""
    text = query.first("limit")
    if text is None:
        return None
    if not re.fullmatch("[1-9][0-9]*", text, re.ASCII):
        raise bad_request(f"Invalid query string parameters: '{text}' does not match '^[1-9][0-9]*$'")
    # No site has that many candidates, and Python refuses to convert very long numbers.
    return int(text) if len(text) <= _LIMIT_DIGITS_MAX else None


def _read_root_traits(query: Query) -> Criteria:
    values = query.all("root_required")
    if len(values) > 1:
        raise bad_request("Query parameter 'root_required' may be specified only once.", Code.DUPLICATE_KEY)
    if not values:
        return ANYTHING
    traits = read_traits(values[0], Forms.of(ROOT_TRAITS_FORMS))
    conflicts = sorted(name for choice in traits.required for name in choice & traits.forbidden)
    if conflicts:
        raise bad_request(
            f"Conflicting required and forbidden traits found in root_required: {', '.join(conflicts)}", Code.BAD_VALUE
        )
    return traits


def _read_same_subtrees(query: Query) -> tuple[frozenset[str], ...]:
    found = tuple(frozenset(suffix.strip() for suffix in value.split(",")) for value in query.all("same_subtree"))
    if any("" in suffixes for suffixes in found):
        raise bad_request("Empty string (unsuffixed group) can not be specified in `same_subtree` ", Code.BAD_VALUE)
    return found


def _check_suffixes(groups: Sequence[RequestGroup], same_subtrees: Sequence[frozenset[str]]) -> None:
    """Refuse a group without resources unless ``same_subtree`` names it, and suffixes without a group."""
    idle = [group.suffix for group in groups if not group.resources]
    if len(idle) == len(groups):
        raise bad_request("There must be at least one resources or resources[$S] parameter.", Code.MISSING_VALUE)
    named = frozenset().union(*same_subtrees)
    if alone := [suffix for suffix in idle if suffix not in named]:
        raise bad_request(
            "Resourceless suffixed group request should be specified in `same_subtree` query param: bad group(s) -"
            f" {alone}.",
            Code.BAD_VALUE,
        )
    known = [group.suffix for group in groups]
    if unknown := sorted(named.difference(known)):
        raise bad_request(
            f"Real suffixes should be specified in `same_subtree`: {unknown} not found in {known}.", Code.BAD_VALUE
        )


def _check_orphans(groups: Sequence[RequestGroup]) -> None:
    idle = [group for group in groups if not group.resources]
    if orphans := [f"required{group.suffix}" for group in idle if group.traits.required]:
        raise bad_request(
            "All traits parameters must be associated with resources.  Found the following orphaned traits keys:"
            f" {', '.join(orphans)}"
        )
    if orphans := [f"member_of{group.suffix}" for group in idle if group.aggregates]:
        raise bad_request(
            "All member_of parameters must be associated with resources. Found the following orphaned member_of keys:"
            f" {', '.join(orphans)}"
        )
    if idle:
        raise bad_request("All request groups must specify resources.")
    if not groups:
        raise bad_request("At least one request group (`resources` or `resources{$S}`) is required.")


def _check_contradictions(groups: Sequence[RequestGroup]) -> None:
    found = sorted(
        f"required{group.suffix}: ({', '.join(sorted(choice))})"
        for group in groups
        for choice in group.traits.required
        if choice <= group.traits.forbidden
    )
    if found:
        raise bad_request(
            f"Conflicting required and forbidden traits found in the following traits keys: {', '.join(found)}"
        )
