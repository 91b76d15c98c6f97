"""Explanations of queries for allocation candidates."""

from dibs.access.actor import SERVICE_ACTOR
from tests.dialects.native.conversation import Conversation, person


def test_a_funnel_names_the_condition_that_leaves_nothing(ask: Conversation) -> None:
    ask.ledger.enrol(resource_class="gold", with_traits=("CUSTOM_A",))
    ask.ledger.enrol(resource_class="gold", with_traits=("CUSTOM_B",))
    url = "/v1/why/candidates?resources=CUSTOM_GOLD:1&required=CUSTOM_A,CUSTOM_B"
    assert ask("GET", url) == (
        200,
        {
            "total": 2,
            "stages": [
                {"parameter": "resources", "value": "CUSTOM_GOLD:1", "remaining": 2},
                {"parameter": "required", "value": "CUSTOM_A", "remaining": 1},
                {"parameter": "required", "value": "CUSTOM_B", "remaining": 0},
                {"parameter": "free", "value": "", "remaining": 0},
            ],
            "emptied_by": "required=CUSTOM_B",
            "complete": True,
        },
    )
    grouped = "/v1/why/candidates?resources_X=CUSTOM_GOLD:1&required_X=in:CUSTOM_A,CUSTOM_B"
    answer = ask("GET", grouped)[1]
    assert (answer["emptied_by"], answer["stages"][-1]["remaining"]) == (None, 2)


def test_bad_queries_are_refused_and_only_those_who_may_list_candidates_may_ask(ask: Conversation) -> None:
    for query in ("", "resources=x", "resources=VCPU:1&nonsense=1", "resources=VCPU:1&required=CUSTOM_NO_SUCH"):
        assert ask("GET", f"/v1/why/candidates?{query}")[0] == 400, query
    ask.ledger.enrol(resource_class="gold")
    url = "/v1/why/candidates?resources=CUSTOM_GOLD:1"
    statuses = {role: ask("GET", url, actor=person(role))[0] for role in ("admin", "service", "member", "reader")}
    assert statuses == {"admin": 200, "service": 200, "member": 403, "reader": 403}
    assert ask("GET", url, actor=SERVICE_ACTOR)[0] == 200
