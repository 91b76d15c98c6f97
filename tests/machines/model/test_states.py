"""Every transition between states, drawn from recordings of Ironic and not from the code."""

import pytest

from dibs.machines.model import states

EDGES = """
enroll: manage -> verifying
manageable: provide -> cleaning, clean -> cleaning, inspect -> inspecting, adopt -> adopting
available: active -> deploying, deploy -> deploying, manage -> manageable
active: deleted -> deleting, undeploy -> deleting, rebuild -> deploying, rescue -> rescuing, service -> servicing
wait call-back: deleted -> deleting, undeploy -> deleting, abort -> deploy failed
deploy hold: abort -> deploy failed, unhold -> wait call-back
deploy failed: active -> deploying, deploy -> deploying, rebuild -> deploying, deleted -> deleting, undeploy -> deleting
clean wait: abort -> clean failed
clean hold: abort -> clean failed, unhold -> clean wait
clean failed: manage -> manageable
inspect wait: abort -> inspect failed
inspect failed: manage -> manageable, inspect -> inspecting
adopt failed: adopt -> adopting, manage -> manageable
rescue: rescue -> rescuing, unrescue -> unrescuing, deleted -> deleting, undeploy -> deleting
rescue wait: abort -> rescue failed, deleted -> deleting, undeploy -> deleting
rescue failed: rescue -> rescuing, unrescue -> unrescuing, deleted -> deleting, undeploy -> deleting
unrescue failed: rescue -> rescuing, unrescue -> unrescuing, deleted -> deleting, undeploy -> deleting
service wait: abort -> active, deleted -> deleting, undeploy -> deleting
service hold: abort -> active, unhold -> service wait, service -> servicing
service failed: abort -> active, service -> servicing, rescue -> rescuing, deleted -> deleting, undeploy -> deleting
error: rebuild -> deploying, deleted -> deleting, undeploy -> deleting
"""

PHASES = """
verifying: manageable, enroll
cleaning: available, clean failed, clean wait, clean hold
inspecting: manageable, inspect failed, inspect wait
adopting: active, adopt failed
deploying: active, deploy failed, wait call-back, deploy hold
deleting: available, error
rescuing: rescue, rescue failed, rescue wait
unrescuing: active, unrescue failed
servicing: active, service failed, service wait, service hold
"""


def drawn() -> dict[tuple[str, str], str]:
    edges = {}
    for line in EDGES.strip().splitlines():
        state, verbs = line.split(": ")
        for edge in verbs.split(", "):
            verb, following = edge.split(" -> ")
            edges[state, verb] = following
    return edges


VERB_NAMES = sorted({*states.VERBS, *states.ALIASES})


@pytest.mark.parametrize("state", sorted(states.ALL_STATES))
def test_a_state_allows_exactly_the_drawn_verbs(state):
    allowed = {verb: following for verb in VERB_NAMES if (following := states.next_state(verb, state))}
    assert allowed == {verb: following for (each, verb), following in drawn().items() if each == state}


@pytest.mark.parametrize("line", PHASES.strip().splitlines())
def test_a_transient_state_leads_to_the_drawn_states(line):
    state, ends = line.split(": ")
    phase = states.PHASES[state]
    assert [end for end in (phase.target, phase.failed, phase.waiting, phase.held) if end] == ends.split(", ")


def test_every_transient_state_is_drawn():
    assert {line.split(": ")[0] for line in PHASES.strip().splitlines()} == set(states.PHASES)


def test_a_teardown_is_followed_by_cleaning():
    assert {phase.state: phase.then for phase in states.PHASES.values() if phase.then} == {"deleting": "cleaning"}


def test_every_state_fits_the_column_and_every_edge_leads_to_a_state():
    assert max(map(len, states.ALL_STATES)) <= 20
    assert {following for edges in states.VERBS.values() for following in edges.values()} <= states.ALL_STATES


def test_an_unknown_verb_is_never_allowed():
    assert all(states.next_state("frobnicate", state) is None for state in states.ALL_STATES)


def test_a_node_in_a_stable_state_has_no_target():
    assert states.target_in(states.ACTIVE, states.ACTIVE) is None
    assert states.target_in(states.CLEAN_FAILED, states.MANAGEABLE) == states.MANAGEABLE
