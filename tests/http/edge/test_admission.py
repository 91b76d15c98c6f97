from dibs.http.edge.admission import Admission


def test_requests_fill_threads_and_queue() -> None:
    admission = Admission(threads=1, queue_limit=1)
    admission.enter()
    assert not admission.full
    admission.enter()
    assert admission.full
    admission.leave()
    assert not admission.full
    admission.leave()
