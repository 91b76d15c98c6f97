"""What a project uses: nodes at one moment, and hours ahead."""

import random

from dibs.quotas.model.uses import NEVER, Count, Use, booked_ahead, counted, most_at_once


def use(provider_id: int, start: int, end: int, holder: str = "other", **options: bool) -> Use:
    return Use("p", holder, provider_id, "gold", start, end, **options)


def test_uses_that_do_not_overlap_share_one_node_of_the_quota() -> None:
    assert most_at_once([use(1, 0, 10), use(2, 10, 20, "new")], {"new"}) == Count(0, 1)
    assert most_at_once([use(1, 0, 11), use(2, 10, 20, "new")], {"new"}) == Count(1, 1)


def test_moments_at_which_the_holders_add_nothing_do_not_count() -> None:
    crowded = [use(number, 0, 10) for number in range(5)]
    assert most_at_once([*crowded, use(9, 20, 30, "new")], {"new"}) == Count(0, 1)
    assert most_at_once(crowded, {"new"}) == Count(0, 0)


def test_node_with_two_uses_counts_once() -> None:
    assert most_at_once([use(1, 0, 10), use(1, 5, 20, "new")], {"new"}) == Count(0, 1)
    assert most_at_once([use(1, 0, 20), use(1, 5, 20, "new")], {"new"}) == Count(0, 0)


def test_instances_on_a_host_are_no_nodes() -> None:
    assert most_at_once([use(1, 0, 10, "new", whole=False, leased=True)], {"new"}) == Count(0, 0)
    assert booked_ahead([use(1, 0, 10, "new", whole=False, leased=True)], {"new"}, 0) == Count(0, 0)


def test_instance_on_a_leased_node_is_a_part_of_the_lease() -> None:
    leased, instance = use(1, 5, 20, "lease", leased=True), use(1, 0, NEVER, "instance")
    assert counted([leased, instance], 10) == [leased]
    assert counted([leased, instance], 1) == [leased, instance]
    assert counted([leased, instance], 30) == [instance]


def test_hours_ahead_begin_now_and_need_an_end() -> None:
    assert booked_ahead([use(1, 0, 30), use(2, 20, 40, "new"), use(3, 0, NEVER)], {"new"}, 10) == Count(20, 20)


def test_most_at_once_agrees_with_a_count_at_every_moment() -> None:
    chance = random.Random(7)
    for _ in range(300):
        uses = [
            use(chance.randrange(5), start, start + chance.randint(1, 8), chance.choice(("other", "new")))
            for start in (chance.randrange(10) for _ in range(chance.randint(0, 9)))
        ]
        best = 0
        for moment in range(20):
            at = [each for each in uses if each.start <= moment < each.end]
            others = {each.provider_id for each in at if each.holder == "other"}
            if {each.provider_id for each in at} - others:
                best = max(best, len({each.provider_id for each in at}))
        assert most_at_once(uses, {"new"}).total == best, uses
