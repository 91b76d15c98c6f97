"""Every code block in the documents is valid in its language."""

import ast
import configparser
import json
import re
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted(
    [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md"]
)
_FENCE = re.compile(r"^( *)```([^\n`]*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)


def is_shell(text: str) -> None:
    done = subprocess.run(["bash", "-n"], input=text, capture_output=True, text=True, timeout=10)
    if done.returncode:
        raise ValueError(done.stderr)


def is_ini(text: str) -> None:
    configparser.ConfigParser(allow_no_value=True).read_string(text)


def is_anything(text: str) -> None:
    """Accept a drawing, or a language without a parser in these tests."""


LANGUAGES: dict[str, Callable[[str], object]] = {
    "sh": is_shell,
    "sh fails": is_shell,
    "text output": is_anything,
    "bash": is_shell,
    "python": ast.parse,
    "json": json.loads,
    "yaml": yaml.safe_load,
    "toml": tomllib.loads,
    "ini": is_ini,
    "sql": is_anything,
    # The build of the site renders it.
    "mermaid": is_anything,
    "text": is_anything,
    "": is_anything,
}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_code_blocks_of_a_document_are_valid(document: Path) -> None:
    text = document.read_text()
    assert len(re.findall(r"^ *```", text, re.MULTILINE)) == 2 * len(_FENCE.findall(text)), "a fence is not closed"
    for _, language, block in _FENCE.findall(text):
        assert language in LANGUAGES, f"no check for code blocks in {language!r}"
        LANGUAGES[language](block)


@pytest.mark.parametrize("text", ["if true; then", "echo 'open"])
def test_invalid_shell_is_found(text: str) -> None:
    with pytest.raises(ValueError, match=r"syntax error|unexpected EOF"):
        is_shell(text)
