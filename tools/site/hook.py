"""The hooks of MkDocs: the navigation, the pages generated from the code, and the diagrams.

A new page in one of the folders below appears by itself. A page elsewhere fails the strict build: add it to
``navigation``.
"""

import json
import re
from pathlib import Path
from typing import Any

import commands_page
import diagrams
import errors_page
import http_pages
import settings_page
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

_MARKED_FENCE = re.compile(r"^```(\w+) [\w ]+$", re.MULTILINE)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put every page into the navigation."""
    config.nav = navigation(Path(config.docs_dir))
    return config


def navigation(docs: Path) -> list[dict[str, Any]]:
    """Return the navigation: the four kinds of documentation, and operations."""

    def pages(folder: str, *first: str) -> list[str]:
        found = [path.relative_to(docs).as_posix() for path in (docs / folder).glob("*.md")]
        head = [f"{folder}/{name}" for name in first]
        return head + sorted(page for page in found if page not in head)

    return [
        {"Home": "index.md"},
        {"Tutorial": "tutorial.md"},
        {"How-to guides": pages("howto")},
        {
            "Reference": [
                {"HTTP": list(http_pages.pages())},
                {"Dialects": pages("dialects")},
                "reference/commands.md",
                "reference/settings.md",
                "reference/errors.md",
                "glossary.md",
            ]
        },
        {
            "Explanation": [
                *pages("explanation"),
                "architecture.md",
                "reliability.md",
                "benchmarks.md",
                {"Decisions": pages("adr")},
            ]
        },
        {"Operations": pages("operations", "README.md")},
    ]


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are generated from the code."""
    made = {
        **http_pages.pages(),
        "reference/commands.md": commands_page.page(),
        "reference/settings.md": settings_page.page(),
        "reference/errors.md": errors_page.page(),
        "reference/openapi.json": json.dumps(http_pages.document(), indent=2),
    }
    for path, text in made.items():
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Remove the words of a fence such as ``sh fails`` that only the tests read, and draw the diagrams."""
    return diagrams.with_pictures(_MARKED_FENCE.sub(r"```\1", markdown))
