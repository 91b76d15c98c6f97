"""Members of a tree: free amounts and sharing."""

import pytest

from dibs.candidates.model.provider_tree import SHARING_TRAIT
from tests.candidates.model.brute_force import Provider, Stock, World


@pytest.mark.parametrize(
    ("stock", "amount", "fits", "fits_in_sum"),
    [
        (Stock(8, used=4), 4, True, True),
        (Stock(8, used=4), 5, False, False),
        (Stock(8, reserved=5), 4, False, False),
        (Stock(8, ratio=2.0), 16, True, True),
        (Stock(8, min_unit=2), 1, False, True),
        (Stock(8, step_size=2), 3, False, True),
        (Stock(8, max_unit=2), 3, False, False),
    ],
)
def test_a_single_claim_is_bound_to_more_limits_than_a_sum(
    stock: Stock, amount: int, fits: bool, fits_in_sum: bool
) -> None:
    (tree,) = World([Provider("host", None, {"VCPU": stock})]).trees()
    assert tree.root.fits("VCPU", amount) is fits
    assert tree.root.fits_in_sum("VCPU", amount) is fits_in_sum


@pytest.mark.parametrize(("stock", "room"), [(Stock(8, used=3), 5), (Stock(8, max_unit=2), 2), (Stock(2, used=5), 0)])
def test_the_room_is_never_negative(stock: Stock, room: int) -> None:
    (tree,) = World([Provider("host", None, {"VCPU": stock})]).trees()
    assert tree.root.room("VCPU") == room


def test_a_class_that_a_provider_does_not_have_does_not_fit() -> None:
    (tree,) = World([Provider("host")]).trees()
    assert not tree.root.fits("VCPU", 1)


def test_a_tree_is_in_the_aggregates_of_all_its_members() -> None:
    world = World(
        [
            Provider("root", aggregates=frozenset({"a"})),
            Provider("child", "root", aggregates=frozenset({"b"}), traits=frozenset({SHARING_TRAIT})),
        ]
    )
    (tree,) = world.trees()
    assert tree.aggregates == {"a", "b"}
    assert [member.uuid for member in tree.sharing] == ["child"]
