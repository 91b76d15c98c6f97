"""Explanations and allocation candidates."""

from datetime import UTC, datetime, timedelta

import pytest
from openstack import exceptions

from dibs.client import Dibs
from dibs.client.dibs import placement_class
from tests.clients.clouds import enroll, fresh


def test_why_counts_the_reasons_and_names_the_earliest_time(dibs: Dibs) -> None:
    kind = fresh("class")
    node = enroll(dibs.connection, resource_class=kind)
    held = dibs.reservations.create([node.id], seconds=600)
    answer = dibs.why(kind)
    assert (answer.fits, answer.free, answer.reasons) == (False, 0, {"held": 1})
    assert answer.text == f"1 node of class {kind}: 1 held by a reservation"
    assert answer.earliest == datetime.fromisoformat(held.expires_at)
    dibs.reservations.delete(held.id)
    answer = dibs.why(kind, candidate_nodes=[node.name])
    assert answer.fits
    assert answer.earliest is not None
    assert answer.earliest <= datetime.now(UTC) + timedelta(seconds=1), "the clock of the server may be ahead"
    assert dibs.why(kind, traits=["CUSTOM_A"], count=2).reasons == {"lacks:CUSTOM_A": 1, "missing": 1}
    fewer = next(offer for offer in dibs.why(kind, count=2).offers if offer.kind == "fewer")
    assert (fewer.text, fewer.request["body"]["count"]) == ("ask for 1 instead of 2", 1)
    assert fewer.command == f"dibs allocation create --resource-class {kind}"
    with pytest.raises(exceptions.BadRequestException, match="valid trait"):
        dibs.why(kind, traits=["nonsense"])


def test_candidates_are_filtered_by_traits_and_limited(dibs: Dibs) -> None:
    kind = fresh("class")
    with_a, plain = enroll(dibs.connection, resource_class=kind), enroll(dibs.connection, resource_class=kind)
    dibs.nodes.add_traits(with_a.id, "CUSTOM_A")
    resources = {placement_class(kind): 1}
    found = {each.provider: each for each in dibs.candidates(resources)}
    assert set(found) == {with_a.id, plain.id}
    assert (found[with_a.id].resources, found[with_a.id].free) == (resources, resources)
    assert "CUSTOM_A" in found[with_a.id].traits
    assert [each.provider for each in dibs.candidates(resources, traits=["CUSTOM_A"])] == [with_a.id]
    assert [each.provider for each in dibs.candidates(resources, not_traits=["CUSTOM_A"])] == [plain.id]
    assert [each.provider for each in dibs.candidates(resources, traits_any=["CUSTOM_A", "HW_CPU_X86_AVX"])] == [
        with_a.id
    ]
    assert len(dibs.candidates(resources, limit=1)) == 1
