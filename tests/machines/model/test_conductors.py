import pytest

from dibs.machines.model.conductors import Conductor, after, choose
from dibs.machines.model.errors import NoConductorForDriver, NoLiveConductor

NOW = 100


def conductor(number, **values):
    defaults = {
        "hostname": f"conductor-{number}",
        "conductor_group": "",
        "drivers": ("fake-hardware",),
        "incarnation": f"i{number}",
        "online": True,
        "heartbeat_at": 0,
        "alive_until": NOW,
        "created_at": 0,
    }
    return Conductor(id=number, **{**defaults, **values})


def chosen(*conductors, seed="s", preferred=None):
    return choose(conductors, driver="fake-hardware", group="", now=NOW, seed=seed, preferred=preferred).id


def test_a_conductor_is_alive_until_its_time_out():
    assert [conductor(1).alive(now) for now in (NOW, NOW + 1)] == [True, False]
    assert not conductor(1, online=False).alive(NOW)


def test_the_preferred_conductor_is_chosen_while_it_is_alive():
    assert {chosen(conductor(1), conductor(2), seed=str(seed), preferred=2) for seed in range(20)} == {2}
    assert chosen(conductor(1), conductor(2, online=False), preferred=2) == 1


def test_different_seeds_spread_the_choice_and_the_same_seed_repeats_it():
    pair = conductor(1), conductor(2)
    assert {chosen(*pair, seed=str(seed)) for seed in range(20)} == {1, 2}
    assert len({chosen(*pair, seed="same") for _ in range(5)}) == 1


def test_no_conductor_and_no_live_conductor_are_different_errors():
    with pytest.raises(NoConductorForDriver):
        chosen(conductor(1, drivers=("other",)), conductor(2, conductor_group="north"))
    with pytest.raises(NoLiveConductor):
        chosen(conductor(1, alive_until=NOW - 1))


def test_seconds_become_microseconds():
    assert after(5, 1.5) == 1_500_005
