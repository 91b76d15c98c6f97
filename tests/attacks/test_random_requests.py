"""Thousands of requests that nobody should send; the laws are in ``target.Target.send``."""

import os

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.strategies import SearchStrategy

from tests.attacks.strategies import attacks, patch_attacks, query_attacks
from tests.attacks.target import Attack, Target

# The same requests at every run, so that a failure is about what changed; ATTACK_EXAMPLES looks for new ones.
_REPEATABLE = "ATTACK_EXAMPLES" not in os.environ


def attack(target: Target, strategy: SearchStrategy[Attack], examples: int) -> None:
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=_REPEATABLE,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate, Phase.shrink],
    )
    @given(strategy)
    def send(one: Attack) -> None:
        target.send(one)

    send()


def test_no_request_to_any_route_breaks_the_laws(target: Target, examples: int) -> None:
    attack(target, attacks(), examples * 2)


def test_no_patch_breaks_the_laws(target: Target, examples: int) -> None:
    attack(target, patch_attacks(), examples * 2)


def test_no_query_breaks_the_laws(target: Target, examples: int) -> None:
    attack(target, query_attacks(), examples)
