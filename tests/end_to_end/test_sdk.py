"""The unmodified memnetai-python-sdk against the embedded server; nothing but its base URL is changed."""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread

import pytest
from loguru import logger
from memnetai import MemNetAIClient, MemNetAIClientPlus, MemoryMessageQueue, Message, OpenAIConfig

pytestmark = pytest.mark.serial

FACTS = [
    "I live in Oslo.", "My sister Nora lives in Lisbon.", "I work at Acme Robotics.", "My favourite tea is oolong.",
    "I have a cat named Miso.", "我妹妹叫小红。", "My brother Emil is a doctor.", "I am allergic to peanuts.",
]
"""What is said; three times over, so that a statement said again is met as well as a message sent again."""


@pytest.fixture(scope="module")
def server(start_server, tmp_path_factory):
    return start_server(tmp_path_factory.mktemp("sdk") / "home")


@pytest.fixture
def client(server):
    return MemNetAIClient(server.key, base_url=f"{server.url}/")


@pytest.fixture(scope="module", autouse=True)
def quiet():
    """The SDK tells of each request; none of that is wanted here."""
    logger.disable("memnetai")
    logger.disable("upgrade")
    yield
    logger.enable("memnetai")
    logger.enable("upgrade")


class Model(BaseHTTPRequestHandler):
    """A chat model that answers every request with the number of messages in it, as a stream of two parts."""

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(asked)
        parts = ["Understood, ", f"that was request {len(self.server.asked)}."]
        chunks = [json.dumps({"choices": [{"index": 0, "delta": {"content": part}}]}) for part in parts]
        body = "".join(f"data: {chunk}\n\n" for chunk in [*chunks, "[DONE]"]).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Nothing is logged."""


@pytest.fixture
def model():
    listener = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    listener.asked = []
    thread = Thread(target=listener.serve_forever)
    thread.start()
    yield listener
    listener.shutdown()
    thread.join()
    listener.server_close()


def everything(server, path, name):
    status, reply = server.ask("GET", f"{path}?memoryAgentName={name}&limit=200")
    assert (status, reply["data"]["nextCursor"]) == (200, None)
    return reply["data"]["list"]


def test_it_remembers_and_recalls(client):
    kept = client.memories("plain", [Message("user", "My sister Nora lives in Lisbon."), Message("assistant", "Noted.")])
    assert (kept["status_code"], kept["response_json"]["code"]) == (200, "0")
    assert kept["response_json"]["data"]["memoriesInfo"]["newMemoryCount"] > 0
    found = client.recall("plain", "Where does Nora live?")["response_json"]["data"]
    assert "Lisbon" in found["memorySummaryList"][0]["memorySummaryText"]
    assert "Lisbon" in found["memoryPrompt"]


def test_it_remembers_and_recalls_in_chinese(client):
    client.memories("中文", [Message("user", "我妹妹叫小红，她住在北京。")], namespace="空间")
    found = client.recall("中文", "我妹妹叫什么名字？", namespace="空间")["response_json"]["data"]
    assert "小红" in found["memoryPrompt"]


def test_an_asynchronous_remember_can_be_polled_until_it_has_succeeded(client):
    task = client.memories("later", [Message("user", "I live in Oslo.")], async_mode=1)["response_json"]["data"]["taskId"]
    seen = {}
    for _ in range(400):
        seen = client.memories_progress(task)["response_json"]["data"]
        if seen["progress"] == 100:
            break
        Event().wait(0.05)
    assert (seen["status"], seen["progress"]) == ("succeeded", 100)
    detail = client.memories_detail(task)["response_json"]["data"]
    assert detail["result"]["memoriesInfo"]["summarys"] == ["User lives in Oslo."]
    assert "Oslo" in client.recall("later", "Where do I live?")["response_json"]["data"]["memoryPrompt"]


def test_tasks_are_listed_and_deleted_and_memories_stay(client):
    task = client.memories("tasks", [Message("user", "I live in Oslo.")])["response_json"]["data"]["taskId"]
    assert task in {each["taskId"] for each in client.memories_all()["response_json"]["data"]["list"]}
    assert client.memories_delete(task)["response_json"]["data"]["deleted"] is True
    assert task not in {each["taskId"] for each in client.memories_all()["response_json"]["data"]["list"]}
    assert "Oslo" in client.recall("tasks", "Where do I live?")["response_json"]["data"]["memoryPrompt"]


def test_deleting_with_no_id_is_refused_and_deletes_nothing(client):
    client.memories("nothing", [Message("user", "I live in Oslo.")])
    before = [each["taskId"] for each in client.memories_all()["response_json"]["data"]["list"]]
    with pytest.raises(RuntimeError, match="A0410"):
        client.memories_delete()
    assert [each["taskId"] for each in client.memories_all()["response_json"]["data"]["list"]] == before


def test_a_body_that_nobody_has_used_recalls_an_empty_prompt(client):
    data = client.recall("unused", "Where do I live?")["response_json"]["data"]
    assert (data["memoryPrompt"], data["memorySummaryList"], data["abstained"]) == ("", [], True)


@pytest.mark.parametrize("key", ["", "wrong", "rv_00000000_" + "0" * 64])
def test_a_wrong_key_raises_its_error_with_our_code(server, key):
    stranger = MemNetAIClient(key, base_url=server.url)
    for call in (lambda: stranger.recall("plain", "Where?"), stranger.memories_all):
        with pytest.raises(RuntimeError, match="A0301"):
            call()


def test_what_is_refused_raises_its_error_with_our_code_and_the_field(client):
    with pytest.raises(RuntimeError, match=r"A0410.*memoryAgentName"):
        client.recall(None, "Where?")
    with pytest.raises(RuntimeError, match=r"A0410.*messages"):
        client.memories("plain", [])
    with pytest.raises(RuntimeError, match="A0404"):
        client.memories_detail("task_of_nobody")


def test_a_route_that_does_not_exist_raises_its_error_with_our_code(server):
    with pytest.raises(RuntimeError, match="A0404"):
        MemNetAIClient(server.key, base_url=f"{server.url}/stage").memories_all()


def config(server, name, model_url="http://127.0.0.1:9"):
    return OpenAIConfig(server.key, name, model_url, "echo", "none", memnetai_base_url=server.url)


def held(server, name, contents):
    """Whether a body holds exactly these turns, in order, and no memory twice; how many memories there are."""
    assert [turn["content"] for turn in everything(server, "/v1/turns", name)] == contents
    texts = [item["memorySummaryText"] for item in everything(server, "/v1/memories", name)]
    assert len(texts) == len(set(texts))
    return len(texts)


def test_forty_eight_messages_through_the_enhanced_client_are_forty_eight_turns_and_no_double_memory(server, model):
    plus = MemNetAIClientPlus(config(server, "plus", f"http://127.0.0.1:{model.server_port}"))
    contents = []
    for number in range(24):
        assert plus.input(FACTS[number % len(FACTS)])
        contents += [FACTS[number % len(FACTS)], plus.chat()]
    plus.close()
    assert len(set(contents[1::2])) == 24
    assert held(server, "plus", contents) >= len(FACTS)
    prompts = [asked["messages"][0]["content"] for asked in model.asked if asked["messages"][0]["role"] == "system"]
    assert "Oslo" in prompts[-8]  # the answer to the last message about it


def test_its_windows_are_told_apart_though_the_assistant_always_says_the_same(server):
    queue = MemoryMessageQueue(config(server, "queue"))
    contents = [text for number in range(24) for text in (f"Bay {number} holds {FACTS[number % 8].lower()}", "OK.")]
    for number, text in enumerate(contents):
        queue.add_message(Message("assistant" if number % 2 else "user", text).to_dict())
    queue.clear()
    held(server, "queue", contents)
