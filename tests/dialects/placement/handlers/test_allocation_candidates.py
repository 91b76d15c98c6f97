"""GET /allocation_candidates in each version."""

from email.utils import parsedate_to_datetime
from typing import Any

import pytest

from dibs.dialects.placement import CandidateRules
from tests.builders import Ledger
from tests.candidates.model.brute_force import Provider, Stock, World
from tests.dialects.placement.conversation import Conversation
from tests.placement_rows import put_world

HOST, CHILD, DISKS = (f"00000000-0000-4000-8000-00000000000{number}" for number in range(3))
AGGREGATE = "11111111-1111-4111-8111-111111111111"
SHARES = "MISC_SHARES_VIA_AGGREGATE"


@pytest.fixture
def hosts(ledger: Ledger) -> None:
    """A host with memory and a child with processors, and a provider of disks that shares with it."""
    put_world(
        ledger.store,
        World(
            [
                Provider(HOST, None, {"MEMORY_MB": Stock(1024, ratio=1.5)}, frozenset(), frozenset({AGGREGATE})),
                Provider(CHILD, HOST, {"VCPU": Stock(8, used=2)}, frozenset({"CUSTOM_FAST", "HW_CPU_X86_AVX"})),
                Provider(DISKS, None, {"DISK_GB": Stock(100)}, frozenset({SHARES}), frozenset({AGGREGATE})),
            ]
        ),
    )


def candidates(ask: Conversation, query: str, version: str = "1.39") -> Any:
    answer = ask("GET", f"/allocation_candidates?{query}", version=version)
    assert answer.status == 200, answer.body
    return answer.json


@pytest.mark.usefixtures("hosts")
def test_the_newest_version_shows_requests_with_mappings_and_every_provider_of_the_trees(ask: Conversation) -> None:
    shown = candidates(ask, "resources=MEMORY_MB:64&resources_CPU=VCPU:1")
    assert shown["allocation_requests"] == [
        {
            "allocations": {HOST: {"resources": {"MEMORY_MB": 64}}, CHILD: {"resources": {"VCPU": 1}}},
            "mappings": {"": [HOST], "_CPU": [CHILD]},
        }
    ]
    assert shown["provider_summaries"] == {
        HOST: {
            "resources": {"MEMORY_MB": {"capacity": 1536, "used": 0}},
            "traits": [],
            "parent_provider_uuid": None,
            "root_provider_uuid": HOST,
        },
        CHILD: {
            "resources": {"VCPU": {"capacity": 8, "used": 2}},
            "traits": ["HW_CPU_X86_AVX", "CUSTOM_FAST"],
            "parent_provider_uuid": HOST,
            "root_provider_uuid": HOST,
        },
    }


@pytest.mark.usefixtures("hosts")
def test_the_oldest_version_lists_allocations_and_shows_only_requested_classes(ask: Conversation) -> None:
    shown = candidates(ask, "resources=MEMORY_MB:64,DISK_GB:1", "1.10")
    assert shown["allocation_requests"] == [
        {
            "allocations": [
                {"resource_provider": {"uuid": HOST}, "resources": {"MEMORY_MB": 64}},
                {"resource_provider": {"uuid": DISKS}, "resources": {"DISK_GB": 1}},
            ]
        }
    ]
    assert shown["provider_summaries"] == {
        HOST: {"resources": {"MEMORY_MB": {"capacity": 1536, "used": 0}}},
        DISKS: {"resources": {"DISK_GB": {"capacity": 100, "used": 0}}},
    }


@pytest.mark.usefixtures("hosts")
def test_before_1_29_no_candidate_takes_from_two_providers_of_one_tree(ask: Conversation) -> None:
    assert candidates(ask, "resources=MEMORY_MB:64,VCPU:1", "1.28")["allocation_requests"] == []
    assert len(candidates(ask, "resources=MEMORY_MB:64,VCPU:1", "1.29")["allocation_requests"]) == 1


@pytest.mark.usefixtures("hosts")
@pytest.mark.parametrize(("version", "fields"), [("1.16", 1), ("1.17", 2), ("1.28", 2), ("1.29", 4)])
def test_later_versions_have_more_fields_in_summaries(ask: Conversation, version: str, fields: int) -> None:
    summaries = candidates(ask, "resources=VCPU:1", version)["provider_summaries"]
    assert {len(summary) for summary in summaries.values()} == {fields}


@pytest.mark.usefixtures("hosts")
def test_candidates_are_modified_now(ask: Conversation) -> None:
    answer = ask("GET", "/allocation_candidates?resources=VCPU:1")
    assert answer.headers["cache-control"] == "no-cache"
    assert parsedate_to_datetime(answer.headers["last-modified"]).year == 2027
    assert "last-modified" not in ask("GET", "/allocation_candidates?resources=VCPU:1", version="1.14").headers


@pytest.mark.usefixtures("hosts")
def test_a_random_order_changes_which_candidates_come_first(ledger: Ledger) -> None:
    put_world(
        ledger.store, World([Provider(f"00000000-0000-4000-8000-{n:012}", None, {"VCPU": Stock(8)}) for n in range(50)])
    )
    ask = Conversation(ledger, candidates=CandidateRules(randomize=True))
    firsts = {next(iter(candidates(ask, "resources=VCPU:1&limit=1")["provider_summaries"])) for _ in range(20)}
    assert len(firsts) > 1


def roots_of_two(ledger: Ledger, rules: CandidateRules, query: str) -> list[str]:
    """Return the hosts of the candidates of two hosts with two cards each."""
    hosts = [f"00000000-0000-4000-8000-00000000000{number}" for number in range(2)]
    cards = [Provider(f"1{n}000000{host[8:]}", host, {"VGPU": Stock(1)}) for host in hosts for n in range(2)]
    put_world(ledger.store, World([*map(Provider, hosts), *cards]))
    found = candidates(Conversation(ledger, candidates=rules), query)
    return [f"00000000{uuid[8:]}"[-1] for each in found["allocation_requests"] for uuid in each["allocations"]]


def test_breadth_first_reaches_more_hosts_within_a_limit(ledger: Ledger) -> None:
    assert roots_of_two(ledger, CandidateRules(), "resources=VGPU:1&limit=2") == ["0", "0"]
    assert roots_of_two(ledger, CandidateRules(breadth_first=True), "resources=VGPU:1&limit=2") == ["0", "1"]
    assert roots_of_two(ledger, CandidateRules(breadth_first=True), "resources=VGPU:1") == ["0", "1", "0", "1"]


def test_the_maximum_counts_unless_the_limit_is_lower(ledger: Ledger) -> None:
    rules = CandidateRules(count_max=3)
    assert len(roots_of_two(ledger, rules, "resources=VGPU:1")) == 3
    assert len(roots_of_two(ledger, rules, "resources=VGPU:1&limit=4")) == 3
    assert len(roots_of_two(ledger, rules, "resources=VGPU:1&limit=2")) == 2
    assert roots_of_two(ledger, CandidateRules(count_max=0), "resources=VGPU:1") == []


@pytest.mark.parametrize(
    ("query", "message"),
    [
        (
            "resources=CUSTOM_NOTHING:1",
            "Invalid resource class in resources parameter: No such resource class CUSTOM_NO",
        ),
        ("resources=VCPU:1&required=CUSTOM_NOTHING", "No such trait(s): CUSTOM_NOTHING."),
    ],
)
def test_unknown_classes_and_traits_are_refused(ask: Conversation, query: str, message: str) -> None:
    answer = ask("GET", f"/allocation_candidates?{query}")
    assert answer.status == 400
    assert message in answer.error["detail"]


@pytest.mark.usefixtures("hosts")
@pytest.mark.parametrize("query", ["in_tree=99999999-9999-4999-8999-999999999999", f"member_of={HOST}"])
def test_an_unknown_provider_or_aggregate_has_no_candidates(ask: Conversation, query: str) -> None:
    assert candidates(ask, f"resources=VCPU:1&{query}") == {"allocation_requests": [], "provider_summaries": {}}
