"""What is offered to an allocation that does not get its nodes now."""

from dibs.allocations.model.offers import Supply, make_offers
from dibs.leases.model.matching.offers import Offer, OfferKind

SECOND = 1_000_000
NOW = 1_000 * SECOND


def offers(count: int = 1, turnover_seconds: float = 0, **supply) -> list[Offer]:
    return make_offers(Supply(**{"free": 0, **supply}), "gold", count, NOW, turnover_seconds)


def test_a_wait_lasts_until_the_nodes_are_clean():
    (offer,) = offers(free_at=NOW + 90 * SECOND)
    assert (offer.kind, offer.wait_seconds) == (OfferKind.LATER, 180)
    (offer,) = offers(free_at=NOW + 90 * SECOND, turnover_seconds=60)
    assert offer.wait_seconds == 240
    assert (offers(free_at=NOW)[0].wait_seconds, offers()) == (120, [])


def test_nodes_for_the_queue_are_not_offered():
    rooms, classes = {frozenset({"CUSTOM_A"}): 2}, {"tin": 2}
    assert [offer.kind for offer in offers(2, rooms=rooms, classes=classes)] == [
        OfferKind.WITHOUT,
        OfferKind.OTHER_CLASS,
    ]
    assert offers(2, rooms=rooms, classes=classes, queued={"gold": 1, "tin": 1}) == []
    (offer,) = offers(1, rooms=rooms, queued={"gold": 1})
    assert offer.without == ("CUSTOM_A",)


def test_fewer_nodes_are_offered_when_some_are_free():
    assert [offer.count for offer in offers(3, free=2)] == [2]
