"""Used amounts of providers and projects."""

from dibs.access.access import SERVICE
from dibs.ledger.model.claims import ClaimRequest
from dibs.ledger.operations.claims import ReplaceClaims, replace_claims
from dibs.ledger.queries import usages
from tests.builders import Ledger
from tests.provider_builders import make


def claim(ledger: Ledger, number: int, provider: str, amounts: dict[str, int], **owner: str) -> None:
    uuid = f"{number:08d}-1111-4111-8111-111111111111"
    request = ClaimRequest(consumer=uuid, resources={provider: amounts}, **owner)
    ledger.runner.write(replace_claims, SERVICE, ReplaceClaims(requests=(request,)))


def test_usages_are_summed_by_consumer_type_of_a_project_or_a_user(ledger: Ledger) -> None:
    provider = make(ledger, VCPU=20, DISK_GB=20)
    claim(ledger, 1, provider.uuid, {"VCPU": 1, "DISK_GB": 2}, project_id="p", user_id="u", consumer_type="INSTANCE")
    claim(ledger, 2, provider.uuid, {"VCPU": 3}, project_id="p", user_id="v", consumer_type="INSTANCE")
    claim(ledger, 3, provider.uuid, {"VCPU": 4}, project_id="p", user_id="v")
    claim(ledger, 4, provider.uuid, {"VCPU": 5}, project_id="q", user_id="u")
    of_project = ledger.store.read(lambda tx: usages.of_project(tx, "p", None))
    assert of_project.used == {"INSTANCE": {"VCPU": 4, "DISK_GB": 2}, None: {"VCPU": 4}}
    assert of_project.consumers == {"INSTANCE": 2, None: 1}
    of_user = ledger.store.read(lambda tx: usages.of_project(tx, "p", "v"))
    assert (of_user.used, of_user.consumers) == (
        {"INSTANCE": {"VCPU": 3}, None: {"VCPU": 4}},
        {"INSTANCE": 1, None: 1},
    )
    assert ledger.store.read(lambda tx: usages.of_provider(tx, provider.id)) == {"DISK_GB": 2, "VCPU": 13}


def test_an_unknown_project_uses_nothing(ledger: Ledger) -> None:
    found = ledger.store.read(lambda tx: usages.of_project(tx, "nowhere", None))
    assert (found.used, found.consumers) == ({}, {})
