"""The files that pages refer to: style, scripts, font. Each has its checksum in the URL, so that browsers keep it."""

import gzip
import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from msgspec import Struct

FOLDER = Path(__file__).parent / "assets"
PATH = "/assets"

_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
}
_FOR_EVER = "public, max-age=31536000, immutable"


class Asset(Struct, frozen=True, kw_only=True):
    """A file as it is sent."""

    content: bytes
    compressed: bytes
    headers: tuple[tuple[str, str], ...]


@cache
def names() -> Mapping[str, str]:
    """Return the path below the console of each file, by its name."""
    files = (file for file in sorted(FOLDER.rglob("*")) if file.suffix in _TYPES)
    return {file.relative_to(FOLDER).as_posix(): _path(file) for file in files}


@cache
def load(path: str) -> Asset | None:
    """Return the file of a path; None when there is none."""
    name = next((name for name, known in names().items() if known == path), None)
    if name is None:
        return None
    content = (FOLDER / name).read_bytes()
    if name.endswith(".css"):
        # A style sheet refers to the font by its name; the URL has a checksum.
        for other, known in names().items():
            content = content.replace(f'url("{other}")'.encode(), f'url("/console{known}")'.encode())
    headers = (("content-type", _TYPES[Path(name).suffix]), ("cache-control", _FOR_EVER))
    return Asset(content=content, compressed=gzip.compress(content, 9, mtime=0), headers=headers)


def _path(file: Path) -> str:
    digest = hashlib.sha256(file.read_bytes()).hexdigest()[:12]
    return f"{PATH}/{digest}/{file.name}"
