"""A page whose shown output differs from the real one is found."""

import subprocess

import pytest

from tests.docs.pages import blocks_of, differences, is_shown, script_of

PAGE = """\
```sh
echo first
```

```sh fails
echo 'it fails' >&2; false
```

```text output
it fails
```

```python
print("| 1f0e4c1a-0d6c-4a53-9b0e-1d7f6c1a2b3c | since  5 minutes |")
```

```text output
| 00000000-0000-4000-8000-000000000000 | since 2 h |
```
"""
OUTPUT = "```text output\na\n```\n"


def printed_by(page: str) -> str:
    return subprocess.run(
        ["bash", "-c", f"exec 2>&1\n{script_of(blocks_of(page))}"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    ).stdout


def test_output_that_a_page_shows_is_compared_with_the_block_above_it() -> None:
    assert differences(blocks_of(PAGE), printed_by(PAGE)) == []
    wrong = PAGE.replace("it fails\n```\n\n```python", "it works\n```\n\n```python")
    (difference,) = differences(blocks_of(wrong), printed_by(wrong))
    assert "it works" in difference
    assert "it fails" in difference


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        ("ends 2026-11-16T10:00:00Z", "ends 2031-02-03 09:30"),
        ("waiting for 1h 5m", "waiting for 59s"),
        ("+---+\n| a |\n+---+", "+------+\n| a    |\n+------+\n"),
        ("first\n…\nlast", "first\nsecond\nthird\nlast\n"),
        ("first\n…", "first\n"),
        ("mine", "Waiting for a node of class gold (0 s).\nmine\n"),
        ("mine", "Could not load 'reservation_host_unset': no attribute\nmine\n"),
    ],
)
def test_what_varies_between_runs_and_what_is_left_out_makes_no_difference(shown: str, printed: str) -> None:
    assert is_shown(shown, printed)


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        ("2 nodes in use", "3 nodes in use\n"),
        ("first", "first\nsecond\n"),
        ("first\n…\nlast", "first\nlast of all\n"),
        ("a", ""),
        ("a.c", "abc\n"),
    ],
)
def test_another_word_or_a_missing_line_is_a_difference(shown: str, printed: str) -> None:
    assert not is_shown(shown, printed)


@pytest.mark.parametrize(
    "page", ["```text output\na\n```\n", "```sh\na\n```\n```text output\na\n```\n```text output\na\n```\n"]
)
def test_output_without_a_block_of_its_own_is_refused(page: str) -> None:
    with pytest.raises(ValueError, match="No block above"):
        blocks_of(page)
