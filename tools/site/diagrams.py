"""Mermaid diagrams as pictures in the page: rendered while the site is built, with no network and no browser."""

import hashlib
import re
from pathlib import Path

from mermaidx import Diagram

_FENCE = re.compile(r"^```mermaid\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_CACHE = Path("build/diagrams")
"""Rendering takes seconds, and a diagram seldom changes."""


def with_pictures(markdown: str) -> str:
    """Replace each Mermaid fence by its picture."""
    return _FENCE.sub(lambda fence: _figure(fence.group(1)), markdown)


def _figure(source: str) -> str:
    name = hashlib.sha256(source.encode()).hexdigest()[:16]
    cached = _CACHE / f"{name}.svg"
    if not cached.exists():
        cached.parent.mkdir(parents=True, exist_ok=True)
        cached.write_text(Diagram(source).svg())
    # Every diagram is drawn with the same element id; two on one page would share one style.
    picture = cached.read_text().replace("my-svg", f"diagram-{name}")
    # An indented or blank line would end the HTML block.
    return f'<figure class="diagram">{" ".join(picture.split())}</figure>'
