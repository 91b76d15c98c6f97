"""The real ``openstack`` commands of osc-placement, mostly in one shell per test to start only once."""

import json
import uuid
from pathlib import Path
from typing import Any

import pytest

from tests.bed.session import Bed
from tests.clients.clouds import CommandResult, Commands, documents, fresh, write_clouds_yaml
from tests.clients.test_sdk_placement import fresh_class

JSON = " -f json"


@pytest.fixture
def clouds_yaml(bed: Bed, tmp_path: Path) -> Path:
    """Use one engine only: the commands cannot tell engines apart, and each takes a second to start."""
    return write_clouds_yaml(tmp_path, bed.shared_server("sqlite"))


@pytest.fixture
def commands(clouds_yaml: Path) -> Commands:
    """Set the versions in the environment, where an interactive shell reads them."""
    return Commands(clouds_yaml, {"OS_PLACEMENT_API_VERSION": "1.39"})


@pytest.fixture
def provider(commands: Commands) -> str:
    """Create a provider with eight VCPUs; return its uuid."""
    made = str(uuid.uuid4())
    run_all(
        commands,
        f"resource provider create {fresh('host')} --uuid {made}",
        f"resource provider inventory set {made} --resource VCPU=8 --resource MEMORY_MB=1024",
    )
    return made


def run_all(commands: Commands, *lines: str) -> list[Any]:
    """Run commands in one shell and return the JSON documents that they print."""
    result = commands.run(stdin="\n".join(lines) + "\n", program="openstack")
    return documents("\n".join(line for line in result.out.splitlines() if not line.startswith("|")))


def run_one(commands: Commands, line: str, version: str = "1.39") -> CommandResult:
    """Run one command in its own process, with a version of the API."""
    return commands.run("--os-placement-api-version", version, *line.split(), program="openstack")


def by_class(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the usages by resource class."""
    return {row["resource_class"]: row["usage"] for row in rows}


def test_a_provider_is_created_filled_and_shown(commands: Commands) -> None:
    name, uid, aggregate = fresh("host"), str(uuid.uuid4()), str(uuid.uuid4())
    made, inventory, traits, aggregates, shown = run_all(
        commands,
        f"resource provider create {name} --uuid {uid}" + JSON,
        f"resource provider inventory set {uid} --resource VCPU=8 --resource VCPU:allocation_ratio=2.0" + JSON,
        f"resource provider trait set {uid} --trait HW_CPU_X86_AVX" + JSON,
        f"resource provider aggregate set {uid} --aggregate {aggregate} --generation 2" + JSON,
        f"resource provider show {uid}" + JSON,
    )
    assert (made["name"], made["uuid"], made["generation"]) == (name, uid, 0)
    assert (inventory[0]["resource_class"], inventory[0]["total"], inventory[0]["allocation_ratio"]) == ("VCPU", 8, 2.0)
    assert (traits, aggregates) == ([{"name": "HW_CPU_X86_AVX"}], [{"uuid": aggregate}])
    assert (shown["generation"], shown["root_provider_uuid"], shown["parent_provider_uuid"]) == (3, uid, None)


def test_providers_are_filtered_by_resources_and_traits(commands: Commands, provider: str) -> None:
    trait = fresh_class()
    found, none = run_all(
        commands,
        f"trait create {trait}",
        f"resource provider trait set {provider} --trait {trait}",
        f"resource provider list --resource VCPU=8 --required {trait}" + JSON,
        f"resource provider list --resource VCPU=9 --required {trait}" + JSON,
    )
    assert [each["uuid"] for each in found] == [provider]
    assert none == []


def test_a_provider_is_moved_and_deleted(commands: Commands, provider: str) -> None:
    name, child = fresh("numa"), str(uuid.uuid4())
    moved, renamed = run_all(
        commands,
        f"resource provider create {fresh('numa')} --uuid {child}",
        f"resource provider set {child} --name {name} --parent-provider {provider}" + JSON,
        f"resource provider show {child}" + JSON,
    )
    assert (moved["name"], renamed["parent_provider_uuid"], renamed["root_provider_uuid"]) == (name, provider, provider)
    assert "child resource providers" in run_one(commands, f"resource provider delete {provider}").err
    assert run_one(commands, f"resource provider delete {child}").status == 0


def test_an_inventory_is_updated_and_deleted(commands: Commands, provider: str) -> None:
    changed, shown, left = run_all(
        commands,
        f"resource provider inventory class set {provider} VCPU --total 16 --reserved 2" + JSON,
        f"resource provider inventory show {provider} VCPU" + JSON,
        f"resource provider inventory delete {provider} --resource-class MEMORY_MB",
        f"resource provider inventory list {provider}" + JSON,
    )
    assert (changed["total"], shown["reserved"]) == (16, 2)
    assert [each["resource_class"] for each in left] == ["VCPU"]


def test_a_candidate_is_found_claimed_and_released(commands: Commands, provider: str) -> None:
    consumer, trait, project = str(uuid.uuid4()), fresh_class(), fresh("project")
    candidates, claimed, shown, used, of_project, after = run_all(
        commands,
        f"trait create {trait}",
        f"resource provider trait set {provider} --trait {trait}",
        f"allocation candidate list --resource VCPU=2 --required {trait}" + JSON,
        f"resource provider allocation set {consumer} --allocation rp={provider},VCPU=2,MEMORY_MB=512"
        f" --project-id {project} --user-id eva --consumer-type INSTANCE" + JSON,
        f"resource provider allocation show {consumer}" + JSON,
        f"resource provider usage show {provider}" + JSON,
        f"resource usage show {project}" + JSON,
        f"resource provider allocation delete {consumer}",
        f"resource provider usage show {provider}" + JSON,
    )
    assert [each["resource provider"] for each in candidates] == [provider]
    assert claimed == shown
    assert (shown[0]["resources"], shown[0]["project_id"]) == ({"VCPU": 2, "MEMORY_MB": 512}, project)
    assert by_class(used) == {"VCPU": 2, "MEMORY_MB": 512}
    assert by_class(of_project) == {"INSTANCE": {"VCPU": 2, "MEMORY_MB": 512, "consumer_count": 1}}
    assert by_class(after) == {"VCPU": 0, "MEMORY_MB": 0}


def test_resource_classes_and_traits_are_created_listed_and_deleted(commands: Commands) -> None:
    name = fresh_class()
    shown, classes, traits, gone = run_all(
        commands,
        f"resource class create {name}",
        f"resource class show {name}" + JSON,
        "resource class list" + JSON,
        f"resource class delete {name}",
        f"trait create {name}",
        f"trait list --name in:{name}" + JSON,
        f"trait delete {name}",
        f"trait list --name in:{name}" + JSON,
    )
    assert shown["name"] == name
    assert name in {each["name"] for each in classes}
    assert (traits, gone) == ([{"name": name}], [])


def test_a_claim_that_does_not_fit_is_refused_with_a_message(commands: Commands, provider: str) -> None:
    refused = run_one(
        commands,
        f"resource provider allocation set {uuid.uuid4()} --allocation rp={provider},VCPU=9"
        " --project-id p --user-id u --consumer-type INSTANCE",
    )
    assert refused.status == 1
    assert "Unable to allocate inventory" in refused.err


@pytest.mark.parametrize("version", ["1.0", "1.12", "1.28"])
def test_older_versions_are_supported(commands: Commands, version: str) -> None:
    uid = str(uuid.uuid4())
    result = run_one(commands, f"resource provider create {fresh('host')} --uuid {uid}" + JSON, version)
    assert json.loads(result.out)["uuid"] == uid
