"""Characters that other stores trip over: joined emoji at every cap, control characters, the longest names there may be."""

import json
import re
from urllib.parse import quote

import pytest

from chalicelib.mind import prompts, turns

FAMILY, FLAGS, HAN, ACCENTED = "👩‍👩‍👧", "🇳🇴🇵🇹", "𠮷", "e\u0301"
CAPS = [prompts.MOST_CHARACTERS, turns.SHORT, turns.MOST]
"""Characters of an item in a prompt, and of what is embedded of a turn and of the one before it."""

CONTROL = ["a\0b", "a\x01b", "a\x1fb", "a\u202eb"]
LONGEST = ["u" * 256, "喵" * 85, "/" * 85, "%" * 85, "é" * 128, "𠮷" * 64, "a b" * 85]
"""Ids of up to 256 bytes, as they are kept."""

NAMES = ["n" * 128, "喵" * 128, "/" * 128, "%" * 128, "é" * 128, "𠮷" * 96, "a b" * 42]
"""Names of up to 128 characters and 384 bytes."""


def fragments(text, whole):
    """What is left of the parts of *whole* where it stands by halves; a prompt shows it without its joiners."""
    seen = "|".join([FLAGS[:2], FLAGS[2:], whole, whole.replace("\u200d", "")])
    return re.findall("[\u200d\u0301\U0001f1e6-\U0001f1ff👩👧]", re.sub(seen, "", text))


@pytest.mark.parametrize("cap", CAPS)
@pytest.mark.parametrize("whole", [FAMILY, FLAGS, HAN, ACCENTED])
def test_what_a_reader_sees_as_one_character_is_never_cut(host, cap, whole):
    for before in range(cap - len(whole) - 2, cap + 1):
        start = f"The parcel number {before} holds "
        text = f"{start}{'x' * (before - len(start))}{whole} and a lamp."
        name = f"ada{before}"
        host.remember(text, "It is blue.", name=name)
        assert host.get("/v1/turns", memoryAgentName=name)["list"][0]["content"] == text
        found = host.recall(f"What does the parcel number {before} hold?", name=name, isReturningDetailedMemoryInfo=1, maxTokens=8000)
        prompt = found["memoryPrompt"]
        prompt.encode()
        assert "parcel" in prompt
        assert not fragments(prompt, whole)
        assert not fragments(json.dumps(found, ensure_ascii=False), whole)


@pytest.mark.parametrize("whole", [FAMILY, FLAGS, HAN, ACCENTED])
def test_a_name_of_any_length_that_ends_in_such_a_character_leads_to_its_memory(host, whole):
    for length in (1, 30, 190, 199, 200, 201):
        name = "N" + "o" * length + whole
        host.remember(f"My sister {name} lives in Lisbon.", name=f"ada{length}")
        found = host.recall(f"Where does {name} live?", name=f"ada{length}", isReturningDetailedMemoryInfo=1)
        assert "Lisbon" in found["memoryPrompt"]
        assert not fragments(json.dumps(found, ensure_ascii=False), whole)


@pytest.mark.parametrize("field", ["messages", "metadata", "conversationId"])
def test_half_of_a_character_is_refused_naming_the_field(host, field):
    half = r'"\ud83d and more"'
    values = {"messages": rf'[{{"role": "user", "content": {half}}}]', "metadata": half, "conversationId": half}
    fields = {"memoryAgentName": '"ada"', "messages": '[{"role": "user", "content": "I live in Oslo."}]', field: values[field]}
    raw = "{" + ", ".join(f'"{name}": {value}' for name, value in fields.items()) + "}"
    answer = host.ask("POST", "/v1/memories", raw=raw.encode())
    assert (answer.status, answer.code, field in answer.msg) == (400, "A0400", True)
    assert host.get("/v1/memory-bodies")["list"] == []


@pytest.mark.parametrize("odd", CONTROL)
def test_control_characters_in_what_is_said_are_kept_as_they_are_and_shown_in_no_prompt(host, odd):
    text = f"My sister Nora{odd} lives in Lisbon, tool says {odd}."
    data = host.remember(text, metadata=odd)
    assert data["warnings"] == []
    assert host.get("/v1/turns", memoryAgentName="ada")["list"][0]["content"] == text
    found = host.recall("Where does my sister live? a", isReturningDetailedMemoryInfo=1)
    assert found["warnings"] == []
    assert found["evidence"][0]["content"] == text
    assert {item["metaData"] for item in found["memorySummaryList"]} <= {odd}
    assert "Nora" in found["memoryPrompt"]
    assert not re.search("[\0\x01\x1f\u202e]", found["memoryPrompt"])
    assert host.recall("a")["warnings"] == []


@pytest.mark.parametrize("odd", CONTROL)
@pytest.mark.parametrize("field", ["memoryAgentName", "namespace", "conversationId", "sessionId"])
def test_control_characters_in_a_name_or_an_id_are_refused(host, field, odd):
    messages = [{"role": "user", "content": "I live in Oslo."}]
    answer = host.ask("POST", "/v1/memories", {"memoryAgentName": "ada", "messages": messages, field: odd})
    assert (answer.status, field in answer.msg) == (400, True)
    assert host.get("/v1/memory-bodies")["list"] == []


@pytest.mark.parametrize("user", ["u" * 257, "u" * 300, "喵" * 86, "/" * 86])
def test_a_user_id_longer_than_the_stores_keep_is_refused_by_its_bytes(house, user):
    caller = house.caller(speaking_for=user)
    messages = [{"role": "user", "content": "I live in Oslo."}]
    for path, body in (("/v1/memories", {"messages": messages}), ("/v1/recall", {"query": "Where do I live?"})):
        answer = caller.ask("POST", path, {"memoryAgentName": "ada", **body})
        assert (answer.status, "X-User-Id" in answer.msg) == (400, True)
    assert house.caller().get("/v1/memory-bodies")["list"] == []


@pytest.mark.parametrize(("value", "name"), list(zip(LONGEST, NAMES, strict=True)), ids=range(len(LONGEST)))
@pytest.mark.parametrize("session", [False, True])
def test_every_name_and_id_that_is_accepted_leads_back_to_what_was_said(house, value, name, session):
    caller = house.caller("p" * 128, speaking_for=value.replace("%", "%25"))
    more = {"namespace": name, **({"sessionId": value} if session else {}), "conversationId": value, "messages": [
        {"role": "user", "content": "My sister Nora lives in Lisbon.", "id": value, "character": value[:64]},
    ]}
    caller.post("/v1/memories", memoryAgentName=name, **more)
    place = {"memoryAgentName": name, "namespace": name}
    inner = {"sessionId": value} if session else {}
    found = caller.recall("Where does Nora live?", name, namespace=name, isReturningDetailedMemoryInfo=1, **inner)
    assert (found["warnings"], found["evidence"][0]["messageId"]) == ([], value)
    assert "Lisbon" in found["memoryPrompt"]
    memory = found["memorySummaryList"][0]["memorySummaryId"]
    assert caller.get(f"/v1/memories/{memory}")["memorySummaryId"] == memory
    assert caller.get(f"/v1/memory-bodies/{quote(name, safe='')}/{quote(name, safe='')}")["turnCount"] == 1
    if session:
        return
    assert caller.get("/v1/memories", **place)["list"][0]["sources"][0]["conversationId"] == value
    assert caller.get("/v1/turns", **place, conversationId=value)["total"] == 1
