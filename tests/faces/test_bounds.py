"""Questions that ask for nothing, limits that mean nothing, cursors that are none: refused, and nothing leaks."""

import pytest

from chalicelib.mind.cursors import cursor_of

LISTS = ["/v1/memories?memoryAgentName=ada&", "/v1/turns?memoryAgentName=ada&", "/v1/memory-bodies?", "/memories/task/all?"]
NO_LIMITS = ["-1", "0", "1.5", "abc", "1e9", "1000000000", "99999999999999999999999", "+5", " 5"]


@pytest.fixture
def ada(host):
    """A host with something to lose."""
    host.remember("I live in Oslo.", "My sister Nora lives in Lisbon.", "I work at Acme Robotics.")
    return host


@pytest.mark.parametrize("query", ["", " ", "\t\n", "\u3000", "\u200b", "\u00a0", None, 12, 0, True, ["a"], {}, "x" * 8001, "x" * 100_000])
def test_a_question_that_shows_nothing_or_is_none_is_refused(ada, query):
    answer = ada.ask("POST", "/v1/recall", {"memoryAgentName": "ada", "query": query})
    assert (answer.status in {400, 413}, answer.msg.startswith("query: "), answer.data) == (True, True, {})


@pytest.mark.parametrize("query", ["?", "。", "...", "🙂", "的", "the", "x" * 8000, "''; DROP TABLE rows; --", "*", "%", "NEAR(a b)"])
def test_a_question_of_no_word_that_is_known_brings_back_no_more_than_was_asked_for(ada, query):
    found = ada.recall(query, limit=1, isReturningDetailedMemoryInfo=1)
    assert len(found["memorySummaryList"]) <= 1
    assert len(found["evidence"]) <= 1
    assert found["warnings"] == []


@pytest.mark.parametrize("limit", [-1, 0, 1.5, "abc", "5", 1_000_000_000, 1e9, True, [], float(2)])
def test_a_limit_of_recall_that_is_none_is_refused(ada, limit):
    answer = ada.ask("POST", "/v1/recall", {"memoryAgentName": "ada", "query": "Where do I live?", "limit": limit})
    assert (answer.status, answer.msg.startswith("limit: ")) == (400, True)


@pytest.mark.parametrize("path", LISTS)
@pytest.mark.parametrize("limit", NO_LIMITS)
def test_a_limit_of_a_list_that_is_none_is_refused(ada, path, limit):
    answer = ada.ask("GET", f"{path}limit={limit.replace(' ', '%20').replace('+', '%2B')}")
    assert (answer.status, answer.msg.startswith("limit: ")) == (400, True)


@pytest.mark.parametrize("path", LISTS)
def test_without_a_limit_a_list_has_its_usual_one_and_says_truly_how_many_there_are(ada, path):
    for number in range(60):
        ada.remember(f"Remember that box {number} is on shelf {number}.", name="ada" if "Name" in path else f"b{number}")
    data = ada.get(path.rstrip("?&"))
    assert len(data["list"]) == min(data["total"], 100 if "task" in path else 50) < data["total"] + 1
    assert data["total"] > 60


@pytest.mark.parametrize("path", LISTS)
def test_a_cursor_that_was_edited_or_made_up_is_refused_or_leads_nowhere_else(ada, house, path):
    ada.remember("I like tea.", name="bea")
    stranger = house.caller("other")
    stranger.remember("My sister Heron lives in Heronton.", "My brother Heron lives in Heronville.", name="ada")
    stranger.remember("I like tea.", name="bea")
    own = ada.get(path.rstrip("?&"))["list"]
    foreign = stranger.get(f"{path}limit=1")["nextCursor"]
    made_up = [cursor_of(text) for text in ("", "turn", "memory/", "../", "\0", "body/other", "~" * 500, "credential/")]
    for cursor in (foreign, foreign[:-1], foreign + "A", foreign[::-1], "AAAA", *made_up):
        answer = ada.ask("GET", path.split("?")[0], query={"memoryAgentName": "ada", "cursor": cursor})
        assert answer.status == 400 or all(item in own for item in answer.data["list"])
        assert "heron" not in answer.text.casefold()


def test_as_many_messages_as_a_commit_takes_are_taken_from_a_new_user_in_a_new_session(house):
    messages = [{"role": "user", "content": f"Box {number}.", "id": f"m{number}", "character": f"Zed{number}"} for number in range(60)]
    caller = house.caller(speaking_for="u1")
    for more in ({}, {"sessionId": "s"}):
        answer = caller.ask("POST", "/v1/memories", {"memoryAgentName": "new", "messages": messages, **more}, headers={"Idempotency-Key": f"k{len(more)}"})
        assert answer.status == 200, answer.text
    assert caller.get("/v1/turns", memoryAgentName="new")["total"] == 60
