"""A query names a tree by any of its members."""

from dibs.candidates.queries.roots import roots_of
from dibs.database import Store
from tests.candidates.queries.small_world import CHILD, GOLD, POOR, RICH, put_small_world


def test_any_member_leads_to_the_root_of_its_tree(store: Store) -> None:
    put_small_world(store)
    found = store.read(lambda tx: roots_of(tx, [CHILD, POOR, GOLD]))
    assert {name: root for name, (_, root) in found.items()} == {CHILD: RICH, POOR: POOR}
    assert store.read(lambda tx: roots_of(tx, [])) == {}
