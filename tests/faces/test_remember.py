"""POST /v1/memories: what is kept, what is told, and what is known already."""

import pytest

LINES = [
    "I live in Oslo.", "My sister Nora lives in Lisbon.", "I work at Acme Robotics.", "My favourite tea is oolong.",
    "I have a cat named Miso.", "I play the cello.", "My brother Emil is a doctor.", "I am allergic to peanuts.",
]


def contents(caller, **query):
    return [turn["content"] for turn in caller.get("/v1/turns", memoryAgentName="ada", **query)["list"]]


def test_what_was_said_is_kept_in_order_with_its_role_character_and_time(host):
    said = [
        {"role": "user", "content": "I live in Oslo.", "character": "Nora", "time": "2026-03-01T10:00:00+08:00", "id": "m1"},
        {"role": "assistant", "content": "Noted.", "character": "用户"},
    ]
    host.post("/v1/memories", memoryAgentName="ada", messages=said)
    first, second = host.get("/v1/turns", memoryAgentName="ada")["list"]
    assert (first["content"], first["role"], first["character"]) == ("I live in Oslo.", "user", "Nora")
    assert (first["messageId"], first["position"], first["conversationId"]) == ("m1", 0, "default")
    assert first["time"].startswith("2026-03-01")
    assert (second["role"], second["character"], second["messageId"], second["position"]) == ("assistant", "", None, 1)
    assert second["time"] == "2026-05-28T20:26:40.000+00:00"


def test_it_tells_which_memories_it_made(host):
    data = host.remember("My sister Nora lives in Lisbon.")
    made = data["memoriesInfo"]
    assert made["newMemoryCount"] == len(made["summarys"]) > 0
    assert "User's sister Nora lives in Lisbon." in made["summarys"]
    assert data["taskId"]
    assert data["warnings"] == []


def test_the_task_of_a_synchronous_call_has_succeeded_with_its_result(host):
    data = host.remember("I live in Oslo.")
    task = host.get("/memories/task/detail", taskId=data["taskId"])
    assert (task["status"], task["progress"], task["type"], task["error"]) == ("succeeded", 100, "memories", None)
    assert task["result"] == {name: data[name] for name in ("tip", "taskId", "memoriesInfo")}


def test_an_asynchronous_call_is_accepted_with_a_task_and_derived_by_the_worker(house, host):
    data = host.remember("I live in Oslo.", asyncMode=1)
    assert data["memoriesInfo"] == {"newMemoryCount": 0, "summarys": [], "memorySummaryIds": []}
    assert host.get("/memories/task/progress", taskId=data["taskId"])["progress"] == 0
    house.work()
    assert host.get("/memories/task/progress", taskId=data["taskId"]) | {"usage": 0} == {
        "taskId": data["taskId"], "status": "succeeded", "progress": 100, "usage": 0,
    }
    assert host.get("/v1/memories", memoryAgentName="ada")["list"][0]["memorySummaryText"] == "User lives in Oslo."


def test_what_was_accepted_and_not_derived_yet_is_found_by_the_next_recall(host):
    host.remember("I live in Oslo.", asyncMode=1)
    assert "Oslo" in host.recall("Where do I live?")["memoryPrompt"]


@pytest.mark.parametrize(("flag", "count"), [(0, 1), (False, 1), (1, 0), (True, 0)])
def test_flags_are_taken_as_numbers_and_as_booleans(host, flag, count):
    assert host.remember("I live in Oslo.", asyncMode=flag)["memoriesInfo"]["newMemoryCount"] == count


def test_unknown_fields_are_ignored_and_null_is_the_same_as_absent(host):
    host.remember("I live in Oslo.", colour="blue", language=None, metadata=None, conversationId=None, sessionId=None)
    assert contents(host) == ["I live in Oslo."]


def test_an_empty_namespace_is_the_default_one(host):
    host.remember("I live in Oslo.", namespace="")
    assert contents(host, namespace="default") == contents(host, namespace="") == ["I live in Oslo."]


def test_namespaces_are_apart(host):
    host.remember("I live in Oslo.", namespace="work")
    assert contents(host) == []


def test_metadata_comes_back_with_a_recall(host):
    host.remember("I live in Oslo.", metadata='{"from": "喵"}')
    item = host.recall("Where do I live?", isReturningDetailedMemoryInfo=1)["memorySummaryList"][0]
    assert item["metaData"] == '{"from": "喵"}'


def test_in_the_third_person_a_summary_opens_with_the_name_of_the_body(host):
    assert host.remember("I live in Oslo.", isThirdPerson=1)["memoriesInfo"]["summarys"] == ["ada: User lives in Oslo."]


def test_no_memory_comes_from_what_others_than_the_user_say(host):
    said = [{"role": role, "content": "I live in Oslo."} for role in ("assistant", "system", "tool")]
    data = host.post("/v1/memories", memoryAgentName="ada", messages=said)
    assert data["memoriesInfo"]["newMemoryCount"] == 0
    assert len(contents(host)) == 3


def test_each_conversation_counts_its_own_positions(host):
    host.remember(*LINES[:2], conversationId="one")
    host.remember(LINES[2], conversationId="two")
    turns = host.get("/v1/turns", memoryAgentName="ada")["list"]
    assert [(turn["conversationId"], turn["position"]) for turn in turns] == [("one", 0), ("one", 1), ("two", 0)]


def test_the_same_list_sent_again_is_not_said_again(host):
    host.remember(*LINES[:4])
    again = host.remember(*LINES[:4])
    assert (again["memoriesInfo"]["newMemoryCount"], again["repeatedMessageCount"]) == (0, 4)
    assert again["taskId"]
    assert contents(host) == LINES[:4]


def test_the_same_list_is_known_as_a_whole_after_others_have_followed(host):
    host.remember(*LINES[:4])
    host.remember(*LINES[4:])
    assert host.remember(*LINES[:4])["repeatedMessageCount"] == 4
    assert contents(host) == LINES


def test_the_same_list_after_more_than_seven_days_is_said_again(house, host):
    host.remember(*LINES[:4])
    host.remember(*LINES[4:])
    house.clock.move(8 * 86_400)
    assert host.remember(*LINES[:4])["repeatedMessageCount"] == 0
    assert contents(host) == LINES + LINES[:4]


def test_of_a_window_that_has_moved_on_only_the_rest_is_new(host):
    host.remember(*LINES[:6])
    assert host.remember(*LINES[2:8])["repeatedMessageCount"] == 4
    assert contents(host) == LINES


def test_an_overlap_of_three_is_taken_as_said_twice_and_makes_no_second_memory(host):
    host.remember(*LINES[:6])
    assert host.remember(*LINES[3:8])["repeatedMessageCount"] == 0
    assert contents(host) == LINES[:6] + LINES[3:8]
    texts = [item["memorySummaryText"] for item in host.walk("/v1/memories", memoryAgentName="ada")[0]]
    assert len(texts) == len(set(texts)) > 0


def test_one_message_said_twice_is_two_turns_and_one_memory(host):
    first = host.remember("I live in Oslo.")
    second = host.remember("I live in Oslo.")
    assert (first["memoriesInfo"]["newMemoryCount"], second["memoriesInfo"]["newMemoryCount"]) == (1, 0)
    assert len(contents(host)) == 2
    item = host.get("/v1/memories", memoryAgentName="ada")["list"][0]
    assert [source["position"] for source in item["sources"]] == [0, 1]


def test_a_message_with_an_id_is_known_by_it_alone(host):
    first, changed = {"role": "user", "content": "I live in Oslo.", "id": "m1"}, {"role": "user", "content": "No.", "id": "m1"}
    host.post("/v1/memories", memoryAgentName="ada", messages=[first, first])
    again = host.post("/v1/memories", memoryAgentName="ada", messages=[changed, {**first, "id": "m2"}])
    assert again["repeatedMessageCount"] == 1
    assert contents(host) == ["I live in Oslo.", "I live in Oslo."]


def test_an_id_belongs_to_its_conversation(host):
    said = [{"role": "user", "content": "I live in Oslo.", "id": "m1"}]
    for conversation in ("one", "two"):
        host.post("/v1/memories", memoryAgentName="ada", messages=said, conversationId=conversation)
    assert len(contents(host)) == 2


def test_two_thousand_messages_are_taken_at_once(host):
    data = host.post(
        "/v1/memories", memoryAgentName="ada", asyncMode=1,
        messages=[{"role": "assistant", "content": f"line {number}"} for number in range(2000)],
    )
    assert data["taskId"]
    assert host.get("/v1/turns", memoryAgentName="ada", conversationId="default")["total"] == 2000


def test_a_message_of_fifty_thousand_characters_is_taken_whole(host):
    text = "喵" * 49_999 + "。"
    host.remember(text)
    assert contents(host) == [text]


def test_names_in_chinese_and_with_any_sign_lead_to_their_body(host):
    for name in ("艾达", "a/b%2F c", "emoji 🐈‍⬛", "..", "?&#;="):
        host.remember("I live in Oslo.", name=name)
        assert host.get("/v1/turns", memoryAgentName=name)["total"] == 1
