"""A site's policy file on top of the defaults."""

import itertools
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from dibs.access import compute_policy, lease_policy, machine_policy, placement_policy
from dibs.access.actor import Actor
from dibs.access.rules import RuleBook

DEFAULTS = {"is_admin": "role:admin", "do": "rule:is_admin or project_id:%(owner)s", "never": "!", "always": "@"}
ADMIN = Actor(roles=frozenset({"admin"}))
OWNER = Actor(project="blue")

ALL_DEFAULTS: dict[str, Mapping[str, str]] = {
    "leases": lease_policy.RULES,
    "baremetal": machine_policy.RULES,
    "compute": compute_policy.RULES,
    "placement": {**placement_policy._ROLES, **placement_policy.RULES},
    "placement, legacy": {**placement_policy._OLDER_ROLES, **placement_policy.RULES},
}
ROLES: list[frozenset[str]] = [frozenset(), *(frozenset({role}) for role in ("admin", "member", "reader", "service"))]
PROJECTS = ("blue", None)
TARGETS: list[dict[str, str | None]] = [
    {},
    {"project_id": "blue", "user_id": "u"},
    {"project_id": "red"},
    {"node.owner": "blue"},
    {"node.lessee": "blue", "node.owner": "red"},
    {"allocation.owner": "blue"},
]


def write_policy(folder: Path, text: str) -> str:
    path = folder / "policy.yaml"
    path.write_text(text)
    return str(path)


def test_file_replaces_the_rules_that_it_names_and_leaves_the_others(tmp_path: Path) -> None:
    rules = RuleBook(DEFAULTS, write_policy(tmp_path, '"is_admin": "role:operator"\n"unknown:rule": "@"\n'))
    assert rules.allows("do", Actor(roles=frozenset({"operator"})), {})
    assert not rules.allows("do", ADMIN, {})
    assert rules.allows("always", OWNER, {})
    assert not rules.allows("never", ADMIN, {})


def test_missing_policy_file_stops_the_start(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        RuleBook(DEFAULTS, str(tmp_path / "nosuch.yaml"))


@pytest.mark.parametrize("defaults", ALL_DEFAULTS.values(), ids=ALL_DEFAULTS)
def test_defaults_mean_the_same_with_and_without_oslo_policy(defaults: Mapping[str, str], tmp_path: Path) -> None:
    ours, theirs = RuleBook(defaults), RuleBook(defaults, write_policy(tmp_path, "{}"))
    for roles, project, system_scope in itertools.product(ROLES, PROJECTS, (True, False)):
        actor = Actor(user="u", project=project, roles=roles, system_scope=system_scope)
        for rule, target in itertools.product(defaults, TARGETS):
            assert ours.allows(rule, actor, target) == theirs.allows(rule, actor, target), (rule, actor, target)


@contextmanager
def deciding_service(*answers: bytes) -> Iterator[str]:
    """Answer one question after the other over HTTP."""
    left = list(answers)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.end_headers()
            self.wfile.write(left.pop(0))

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_decision_of_a_service_is_not_remembered(tmp_path: Path) -> None:
    with deciding_service(b"True", b"False") as url:
        rules = RuleBook(DEFAULTS, write_policy(tmp_path, f'"do": "{url}"\n'))
        assert rules.allows("do", ADMIN, {})
        assert not rules.allows("do", ADMIN, {})
