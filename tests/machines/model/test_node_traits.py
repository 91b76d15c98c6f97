import pytest

from dibs.machines.model.errors import InstanceTraitsMissing, TooManyTraits
from dibs.machines.model.node_traits import TRAITS_PER_NODE_MAX, check_instance_traits, check_trait_count


def test_a_node_has_fifty_traits_at_most():
    check_trait_count("n", TRAITS_PER_NODE_MAX)
    with pytest.raises(TooManyTraits, match=r"\(51 vs. 50\)"):
        check_trait_count("n", TRAITS_PER_NODE_MAX + 1)


@pytest.mark.parametrize("info", [{}, {"traits": None}, {"traits": ["A"]}])
def test_an_instance_may_require_any_of_the_traits_of_the_node(info):
    check_instance_traits("n", info, {"A", "B"})


@pytest.mark.parametrize(
    ("traits", "message"),
    [(["A", "C", "B"], "Node n is missing traits B, C"), ("A", "A list of strings"), ([1], "A list of strings")],
)
def test_other_traits_and_other_values_are_refused(traits, message):
    with pytest.raises(InstanceTraitsMissing, match=message):
        check_instance_traits("n", {"traits": traits}, {"A"})
