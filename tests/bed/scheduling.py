"""Decide which tests run on the same worker, and in which order tests start.

Groups of pytest-xdist (``--dist=loadgroup``) have no effect with pytest 9.2: the plug-in writes the group into an
attribute of the test that pytest no longer reads, so each worker started its own Nova. This scheduler finds the
group by the name of the test.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any, SupportsIndex

import pytest
from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]

TOGETHER = {
    "tests/integrations/test_keystone_limits.py": "a real Ironic, Placement and Keystone",
    "tests/integrations/": "a real Nova",
    "tests/importing/": "a real Ironic, Placement and Keystone",
    "tests/http/auth/test_keystone.py": "a real Ironic, Placement and Keystone",
    "tests/packaging/": "one wheel and one source distribution",
    "tests/http/auth/test_keystone_sessions.py": "a real Ironic, Placement and Keystone",
    "tests/browsers/": "one Chromium and one console",
    "tests/console/test_views.py": "a console whose callers name themselves",
    "tests/docs/test_site.py": "the built site",
    "tests/docs/test_search.py": "the built site",
}
"""Folders and files whose tests share a slow fixture; one worker runs all tests with the same fixture.

The first entry that fits a test counts.
"""

TOGETHER_BY_FILE = ("tests/attacks/",)
"""Folders in which the tests of each file share a slow fixture."""

STARTS_FIRST = (
    "tests/docs/test_commands.py",
    "tests/integrations/",
    "tests/importing/",
    "tests/browsers/",
    "tests/packaging/",
    "tests/tools/",
    "tests/crashes/",
    "tests/races/",
    "tests/http/",
    "tests/rpc/",
    "tests/clients/",
    "tests/conductor/",
    "tests/bed/",
    "tests/database/",
    "tests/attacks/",
    "tests/docs/",
)
"""Long tests start first, so that no worker is alone with a long test at the end of a run."""

_EXCHANGE = re.compile(r"::test_exchange\[[^:]+")


def scope_of(nodeid: str) -> str:
    """Return the scope that tests on the same worker share; the test itself if it may run on any worker."""
    if story := _EXCHANGE.search(nodeid):
        return nodeid[: story.end()]
    for prefix, fixture in TOGETHER.items():
        if nodeid.startswith(prefix):
            return fixture
    return nodeid.partition("::")[0] if nodeid.startswith(TOGETHER_BY_FILE) else nodeid


def rank_of(nodeid: str) -> int:
    """Return the rank of a test in the order of starting."""
    for rank, prefix in enumerate(STARTS_FIRST):
        if nodeid.startswith(prefix):
            return rank
    return len(STARTS_FIRST)


class Collection(list[str]):
    """The tests that a worker collected, in a list that finds the index of a test without a search."""

    def __init__(self, nodeids: Iterable[str]) -> None:
        super().__init__(nodeids)
        self._indexes = {nodeid: index for index, nodeid in enumerate(self)}

    def index(self, nodeid: str, *bounds: SupportsIndex) -> int:
        return self._indexes[nodeid]


class Scheduler(LoadScopeScheduling):  # type: ignore[misc]
    """A scheduler that assigns tests in the order of collection, and tests with the same scope to one worker.

    Most scopes have one test, so its superclass would look through all finished tests after each test.
    """

    def __init__(self, config: pytest.Config, log: object = None) -> None:
        super().__init__(config, log)
        config.option.loadscopereorder = False

    def add_node_collection(self, node: Any, collection: Sequence[str]) -> None:
        super().add_node_collection(node, collection)
        if node in self.registered_collections:
            self.registered_collections[node] = Collection(collection)

    def mark_test_complete(self, node: Any, item_index: int, duration: float = 0) -> None:
        scope = self._split_scope(self.registered_collections[node][item_index])
        tests = self.assigned_work[node][scope]
        super().mark_test_complete(node, item_index, duration)
        if all(tests.values()):
            del self.assigned_work[node][scope]

    def _split_scope(self, nodeid: str) -> str:
        return scope_of(nodeid)
