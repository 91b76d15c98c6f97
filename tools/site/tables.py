"""Markdown tables."""

import html
from collections.abc import Iterable, Sequence


def plain(text: object) -> str:
    """Escape text for a cell. Braces at its end would be read as attributes of the cell."""
    return html.escape(str(text), quote=False).replace("|", "&#124;").replace("{", "&#123;").replace("\n", " ")


def code(text: object) -> str:
    """Escape text and mark it as code; empty text stays empty."""
    return f"<code>{plain(text)}</code>" if str(text) else ""


def table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table; the cells are Markdown already."""
    head = [f"| {' | '.join(titles)} |", f"|{'---|' * len(titles)}"]
    return "\n".join([*head, *(f"| {' | '.join(row)} |" for row in rows)])
