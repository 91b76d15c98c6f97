"""Suggestions for names that are not known."""

import pytest

from dibs.cli.output.closest import did_you_mean


@pytest.mark.parametrize(
    ("name", "known", "sentence"),
    [
        ("glod", ["gold", "silver"], " Did you mean gold?"),
        ("custom_nvme", ["CUSTOM_NVME", "CUSTOM_GPU"], " Did you mean CUSTOM_NVME?"),
        ("rack1", ["rack2", "rack3"], " Did you mean rack3 or rack2?"),
        ("tape", ["gold"], ""),
        ("tape", [], ""),
    ],
)
def test_only_close_names_are_suggested(name: str, known: list[str], sentence: str) -> None:
    assert did_you_mean(name, known) == sentence
