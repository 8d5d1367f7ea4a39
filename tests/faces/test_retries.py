"""A client that stops waiting and sends its request again: one turn, one memory, one answer."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from chalicelib.errors import StoreUnavailable

KEY = {"Idempotency-Key": "once-and-for-all"}
REMEMBER = {"memoryAgentName": "ada", "messages": [{"role": "user", "content": "My sister Nora lives in Lisbon."}]}


def send(caller, body=REMEMBER):
    return caller.ask("POST", "/v1/memories", body, headers=KEY)


def kept(caller):
    """How many turns and memories there are."""
    return tuple(caller.get(path, memoryAgentName="ada")["total"] for path in ("/v1/turns", "/v1/memories"))


@pytest.fixture
def slow(house, language):
    """A world in which reading what was said takes until it is let go: (it has begun, let it go)."""
    begun, go = Event(), Event()

    class Slow:
        def extract(self, turns):
            begun.set()
            assert go.wait(30)
            return language.extractor.extract(turns)

    house.world.__dict__["extractor"] = Slow()
    house.world.warm()
    yield begun, go
    go.set()


def test_a_client_that_has_stopped_waiting_can_ask_how_far_it_is_and_gets_the_one_result_later(slow, house, host):
    begun, go = slow
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(send, host)
        assert begun.wait(30)
        house.clock.move(1)
        early = [send(host) for _ in range(2)]
        assert {answer.status for answer in early} == {409}
        task = early[0].msg.split()[-1]
        assert early[0].headers["retry-after"] == "59"
        assert host.get("/memories/task/progress", taskId=task)["status"] in {"pending", "running"}
        go.set()
        done = first.result()
    again = [send(host) for _ in range(2)]
    assert {answer.data["taskId"] for answer in (done, *again)} == {task}
    assert {str(answer.data["memoriesInfo"]) for answer in again} == {str(done.data["memoriesInfo"])}
    assert host.get("/memories/task/detail", taskId=task)["status"] == "succeeded"
    assert kept(host) == (1, len(done.data["memoriesInfo"]["memorySummaryIds"]))


def test_a_request_whose_process_died_on_the_way_is_taken_up_by_its_retry(house, host):
    extractor = house.world.extractor

    class Dying:
        def extract(self, _turns):
            raise SystemExit

    house.world.__dict__["extractor"] = Dying()
    with pytest.raises(SystemExit):
        send(host)
    del house.world.__dict__["remember"], house.world.__dict__["derivation"]
    house.world.__dict__["extractor"] = extractor
    house.clock.move(61)
    done = [send(host) for _ in range(3)]
    assert {answer.status for answer in done} == {200}
    assert len({answer.data["taskId"] for answer in done}) == 1
    house.work()
    turns, memories = kept(host)
    assert (turns, memories > 0) == (1, True)
    task = done[0].data["taskId"]
    assert host.get("/memories/task/progress", taskId=task)["status"] in {"pending", "succeeded"}


def test_an_asynchronous_request_sent_again_is_one_task(house, host):
    answers = [send(host, {**REMEMBER, "asyncMode": 1}) for _ in range(3)]
    assert len({answer.data["taskId"] for answer in answers}) == 1
    house.work()
    assert kept(host)[0] == 1
    assert host.get("/memories/task/all")["total"] == 1


def test_a_request_that_a_store_refused_in_the_middle_is_done_whole_by_its_retry(house, host):
    table, broken = house.world.table, []

    class Failing:
        def __getattr__(self, name):
            return getattr(table, name)

        def commit(self, writes):
            if any(write.key.sort.startswith("memory/") for write in writes) and not broken:
                broken.append(True)
                raise StoreUnavailable("table", "timed out")
            table.commit(writes)

    house.world.__dict__.update(table=Failing())
    for name in ("memories", "tasks", "derivation", "remember"):
        house.world.__dict__.pop(name, None)
    first, again = send(host), send(host)
    assert broken
    assert first.data["taskId"] == again.data["taskId"]
    house.clock.move(61)
    house.work()
    assert kept(host)[0] == 1
    assert kept(host)[1] > 0
    assert host.get("/memories/task/progress", taskId=first.data["taskId"])["status"] == "succeeded"
