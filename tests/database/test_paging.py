"""Pages that are read in pieces."""

from typing import Any

import pytest

from dibs.database import paging
from dibs.database.paging import PIECE_ROWS, Page, marker_by, read_page

Row = dict[str, Any]


class Rows:
    """A list of rows with ids from 1, which counts how often it was read."""

    def __init__(self, count: int, text: str = "") -> None:
        self.rows = [{"id": number, "name": f"n{number}", "extra": text} for number in range(1, count + 1)]
        self.reads: list[tuple[Row | None, int]] = []

    def read(self, marker: Row | None, count: int) -> list[Row]:
        self.reads.append((marker, count))
        after = marker["id"] if marker else 0
        return self.rows[after : after + count]


def test_small_page_is_read_at_once() -> None:
    rows = Rows(PIECE_ROWS + 5)
    page = read_page(rows.read, None, PIECE_ROWS, marker_by("name"))
    assert (len(page), page.cut, len(rows.reads)) == (PIECE_ROWS, False, 1)


def test_large_page_is_read_in_pieces_that_follow_each_other() -> None:
    rows = Rows(PIECE_ROWS * 2 + 5)
    page = read_page(rows.read, None, 1_000, marker_by("name"))
    assert page == rows.rows
    assert not page.cut
    last = PIECE_ROWS
    assert rows.reads[1] == ({"id": last, "sort_value": f"n{last}"}, PIECE_ROWS)


def test_page_ends_when_its_rows_are_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paging, "PAGE_BYTES_MAX", 10_000)
    rows = Rows(PIECE_ROWS * 3, "x" * 1_000)
    page = read_page(rows.read, None, 1_000, marker_by("id"))
    assert (len(page), page.cut, len(rows.reads)) == (10, True, 1)


def test_one_row_is_in_a_page_whatever_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paging, "PAGE_BYTES_MAX", 10)
    page = read_page(Rows(2, "x" * 1_000).read, None, 1_000, marker_by("id"))
    assert len(page) == 1


def test_converted_page_is_cut_like_the_original() -> None:
    page: Page[int] = Page([1, 2])
    page.cut = True
    converted = page.map(str)
    assert (converted, converted.cut) == (["1", "2"], True)
