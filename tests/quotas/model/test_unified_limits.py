"""Unified limits of Keystone as quotas of Dibs."""

from dibs.quotas.model.quotas import Limits
from dibs.quotas.model.unified_limits import UnifiedLimits


def test_limits_of_a_project_replace_the_defaults() -> None:
    known = UnifiedLimits(defaults={"nodes": 4, "queued": 9}, projects={"p": {"nodes": 7}})
    assert known.quota_of("p").limits == {"": Limits(nodes=7, queued=9)}
    assert known.quota_of("other").limits == {"": Limits(nodes=4, queued=9)}


def test_class_follows_the_name_of_the_limit() -> None:
    known = UnifiedLimits(defaults={"nodes:gold": 2, "node_hours:gold": 50, "nodes": 4}, projects={})
    assert known.quota_of("p").limits == {"": Limits(nodes=4), "gold": Limits(nodes=2, node_hours=50)}


def test_minus_one_is_no_limit_and_other_names_are_not_ours() -> None:
    known = UnifiedLimits(defaults={"nodes": 4, "volumes": 1, "class:VCPU": 2}, projects={"p": {"nodes": -1}})
    assert known.quota_of("p").limits == {}
