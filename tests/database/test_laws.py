import pytest

from dibs.database.laws import Law, Page, violations
from dibs.ledger.operations.laws import LAWS
from dibs.ledger.queries.laws import providers_page
from dibs.wiring.hooks import LAWS as EVERY_LAW
from tests.builders import Ledger
from tests.provider_builders import make


@pytest.mark.parametrize(("rows", "sizes"), [(2, [2, 2, 1]), (5, [5]), (1_000, [5])])
def test_every_row_is_in_exactly_one_page(ledger: Ledger, rows: int, sizes: list[int]) -> None:
    made = [make(ledger).id for _ in range(5)]
    pages: list[Page] = []
    law = Law(promise="", remedy="", page_end=providers_page, violations=lambda tx, page: pages.append(page) or ())
    assert list(violations(ledger.store, law, rows)) == [[] for _ in sizes]
    assert [sum(page.first <= each <= page.last for each in made) for page in pages] == sizes


def test_an_empty_database_keeps_every_law(ledger: Ledger) -> None:
    assert {law.promise: list(violations(ledger.store, law)) for law in LAWS} == {law.promise: [] for law in LAWS}


def test_each_law_is_explained_once() -> None:
    assert len({law.promise for law in EVERY_LAW}) == len(EVERY_LAW)
    assert all(law.promise.endswith(".") and law.remedy.endswith(".") for law in EVERY_LAW)
