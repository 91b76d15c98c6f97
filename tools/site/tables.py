"""Markdown tables."""

import html
from collections.abc import Iterable, Sequence


def plain(text: object) -> str:
    """Text that may stand in a cell and means itself; braces at its end would be attributes of the cell."""
    return html.escape(str(text), quote=False).replace("|", "&#124;").replace("{", "&#123;").replace("\n", " ")


def code(text: object) -> str:
    """The same as code; empty stays empty."""
    return f"<code>{plain(text)}</code>" if str(text) else ""


def table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """The cells are Markdown already."""
    head = [f"| {' | '.join(titles)} |", f"|{'---|' * len(titles)}"]
    return "\n".join([*head, *(f"| {' | '.join(row)} |" for row in rows)])
