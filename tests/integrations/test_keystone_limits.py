"""Unified limits of a Keystone server, and what happens while it is away."""

import uuid
from pathlib import Path
from typing import Any

import httpx
import pytest

from dibs.access.access import SERVICE
from dibs.integrations.keystone_limits import KNOWN_SECONDS, KeystoneLimits
from dibs.quotas.model.errors import LimitsUnknown, QuotaExceeded, QuotaInKeystone
from dibs.quotas.operations.limits import KeystoneLimitSource
from dibs.quotas.operations.quotas import ListQuotas, get_quota, list_quotas
from dibs.wiring.hooks import build_hooks, build_runner
from tests.allocation_builders import Steps, allocate, gold
from tests.builders import Ledger
from tests.http.auth.keystone_server import PASSWORD, Keystone
from tests.http.auth.test_keystone import issue_token
from tests.quota_builders import limit


class Clock:
    """A clock that moves on demand."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


class Administrator:
    """Creates services, projects and limits."""

    def __init__(self, keystone: Keystone) -> None:
        token, _ = issue_token(keystone, {"system": {"all": True}})
        self._client = httpx.Client(base_url=f"{keystone.url}/", headers={"X-Auth-Token": token}, timeout=30)

    def create(self, kind: str, **values: Any) -> str:
        """Create one object, or one limit of a list, and return its id."""
        body: Any = {f"{kind}s": [values]} if kind.endswith("limit") else {kind: values}
        answer = self._client.post(f"{kind}s", json=body)
        assert answer.status_code == 201, answer.text
        found = answer.json()[f"{kind}s"][0] if kind.endswith("limit") else answer.json()[kind]
        return str(found["id"])

    def change(self, limit_id: str, resource_limit: int) -> None:
        """Change the limit of a project."""
        answer = self._client.patch(f"limits/{limit_id}", json={"limit": {"resource_limit": resource_limit}})
        assert answer.status_code == 200, answer.text


def limits_of(keystone: Keystone, service: str, **options: Any) -> KeystoneLimits:
    credentials = {"username": "admin", "password": PASSWORD, "user_domain": "Default"}
    return KeystoneLimits(keystone.url, **credentials, service=service, **options)


def test_limits_of_keystone_bind_the_transaction_that_books(ledger: Ledger, keystone: Keystone) -> None:
    admin, name = Administrator(keystone), f"dibs-{uuid.uuid4()}"
    service = admin.create("service", type="baremetal-limits", name=name)
    for resource, default in (("nodes", 1), ("queued:gold", 3), ("unknown", 0)):
        admin.create("registered_limit", service_id=service, resource_name=resource, default_limit=default)
    p, q = (admin.create("project", name=f"{name}-{each}", domain_id="default") for each in "pq")
    raised = admin.create("limit", service_id=service, project_id=p, resource_name="nodes", resource_limit=2)
    known = limits_of(keystone, name)
    known.refresh()
    ledger.runner = build_runner(ledger.store, ledger.clock, hooks=build_hooks(limits=KeystoneLimitSource(known.known)))
    steps = Steps(ledger, "conductor-1")

    def take(project: str) -> None:
        steps.grant(allocate(ledger, owner=project), gold(ledger, owner=project).uuid)

    take(p)
    take(p)
    take(q)
    for project, most in ((p, 2), (q, 1)):
        with pytest.raises(QuotaExceeded, match=f"limit {most}, used {most}, asked 1"):
            take(project)
    shown = ledger.runner.read(get_quota, SERVICE, p)
    assert (shown.quota.limits[""].nodes, shown.used[""].nodes, shown.quota.limits["gold"].queued) == (2, 2, 3)
    listed = ledger.runner.read(list_quotas, SERVICE, ListQuotas(limit=10))
    assert [quota.project for quota in listed] == [p]
    with pytest.raises(QuotaInKeystone, match="openstack limit"):
        limit(ledger, p, nodes=9)
    admin.change(raised, 3)
    known.refresh()
    take(p)


def test_request_that_books_is_refused_while_limits_were_never_read(ledger: Ledger) -> None:
    """Nothing listens on port 9."""
    unreachable = Keystone(directory=Path(), port=9)
    known = limits_of(unreachable, "dibs")
    ledger.runner = build_runner(ledger.store, ledger.clock, hooks=build_hooks(limits=KeystoneLimitSource(known.known)))
    known.start()
    known.stop()
    with pytest.raises(LimitsUnknown, match="cannot be read from Keystone"):
        allocate(ledger, owner="p")


def test_limits_are_known_for_a_bounded_time(keystone: Keystone) -> None:
    admin, name, clock = Administrator(keystone), f"dibs-{uuid.uuid4()}", Clock()
    service = admin.create("service", type="baremetal-limits", name=name)
    admin.create("registered_limit", service_id=service, resource_name="nodes", default_limit=5)
    known = limits_of(keystone, name, clock=clock)
    known.refresh()
    clock.seconds = KNOWN_SECONDS
    assert known.known().quota_of("p").limits[""].nodes == 5
    clock.seconds += 1
    with pytest.raises(LimitsUnknown):
        known.known()


def test_service_that_keystone_does_not_have_is_named(keystone: Keystone) -> None:
    with pytest.raises(ValueError, match="Keystone has 0 services with the name nosuch"):
        limits_of(keystone, "nosuch").refresh()
