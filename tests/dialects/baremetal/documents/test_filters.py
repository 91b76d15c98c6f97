import pytest

from dibs.dialects.baremetal.documents.filters import FILTERS, Filter, read_conditions
from dibs.dialects.baremetal.errors import Refusal
from dibs.dialects.baremetal.microversions import VERSIONS
from dibs.dialects.baremetal.query import Query
from dibs.errors import BadValue
from dibs.machines.model.node_query import (
    Condition,
    Contains,
    Equals,
    Held,
    OfConductor,
    OfProjects,
    OneOf,
    Present,
    Traits,
)

NEWEST = max(VERSIONS)
KNOWN: dict[str, object] = {row.name: {} for row in FILTERS}
NO_CHILDREN = Present("parent_node", False)
UUID = "11111111-2222-4333-8444-555555555501"


def read(*pairs: tuple[str, str], minor: int = NEWEST) -> tuple[Condition, ...]:
    return read_conditions(Query(pairs, KNOWN), minor)


@pytest.mark.parametrize(
    ("name", "value", "condition"),
    [
        ("associated", "false", Present("instance_uuid", False)),
        ("conductor", "c1", OfConductor("c1")),
        ("conductor_group", "North", Equals("conductor_group", "north")),
        ("conductor_group", "", Equals("conductor_group", "")),
        ("description_contains", "fan", Contains("description", "fan")),
        ("driver", "fake-hardware", Equals("driver", "fake-hardware")),
        ("fault", "power failure", Equals("fault", "power failure")),
        ("instance_name", "web", Equals("instance_name", "web")),
        ("instance_uuid", UUID.upper(), Equals("instance_uuid", UUID)),
        ("lessee", "blue", Equals("lessee", "blue")),
        ("maintenance", "YES", Equals("maintenance", True)),
        ("owner", "blue", Equals("owner", "blue")),
        ("project", "blue", OfProjects(("blue",))),
        ("provision_state", "clean wait", Equals("provision_state", "clean wait")),
        ("reserved", "true", Held(True)),
        ("resource_class", "bm", Equals("resource_class", "bm")),
        ("retired", "0", Equals("retired", False)),
        ("shard", "a,b", OneOf("shard", ("a", "b"))),
        ("sharded", "true", Present("shard", True)),
        ("traits", "CUSTOM_A,CUSTOM_B", Traits(("CUSTOM_A", "CUSTOM_B"))),
        ("traits-any", "CUSTOM_A", Traits(("CUSTOM_A",), any_of=True)),
        ("not-traits", "CUSTOM_A", Traits(("CUSTOM_A",), negated=True)),
        ("not-traits-any", "CUSTOM_A", Traits(("CUSTOM_A",), any_of=True, negated=True)),
    ],
)
def test_a_filter_becomes_a_condition(name: str, value: str, condition: Condition) -> None:
    assert read((name, value)) == (condition, NO_CHILDREN)


def test_children_of_other_nodes_are_listed_only_on_request() -> None:
    assert read() == (NO_CHILDREN,)
    assert read(("include_children", "true")) == ()
    assert read(("parent_node", UUID)) == (Equals("parent_node", UUID),)


def test_a_list_of_nodes_to_deploy_excludes_reserved_nodes() -> None:
    eligible = (("associated", "false"), ("provision_state", "available"))
    assert Held(False) in read(*eligible)
    assert Held(False) in read(*eligible, minor=9)
    assert Held(False) not in read(*eligible, ("reserved", "true"))
    assert not any(isinstance(each, Held) for one in eligible for each in read(one))


def test_filters_are_combined() -> None:
    found = read(("traits", "CUSTOM_A"), ("not-traits", "CUSTOM_B"), ("owner", "x"))
    assert len(found) == 4


@pytest.mark.parametrize("row", [row for row in FILTERS if row.since > 1], ids=lambda row: row.name)
def test_a_filter_is_refused_before_its_version(row: Filter) -> None:
    with pytest.raises(Refusal) as caught:
        read((row.name, "x"), minor=row.since - 1)
    assert caught.value.status == 406
    if row.says_version:
        assert f"should be 1.{row.since}" in caught.value.message


def test_traits_may_be_repeated_and_are_counted_once() -> None:
    assert read(("traits", "CUSTOM_A,CUSTOM_B"), ("traits", "CUSTOM_B, CUSTOM_C"))[0] == Traits(
        ("CUSTOM_A", "CUSTOM_B", "CUSTOM_C")
    )


@pytest.mark.parametrize("name", ["traits", "traits-any", "not-traits", "not-traits-any"])
def test_a_filter_takes_fifty_traits_and_not_one_more(name: str) -> None:
    names = [f"CUSTOM_{number}" for number in range(51)]
    assert read((name, ",".join(names[:50])))
    with pytest.raises(Refusal, match="at most 50"):
        read((name, ",".join(names)))


@pytest.mark.parametrize("value", ["nope", "CUSTOM_lower", "HW_NO_SUCH_TRAIT", "CUSTOM_" + "A" * 300])
def test_an_invalid_trait_in_a_filter_is_refused(value: str) -> None:
    with pytest.raises(Refusal, match=r"The query parameter traits: .* is not a valid trait"):
        read(("traits", f"CUSTOM_OK,{value}"))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("traits", ""),
        ("traits", ","),
        ("maintenance", "banana"),
        ("associated", ""),
        ("instance_uuid", "x"),
        ("parent_node", "x"),
        ("provision_state", "nosuch"),
        ("fault", "none"),
        ("include_children", "x"),
        ("shard", ",".join(str(number) for number in range(1001))),
    ],
)
def test_an_invalid_value_is_400(name: str, value: str) -> None:
    with pytest.raises((Refusal, BadValue)) as caught:
        read((name, value))
    assert getattr(caught.value, "status", 400) == 400
    assert name.partition("_")[0] in str(caught.value).lower() or name in str(caught.value)


def test_a_parameter_sent_twice_is_400() -> None:
    with pytest.raises(Refusal, match="owner is given more than once"):
        read(("owner", "a"), ("owner", "b"))
