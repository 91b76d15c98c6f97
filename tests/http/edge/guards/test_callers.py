import pytest

from dibs.access.actor import Actor
from dibs.http.edge.guards.callers import Caller, CallerBusy, CallerLimit

EVA = Caller("10.0.0.1", "eva", "blue")


def test_caller_is_a_user_of_a_project_at_an_address() -> None:
    assert Caller.of("10.0.0.1", Actor(user="eva", project="blue")) == EVA
    assert len({EVA, EVA._replace(address="10.0.0.2"), EVA._replace(user="ada"), EVA._replace(project="red")}) == 4


def test_request_over_the_limit_of_its_caller_is_refused_and_others_are_not() -> None:
    limit = CallerLimit(1)
    with limit.counted(EVA):
        with pytest.raises(CallerBusy), limit.counted(EVA):
            pass
        with limit.counted(EVA._replace(address="10.0.0.2")):
            pass
    with limit.counted(EVA):
        pass


def test_zero_is_no_limit() -> None:
    limit = CallerLimit(0)
    with limit.counted(EVA), limit.counted(EVA):
        pass
