"""The target of every attack in this folder, one per engine."""

import os
from collections.abc import Iterator

import pytest

from tests.attacks.provider_target import ProviderTarget
from tests.attacks.target import Target
from tests.bed.session import Bed


@pytest.fixture(scope="module")
def target(bed: Bed, engine_name: str) -> Iterator[Target]:
    url = bed.databases(engine_name).fresh()
    made = Target(url)
    yield made
    made.close()
    bed.databases(engine_name).discard(url)


@pytest.fixture(scope="module")
def provider_target(bed: Bed, engine_name: str) -> Iterator[ProviderTarget]:
    """A target with providers that are not nodes, with claims."""
    url = bed.databases(engine_name).fresh()
    made = ProviderTarget(url)
    yield made
    made.close()
    bed.databases(engine_name).discard(url)


@pytest.fixture
def examples(engine_name: str) -> int:
    """The number of random requests per test: fewer on engines that differ only in how they handle text and numbers.

    ``ATTACK_EXAMPLES=5000`` sends 5000 instead, different ones in each run.
    """
    return int(os.environ.get("ATTACK_EXAMPLES", 0)) or (400 if engine_name == "sqlite" else 50)
