"""The documentation builds without a warning, every link has a target, and the reference is complete."""

import html.parser
import json
import os
import urllib.parse
from pathlib import Path

import pytest

from dibs.allocations.model import shortages
from dibs.cli.main import Dibs
from dibs.dialects.placement.errors import Code
from dibs.errors import DibsError, every_error
from dibs.settings import FIELDS

ROOT = Path(__file__).parents[2]
LOADED = {("script", "src"), ("link", "href"), ("img", "src"), ("iframe", "src"), ("source", "src")}
"""Attributes whose URLs a browser fetches by itself. A link that a reader follows may lead to any site."""


class Page(html.parser.HTMLParser):
    """The links and anchors of a page, and its text."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.words: list[str] = []
        self.feed(path.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.anchors.update(given[name] for name in ("id", "name") if name in given)
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        self.fetched += [given[name] for kind, name in LOADED if kind == tag and name in given]

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return "".join(self.words)


@pytest.fixture(scope="session")
def pages(site: Path) -> dict[Path, Page]:
    return {path: Page(path) for path in site.rglob("*.html") if path.name != "404.html"}


def text_of(pages: dict[Path, Page], site: Path, name: str) -> str:
    return pages[site / name].text


def test_every_internal_link_leads_to_an_existing_page_and_anchor(pages: dict[Path, Page]) -> None:
    broken = []
    for path, page in pages.items():
        for link in page.links:
            target = urllib.parse.urlsplit(link)
            if target.scheme or target.netloc:
                continue
            place = Path(os.path.normpath(path.parent / urllib.parse.unquote(target.path))) if target.path else path
            place = place / "index.html" if place.is_dir() else place
            anchor = urllib.parse.unquote(target.fragment)
            if not place.exists() or (anchor and place in pages and anchor not in pages[place].anchors):
                broken.append(f"{path.name}: {link}")
    assert broken == []


def test_pages_load_nothing_from_other_servers(pages: dict[Path, Page], site: Path) -> None:
    external = {link for page in pages.values() for link in page.fetched if urllib.parse.urlsplit(link).netloc}
    assert external == set()
    styles = [path.name for path in site.rglob("*.css") if "url(http" in path.read_text()]
    assert styles == []


def test_first_page_links_to_every_document(pages: dict[Path, Page], site: Path) -> None:
    documents = {path.relative_to(ROOT / "docs").with_suffix(".html") for path in (ROOT / "docs").rglob("*.md")}
    made = {path.parent / "index.html" if path.stem == "README" else path for path in documents}
    start = site / "index.html"
    reached = {Path(os.path.normpath(start.parent / link.partition("#")[0])) for link in pages[start].links}
    assert {site / path for path in made} - reached - {start} == set()


def test_every_command_is_in_the_reference(pages: dict[Path, Page], site: Path) -> None:
    text = text_of(pages, site, "reference/commands.html")
    assert [name for name, _ in Dibs().command_manager if f"usage: dibs {name}" not in text] == []


def test_every_setting_is_in_the_reference(pages: dict[Path, Page], site: Path) -> None:
    text = text_of(pages, site, "reference/settings.html")
    helps = [field.metadata["help"].replace("`", "") for field in FIELDS.values()]
    variables = [f"DIBS_{name.upper()}" for name in FIELDS]
    assert [said for said in (*FIELDS, *variables, *helps) if said not in text] == []


def test_every_error_code_and_reason_is_in_the_reference(pages: dict[Path, Page], site: Path) -> None:
    text = text_of(pages, site, "reference/errors.html")
    messages = [" ".join((kind.__doc__ or "").split()) for kind in every_error() if kind is not DibsError]
    reasons = shortages.WORDS.values()
    assert [said for said in (*messages, *Code, *reasons) if said not in text] == []


def test_every_operation_is_in_the_reference(pages: dict[Path, Page], site: Path) -> None:
    document = json.loads((site / "reference/openapi.json").read_text())
    texts = {tag["name"]: text_of(pages, site, f"reference/http-{tag['name']}.html") for tag in document["tags"]}
    missing = [
        f"{method} {path}"
        for path, methods in document["paths"].items()
        for method, said in methods.items()
        if f"{method.upper()} {path}" not in texts[said["tags"][0]] or said["summary"] not in texts[said["tags"][0]]
    ]
    assert missing == []


def test_diagrams_are_rendered_as_svg(site: Path) -> None:
    text = (site / "architecture.html").read_text()
    assert text.count('<figure class="diagram"><svg') == (ROOT / "docs" / "architecture.md").read_text().count(
        "```mermaid"
    )
    assert "```mermaid" not in text
