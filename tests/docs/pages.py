"""The blocks of a page that run, and the output that the page shows below them.

A block marked ``sh`` or ``python`` runs, one marked ``sh fails`` must fail. A block marked ``text output`` shows
what the block above it prints, on both streams; a line ``…`` in it stands for any number of lines.
"""

import re
from pathlib import Path

from msgspec import Struct

ROOT = Path(__file__).parents[2]
ANY_LINES = "…"
_BLOCK = re.compile(r"^```(sh|sh fails|python|text output)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_END_OF_BLOCK = "\x1e"

_VARIES = (
    (r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", "<uuid>"),
    (r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|\+00:00)?", "<time>"),
    (r"\b\d+(\.\d+)?( ?(ms|s|m|h|d)| (second|minute|hour|day)s?)\b", "<duration>"),
    (r"<duration>( <duration>)+", "<duration>"),
    (r"--+", "--"),
    (r"\s+", " "),
)

_SOMETIMES = re.compile(r"Waiting for .* \(\d+ s\)\.|Could not load ")
"""Lines that depend on the speed of the machine (progress) or on the plug-ins that are installed beside `openstack`."""


class Block(Struct, frozen=True, kw_only=True):
    """A block to run, with the output that the page shows for it, if any."""

    kind: str
    text: str
    shown: str | None


def blocks_of(markdown: str) -> list[Block]:
    """Return the blocks to run of a page; raise ValueError for output without a block of its own above it."""
    blocks: list[Block] = []
    for kind, text in _BLOCK.findall(markdown):
        if kind != "text output":
            blocks.append(Block(kind=kind, text=text, shown=None))
        elif not blocks or blocks[-1].shown is not None:
            raise ValueError(f"No block above prints this output:\n{text}")
        else:
            blocks[-1] = Block(kind=blocks[-1].kind, text=blocks[-1].text, shown=text)
    return blocks


def script_of(blocks: list[Block]) -> str:
    """Return a shell script that runs the blocks and prints a mark after each."""
    parts = ["set -euo pipefail"]
    for block in blocks:
        if block.kind == "python":
            parts.append(f"python <<'END'\n{block.text}END")
        elif block.kind == "sh fails":
            parts.append(f"if {block.text.strip()}; then exit 99; fi")
        else:
            parts.append(block.text)
        parts.append(f"builtin printf '{_END_OF_BLOCK}'")
    return "\n".join(parts)


def differences(blocks: list[Block], printed: str) -> list[str]:
    """Return a text for each block whose shown output differs from what the script of all blocks printed."""
    return [
        f"{block.text}\nis shown with\n{block.shown}\nbut prints\n{output}"
        for block, output in zip(blocks, printed.split(_END_OF_BLOCK), strict=False)
        if block.shown is not None and not is_shown(block.shown, output)
    ]


def is_shown(shown: str, printed: str) -> bool:
    """Tell whether a shown text is the printed one, apart from uuids, times, durations and the width of columns."""
    pattern = "".join("(?:.*\n)*" if line == ANY_LINES else re.escape(line) + "\n" for line in normalised(shown))
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in normalised(printed))) is not None


def normalised(text: str) -> list[str]:
    """Return the lines that every run prints, without blank ones, and with what differs from run to run replaced."""
    lines = []
    for line in text.splitlines():
        if _SOMETIMES.match(line):
            continue
        for pattern, name in _VARIES:
            line = re.sub(pattern, name, line)
        if line.strip():
            lines.append(line.strip())
    return lines
