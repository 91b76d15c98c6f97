"""The documentation can be searched when it is opened from a folder, without a web server."""

import re
from pathlib import Path

import pytest

from tests.bed.browser import open_page


@pytest.mark.parametrize("page", ["index.html", "howto/install.html"])
def test_search_finds_pages_in_a_folder(site: Path, page: str, tmp_path: Path) -> None:
    shown = open_page(f"{(site / page).as_uri()}?q=keep_alive_seconds", tmp_path)
    assert re.search(r"[1-9]\d* matching document", shown)
    assert "The native dialect" in re.sub(r"<[^>]+>", "", shown.partition("md-search-result__list")[2])
