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
    """How many random requests a test tries: most on SQLite, fewer where only the handling of text and numbers differs.

    ``ATTACK_EXAMPLES=5000`` tries so many instead, and different ones at each run.
    """
    return int(os.environ.get("ATTACK_EXAMPLES", 0)) or (400 if engine_name == "sqlite" else 50)
