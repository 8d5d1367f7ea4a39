"""What every reply has in common: envelope, usage, CORS; and requests that are to be done once."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from chalicelib.errors import ModelUnavailable

REMEMBER = {"memoryAgentName": "ada", "messages": [{"role": "user", "content": "I live in Oslo."}]}
KEY = {"Idempotency-Key": "first"}
COUNTS = {f"consumed{name}" for name in ("Points", "MemoryCount", "RecallCount", "ThinkingCount", "DreamCount", "CommonMemoryWords")}


@pytest.mark.parametrize(("method", "path", "heat"), [
    ("POST", "/v1/memories", 38), ("POST", "/v1/recall", 6), ("GET", "/v1/memories?memoryAgentName=ada", 0),
    ("GET", "/v1/memory-bodies", 0), ("GET", "/memories/task/all", 0), ("GET", "/health", 0),
])
def test_success_is_the_text_0_with_status_200_and_the_usage(host, method, path, heat):
    answer = host.ask(method, path, {**REMEMBER, "query": "Where?"})
    assert (answer.status, answer.code, answer.msg) == (200, "0", "success")
    usage = answer.data["usage"]
    assert set(usage) == COUNTS | {"hasRemainingQuota", "heat", "points", "tokens", "milliseconds"}
    assert all(usage[name].isdecimal() for name in COUNTS)
    assert (usage["hasRemainingQuota"], usage["heat"]) == (True, heat)


def test_other_languages_are_sent_as_they_are(host):
    host.remember("我住在北京。")
    assert "北京" in host.ask("GET", "/v1/turns?memoryAgentName=ada").text


@pytest.mark.parametrize("scheme", ["Token", "token", "Bearer", "BEARER"])
def test_a_key_is_presented_as_token_or_bearer(host, scheme):
    assert host.ask("GET", "/v1/memory-bodies", headers={"Authorization": f"{scheme} {host.token}"}).status == 200


@pytest.mark.parametrize("kind", [None, "text/plain", "application/x-www-form-urlencoded", "application/json; charset=utf-8"])
def test_a_body_is_json_whatever_its_type_says(host, kind):
    assert host.ask("POST", "/v1/memories", REMEMBER, headers={"Content-Type": kind}).status == 200


def test_a_page_of_another_origin_may_send_our_headers_and_read_them(house, host):
    reply = house.gateway.answer("OPTIONS", "/v1/memories", {"origin": "https://example.org"}, b"")
    headers = {name.decode(): value.decode() for name, value in reply.headers}
    assert reply.status == 200
    assert headers["access-control-allow-origin"] == "*"
    assert {"GET", "POST"} <= set(headers["access-control-allow-methods"].split(","))
    assert {"Authorization", "Content-Type", "Idempotency-Key", "X-User-Id"} <= set(headers["access-control-allow-headers"].split(","))
    assert "Idempotency-Replayed" in host.ask("POST", "/v1/memories", REMEMBER).headers["access-control-expose-headers"]


def test_a_bug_is_told_in_the_envelope_without_its_words(house, host, caplog):
    def broken(cue, **_):
        raise ValueError(cue.query)

    house.world.__dict__["recall"] = broken
    answer = host.ask("POST", "/v1/recall", {"memoryAgentName": "ada", "query": "private words"})
    assert (answer.status, answer.code, answer.data) == (500, "B0001", {})
    assert "private words" not in answer.text + caplog.text


def test_a_store_that_does_not_answer_is_told_as_such(house, host):
    house.world.database.close()
    for answer in (host.ask("GET", "/v1/memory-bodies"), host.ask("GET", "/health", headers={"Authorization": None})):
        assert (answer.status, answer.code) == (503, "C0001")


def test_a_request_with_a_key_is_done_once_and_its_repeat_gets_the_same_reply(house, host):
    first = host.ask("POST", "/v1/memories", REMEMBER, headers=KEY)
    before = house.rows()
    again = host.ask("POST", "/v1/memories", REMEMBER, headers=KEY)
    assert "idempotency-replayed" not in first.headers
    assert again.headers["idempotency-replayed"] == "true"
    assert (first.data["usage"]["heat"], again.data["usage"]["heat"]) == (38, 0)
    assert first.data | {"usage": 0} == again.data | {"usage": 0}
    assert house.rows() == before


def test_a_key_is_forgotten_after_a_day(house, host):
    host.ask("POST", "/v1/memories", REMEMBER, headers=KEY)
    house.clock.move(86_401)
    again = host.ask("POST", "/v1/memories", REMEMBER, headers=KEY)
    assert (again.status, "idempotency-replayed" in again.headers) == (200, False)


@pytest.mark.parametrize("change", [
    {"path": "/v1/memories?x=1"}, {"body": {**REMEMBER, "memoryAgentName": "bob"}}, {"headers": {"X-User-Id": "alice"}},
])
def test_a_key_used_with_another_request_is_refused(house, host, change):
    host.ask("POST", "/v1/memories", REMEMBER, headers=KEY)
    before = house.rows()
    answer = host.ask("POST", change.get("path", "/v1/memories"), change.get("body", REMEMBER), headers=KEY | change.get("headers", {}))
    assert (answer.status, answer.code) == (409, "A0409")
    assert house.rows() == before


def test_a_key_belongs_to_its_caller(house, host):
    one, other = (caller.ask("POST", "/v1/memories", REMEMBER, headers=KEY) for caller in (host, house.caller()))
    assert "idempotency-replayed" not in other.headers
    assert one.data["taskId"] != other.data["taskId"]


def test_a_refused_request_does_not_use_its_key_up(host):
    assert host.ask("POST", "/v1/memories", {**REMEMBER, "messages": []}, headers=KEY).status == 400
    assert host.ask("POST", "/v1/memories", REMEMBER, headers=KEY).status == 200


def test_a_delete_sent_again_with_its_key_gets_the_same_reply(host):
    task = host.remember("I live in Oslo.")["taskId"]
    path = f"/memories/task/delete?taskId={task}"
    assert host.ask("DELETE", path).status == 200
    assert host.ask("DELETE", path).status == 404
    task = host.remember("I live in Rome.")["taskId"]
    first, again = (host.ask("DELETE", f"/memories/task/delete?taskId={task}", headers=KEY) for _ in range(2))
    assert (first.data["deleted"], again.data["deleted"]) == (True, True)
    assert again.headers["idempotency-replayed"] == "true"


@pytest.fixture
def held(house, language):
    """A world whose extractor waits until it is let go: (it has begun, let it go)."""
    begun, go = Event(), Event()

    class Waiting:
        def extract(self, turns):
            begun.set()
            assert go.wait(30)
            return language.extractor.extract(turns)

    house.world.__dict__["extractor"] = Waiting()
    yield begun, go
    go.set()


def test_while_a_request_is_under_way_another_of_its_key_is_refused(held, host):
    begun, go = held
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(host.ask, "POST", "/v1/memories", REMEMBER, headers=KEY)
        assert begun.wait(30)
        second = host.ask("POST", "/v1/memories", REMEMBER, headers=KEY)
        go.set()
        assert first.result().status == 200
    assert (second.status, second.code) == (409, "A0409")
    assert "task_" in second.msg
    assert host.ask("POST", "/v1/memories", REMEMBER, headers=KEY).data["taskId"] == first.result().data["taskId"]


def test_of_sixteen_requests_at_once_with_one_key_one_is_done(house, host):
    house.world.warm()
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda _: host.ask("POST", "/v1/memories", REMEMBER, headers=KEY), range(16)))
    assert {answer.code for answer in answers} <= {"0", "A0409"}
    assert len({answer.data["taskId"] for answer in answers if answer.code == "0"}) == 1
    assert host.get("/v1/turns", memoryAgentName="ada")["total"] == 1
    assert host.get("/v1/memories", memoryAgentName="ada")["total"] == 1


def test_of_sixteen_requests_at_once_without_a_key_each_is_said_and_one_memory_is_made(house, host):
    house.world.warm()
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda _: host.ask("POST", "/v1/memories", REMEMBER), range(16)))
    assert {answer.code for answer in answers} == {"0"}
    assert sum(answer.data["memoriesInfo"]["newMemoryCount"] for answer in answers) == 1
    assert host.get("/v1/turns", memoryAgentName="ada")["total"] == 16
    assert host.get("/v1/memories", memoryAgentName="ada")["total"] == 1


def test_an_embedder_that_fails_is_a_warning_and_what_was_said_is_found_by_its_words(house, host):
    class Failing:
        model, dimension, floor, ceiling = "words-1024", 1024, 0.0, 0.7

        def embed(self, _texts, _kind):
            raise ModelUnavailable("words-1024", "it is gone")

    house.world.__dict__["embedder"] = Failing()
    said = host.remember("My sister Nora lives in Lisbon.")
    found = host.recall("Where does my sister Nora live?")
    assert any("words-1024" in warning for warning in said["warnings"])
    assert any("words-1024" in warning for warning in found["warnings"])
    assert "Lisbon" in found["memoryPrompt"]
