"""The roots of the trees that meet every requirement of a query for candidates, in one statement.

For a query of one class with one required trait:

    SELECT root.id FROM providers AS root
     WHERE root.parent_id IS NULL
       AND EXISTS (SELECT 1 FROM providers AS member
                    WHERE member.root_id = root.id
                      AND EXISTS (SELECT 1 FROM inventories AS stock
                                   WHERE stock.provider_id = member.id AND stock.class_id = :class
                                     AND <:amount fits into stock>))
       AND EXISTS (SELECT 1 FROM providers AS member
                    WHERE member.root_id = root.id
                      AND EXISTS (SELECT 1 FROM provider_traits AS named
                                   WHERE named.provider_id = member.id AND named.trait IN (:trait)))

Nested EXISTS instead of a join: SQLite would begin a join with all inventories of the class, again for each root. The
inventories have the used amount, so no claims are added up. A statement is built for each *shape* of query (how many of
what, not which); the values are parameters.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec import Struct
from sqlalchemy import BigInteger, ColumnElement, Select, Table, and_, bindparam, literal, or_, select
from sqlalchemy.sql.selectable import FromClause

from dibs.candidates.model.requirements import Requirement
from dibs.database import sets
from dibs.ledger.model.criteria import Criteria
from dibs.ledger.tables import inventories, provider_aggregates, provider_traits, providers

ROOT = providers.alias("root")


class CriteriaShape(NamedTuple):
    """The size of each required choice, and the number of forbidden names."""

    required: tuple[int, ...]
    forbidden: int


class RequirementShape(NamedTuple):
    """The shape of a requirement: everything but its values."""

    classes: int
    any_resource: bool
    traits: CriteriaShape
    aggregates: CriteriaShape
    root_counts: bool
    in_tree: bool
    shared_in: int


class Shape(NamedTuple):
    """The shape of a query: everything but its values."""

    requirements: tuple[RequirementShape, ...]
    root_traits: CriteriaShape


class Prefilter(Struct, frozen=True):
    """The shape and the values of a statement that finds trees."""

    shape: Shape
    values: Mapping[str, Any]


def prefilter_for(
    requirements: Sequence[Requirement], root_traits: Criteria, class_ids: Mapping[str, int]
) -> Prefilter:
    """Return the prefilter for these requirements; ``class_ids`` has the row id of every class."""
    values = _criteria_values("root", root_traits)
    for number, requirement in enumerate(requirements):
        values |= _requirement_values(f"r{number}", requirement, class_ids)
    return Prefilter(Shape(tuple(map(_requirement_shape, requirements)), _criteria_shape(root_traits)), values)


def roots_that_match(shape: Shape) -> Select[Any]:
    """Return a statement for the row ids of the roots of all trees that pass the prefilter."""
    return select(ROOT.c.id).where(
        ROOT.c.parent_id.is_(None),
        *_has_traits("root", shape.root_traits, ROOT),
        *(_is_met(f"r{number}", requirement) for number, requirement in enumerate(shape.requirements)),
    )


def padded(values: Collection[Any]) -> list[Any]:
    """Return the values with the last one repeated up to a power of two, so that there are few shapes."""
    listed = sorted(values)
    size = 1 << (len(listed) - 1).bit_length() if listed else 0
    return listed + listed[-1:] * (size - len(listed))


def _criteria_shape(criteria: Criteria) -> CriteriaShape:
    return CriteriaShape(tuple(len(padded(choice)) for choice in criteria.required), len(padded(criteria.forbidden)))


def _criteria_values(prefix: str, criteria: Criteria) -> dict[str, Any]:
    values = sets.numbered(f"{prefix}_forbidden", padded(criteria.forbidden))
    for number, choice in enumerate(criteria.required):
        values |= sets.numbered(f"{prefix}_required{number}", padded(choice))
    return values


def _requirement_shape(requirement: Requirement) -> RequirementShape:
    return RequirementShape(
        classes=len(requirement.resources),
        any_resource=requirement.any_resource,
        traits=_criteria_shape(requirement.traits),
        aggregates=_criteria_shape(requirement.aggregates),
        root_counts=requirement.root_counts,
        in_tree=requirement.in_tree is not None,
        shared_in=len(padded(requirement.shared_in)),
    )


def _requirement_values(prefix: str, requirement: Requirement, class_ids: Mapping[str, int]) -> dict[str, Any]:
    values = _criteria_values(f"{prefix}_trait", requirement.traits) | _criteria_values(
        f"{prefix}_aggregate", requirement.aggregates
    )
    values |= sets.numbered(f"{prefix}_class", [class_ids[name] for name, _ in requirement.resources])
    values |= sets.numbered(f"{prefix}_amount", [amount for _, amount in requirement.resources])
    values |= sets.numbered(f"{prefix}_shared_in", padded(requirement.shared_in))
    if requirement.in_tree is not None:
        values[f"{prefix}_in_tree"] = requirement.in_tree
    return values


def _is_met(prefix: str, shape: RequirementShape) -> ColumnElement[bool]:
    member = providers.alias("member")
    conditions = [member.c.root_id == ROOT.c.id]
    stocks = [_has_stock(prefix, number, member) for number in range(shape.classes)]
    conditions += [or_(*stocks)] if shape.any_resource else stocks
    conditions += _has_traits(f"{prefix}_trait", shape.traits, member)
    conditions += _is_in_aggregates(f"{prefix}_aggregate", shape.aggregates, member, root_counts=shape.root_counts)
    if shape.in_tree:
        conditions.append(ROOT.c.uuid == bindparam(f"{prefix}_in_tree"))
    in_tree = select(literal(1)).where(*conditions).correlate(ROOT).exists()
    return or_(in_tree, _shares(f"{prefix}_shared_in", shape.shared_in)) if shape.shared_in else in_tree


def _has_stock(prefix: str, number: int, member: FromClause) -> ColumnElement[bool]:
    stock = inventories.alias("stock")
    fits = _fits(stock, f"{prefix}_class_{number}", f"{prefix}_amount_{number}")
    return select(literal(1)).where(stock.c.provider_id == member.c.id, fits).correlate(member).exists()


def _fits(stock: FromClause, class_id: str, amount_name: str) -> ColumnElement[bool]:
    amount = bindparam(amount_name, type_=BigInteger())
    return and_(
        stock.c.class_id == bindparam(class_id),
        # Not ``used + amount``: that sum of integers could overflow, this difference cannot.
        (stock.c.total - stock.c.reserved) * stock.c.allocation_ratio - stock.c.used >= amount,
        stock.c.min_unit <= amount,
        stock.c.max_unit >= amount,
        amount % stock.c.step_size == 0,
    )


def _has_traits(prefix: str, shape: CriteriaShape, of: FromClause) -> list[ColumnElement[bool]]:
    clauses = _required(prefix, shape, provider_traits, "trait", of)
    if shape.forbidden:
        clauses.append(~_has_any(provider_traits, "trait", of, f"{prefix}_forbidden", shape.forbidden))
    return clauses


def _is_in_aggregates(
    prefix: str, shape: CriteriaShape, of: FromClause, *, root_counts: bool
) -> list[ColumnElement[bool]]:
    counting = (of, ROOT) if root_counts else (of,)
    clauses: list[ColumnElement[bool]] = []
    if shape.required:
        own_or_root = (and_(*_required(prefix, shape, provider_aggregates, "aggregate", each)) for each in counting)
        clauses.append(or_(*own_or_root))
    if shape.forbidden:
        clauses += (
            ~_has_any(provider_aggregates, "aggregate", each, f"{prefix}_forbidden", shape.forbidden)
            for each in counting
        )
    return clauses


def _required(
    prefix: str, shape: CriteriaShape, table: Table, column: str, of: FromClause
) -> list[ColumnElement[bool]]:
    return [
        _has_any(table, column, of, f"{prefix}_required{number}", count) for number, count in enumerate(shape.required)
    ]


def _has_any(table: Table, column: str, of: FromClause, prefix: str, count: int) -> ColumnElement[bool]:
    named = table.alias("named")
    wanted = named.c[column].in_(sets.binds(prefix, count))
    return select(literal(1)).where(named.c.provider_id == of.c.id, wanted).correlate(of).exists()


def _shares(prefix: str, count: int) -> ColumnElement[bool]:
    """Return a condition: some member of the tree is in an aggregate through which the requirement is met."""
    member = providers.alias("member")
    in_reach = _has_any(provider_aggregates, "aggregate", member, prefix, count)
    return select(literal(1)).where(member.c.root_id == ROOT.c.id, in_reach).correlate(ROOT).exists()
