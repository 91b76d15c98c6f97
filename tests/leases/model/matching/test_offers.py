"""What is offered instead: less, without requirements, or of another class."""

from dibs.leases.model.matching.offers import ALTERNATIVES_MAX, fewer, other_classes, without


def rooms(**counts: int) -> dict[frozenset[str], int]:
    """Return rooms by failed requirements, each named by one letter; ``free`` fail none."""
    return {frozenset("" if failed == "free" else failed): count for failed, count in counts.items()}


def drops(goal: int, **counts: int) -> list[tuple[str, ...]]:
    return [offer.without for offer in without(rooms(**counts), goal)]


def test_fewer_is_what_there_is_room_for():
    assert [(offer.count, offer.text) for offer in fewer(2, 3)] == [(2, "ask for 2 instead of 3")]
    assert fewer(0, 3) == fewer(3, 3) == []


def test_the_fewest_requirements_are_dropped():
    assert drops(1, a=1, b=2, ab=9) == [("a",), ("b",)]
    assert drops(3, free=1, a=1, b=2) == [("b",)]
    assert drops(3, a=1, b=1, ab=1) == [("a", "b")]
    assert drops(4, a=1, b=1, ab=1) == []
    assert drops(1, abc=1) == [("a", "b", "c")]


def test_a_dropped_requirement_is_named_in_words():
    (offer,) = without(rooms(ab=1), 1, {"a": "CUSTOM_A", "b": "rack == 'r1'"}, reservation=2)
    assert (offer.text, offer.reservation) == ("do without CUSTOM_A and rack == 'r1'", 2)


def test_classes_with_the_most_room_come_first():
    found = other_classes({"tin": 2, "gold": 3, "iron": 1, "silver": 3, "zinc": 2}, 2)
    assert [offer.resource_class for offer in found] == ["gold", "silver", "tin"]
    assert len(found) == ALTERNATIVES_MAX
