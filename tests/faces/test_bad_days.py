"""A store or a model that is gone: what is still known is said, what is missing is named, and nothing accepted is lost."""

import pytest

from chalicelib import schedules
from chalicelib.errors import ModelUnavailable, StoreUnavailable

ASKED = "Where does my sister Nora live?"
PARTS = ("index", "graph", "embedder")


class Switched:
    """A port that answers until it is switched off."""

    def __init__(self, port, failure):
        self.port, self.failure, self.off = port, failure, False

    def __getattr__(self, name):
        found = getattr(self.port, name)
        if not callable(found):
            return found

        def called(*args, **more):
            if self.off:
                raise self.failure
            return found(*args, **more)

        return called


@pytest.fixture
def switches(house):
    """What can be switched off, by name, in a world whose verbs are not built yet."""
    failures = {name: StoreUnavailable(f"the {name}", "timed out") for name in ("index", "graph", "queue", "table")}
    failures["embedder"] = ModelUnavailable("the embedder", "timed out")
    made = {name: Switched(getattr(house.world, name), failure) for name, failure in failures.items()}
    for name in ("once", "credentials", "bodies", "memories", "conversations", "tasks"):
        house.world.__dict__.pop(name, None)
    house.world.__dict__.update(made)
    return made


@pytest.fixture
def ada(switches, house):
    """A host that has remembered something while all was well."""
    assert switches
    caller = house.caller()
    caller.remember("My sister Nora lives in Lisbon.", "Nora works at Acme Robotics.")
    return caller


@pytest.mark.parametrize("part", PARTS)
def test_an_outage_does_not_look_like_having_nothing_to_recall(switches, ada, part):
    assert ada.recall(ASKED)["warnings"] == []
    switches[part].off = True
    answer = ada.ask("POST", "/v1/recall", {"memoryAgentName": "ada", "query": ASKED})
    assert answer.status == 200
    assert f"the {part}" in " ".join(answer.data["warnings"])
    switches[part].off = False
    assert ada.recall(ASKED)["warnings"] == []


@pytest.mark.parametrize("part", ["graph", "embedder"])
def test_what_does_not_need_the_missing_part_is_still_found(switches, ada, part):
    switches[part].off = True
    assert "Lisbon" in ada.recall(ASKED)["memoryPrompt"]


def test_without_the_table_every_call_is_told_to_come_back(switches, ada):
    switches["table"].off = True
    said = {"memoryAgentName": "ada", "messages": [{"role": "user", "content": "I live in Oslo."}], "query": ASKED}
    for method, path, body in (("POST", "/v1/memories", said), ("POST", "/v1/recall", said), ("GET", "/v1/turns?memoryAgentName=ada", None), ("GET", "/health", None)):
        answer = ada.ask(method, path, body)
        assert (answer.status, answer.code, "table" in answer.msg) == (503, "C0001", True)


def test_without_the_index_a_list_is_told_to_come_back_rather_than_empty(switches, ada):
    switches["index"].off = True
    answer = ada.ask("GET", "/v1/memories?memoryAgentName=ada")
    assert (answer.status, answer.code, "index" in answer.msg) == (503, "C0001", True)


@pytest.mark.parametrize("later", [0, 1])
@pytest.mark.parametrize("part", [*PARTS, "queue"])
def test_what_is_said_during_an_outage_is_kept_found_at_once_and_indexed_afterwards(switches, ada, house, part, later):
    switches[part].off = True
    said = ada.remember("My brother Emil lives in Turin.", asyncMode=later)
    assert bool(said["warnings"]) == (part == "queue" if later else part != "queue")
    if part != "index" or not later:
        assert "Turin" in ada.recall("Where does my brother Emil live?")["memoryPrompt"]
    switches[part].off = False
    house.clock.move(100)
    schedules.sweep()
    house.work()
    schedules.sweep()
    assert house.world.projection.depth() == 0
    found = ada.recall("Where does my brother Emil live?")
    assert ("Turin" in found["memoryPrompt"], found["warnings"]) == (True, [])
    assert ada.get("/v1/memories", memoryAgentName="ada")["total"] > 2


@pytest.mark.parametrize("told", [
    ("昨天我在杭州买了一辆自行车。", "小明在哪里买了自行车？", "杭州"),
    ("我们公司下个月要搬到浦东的新办公楼。", "新办公楼在哪里？", "浦东"),
    ("I finally fixed the gearbox of my old tractor.", "Which gearbox was fixed?", "tractor"),
])
@pytest.mark.parametrize("when", ["at once", "later"])
def test_words_alone_find_what_was_said_in_both_languages(switches, house, told, when):
    """Once while the turns wait for a vector, once from the index, which has them and no vector for the question."""
    said, asked, word = told
    caller = house.caller()
    switches["embedder"].off = when == "at once"
    turns = [("小明", said), ("小红", "今天天气不错，我们去公园散步吧。"), ("小红", "The weather is nice today.")]
    messages = [{"role": "user", "character": who, "content": text} for who, text in turns]
    caller.post("/v1/memories", memoryAgentName="ada", messages=messages)
    switches["embedder"].off = True
    found = caller.recall(asked, isReturningDetailedMemoryInfo=1)
    assert word in found["evidence"][0]["content"]
    assert any("words alone" in warning for warning in found["warnings"])


def test_a_task_is_taken_up_though_nothing_can_be_indexed(switches, ada, house):
    switches["queue"].off = True
    task = ada.remember("My brother Emil lives in Turin.", asyncMode=1)["taskId"]
    switches["queue"].off, switches["index"].off = False, True
    house.clock.move(60)
    with pytest.raises(StoreUnavailable):
        schedules.sweep()
    house.work()
    assert ada.get("/memories/task/progress", taskId=task)["status"] == "succeeded"
