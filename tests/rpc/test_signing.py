"""Proofs of calls and answers."""

import pytest

from dibs.rpc.signing import FRESH_SECONDS, SIGNATURE, TIME, CallVerifier, Unproven, is_answer, prove_call, sign_answer
from tests.builders import FIRST_INSTANT, Clock

SECRET = "a secret of some length"
BODY = b'{"method": "destroy_allocation"}'


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def verifier(clock):
    return CallVerifier(SECRET, clock)


def proof(*, secret=SECRET, incarnation="life-1", at=FIRST_INSTANT, body=BODY):
    return prove_call(secret, incarnation, at, body)


def test_signed_call_is_accepted(verifier):
    made = proof()
    assert verifier.check(made.headers(), "life-1", BODY) == made.nonce


def test_call_without_a_signature_is_refused(verifier):
    with pytest.raises(Unproven, match="missing or wrong"):
        verifier.check({}, "life-1", BODY)


@pytest.mark.parametrize(
    "made",
    [proof(secret="another secret"), proof(incarnation="life-2"), proof(body=b"{}")],
    ids=["another secret", "another conductor", "another body"],
)
def test_call_signed_for_other_contents_is_refused(verifier, made):
    with pytest.raises(Unproven, match="missing or wrong"):
        verifier.check(made.headers(), "life-1", BODY)


def test_call_with_a_changed_time_is_refused(verifier):
    with pytest.raises(Unproven, match="missing or wrong"):
        verifier.check(proof().headers() | {TIME: str(FIRST_INSTANT + 1)}, "life-1", BODY)


def test_repeated_call_is_refused(verifier):
    headers = proof().headers()
    verifier.check(headers, "life-1", BODY)
    with pytest.raises(Unproven, match="repetition"):
        verifier.check(headers, "life-1", BODY)


@pytest.mark.parametrize("seconds", [-FRESH_SECONDS - 1, FRESH_SECONDS + 1])
def test_call_with_a_time_too_far_from_now_is_refused(verifier, seconds):
    with pytest.raises(Unproven, match="seconds old"):
        verifier.check(proof(at=FIRST_INSTANT + seconds * 1_000_000).headers(), "life-1", BODY)


def test_nonce_is_remembered_only_while_its_call_is_fresh(verifier, clock):
    first = proof()
    verifier.check(first.headers(), "life-1", BODY)
    for seconds in range(1, 3 * FRESH_SECONDS):
        clock.move(1)
        verifier.check(proof(at=FIRST_INSTANT + clock.moved).headers(), "life-1", BODY)
        with pytest.raises(Unproven, match="repetition" if seconds < FRESH_SECONDS else "seconds old"):
            verifier.check(first.headers(), "life-1", BODY)
    assert len(verifier._seen) <= FRESH_SECONDS + 4


def test_answer_is_valid_for_one_call():
    signature = sign_answer(SECRET, "n1", b"body")
    assert is_answer(SECRET, "n1", b"body", signature)
    assert not is_answer(SECRET, "n2", b"body", signature)
    assert not is_answer(SECRET, "n1", b"other", signature)
    assert not is_answer("another", "n1", b"body", signature)


def test_call_is_not_a_valid_answer():
    made = proof(body=b"")
    assert not is_answer(SECRET, made.nonce, b"", made.headers()[SIGNATURE])
