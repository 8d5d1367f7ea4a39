"""Lists, single things, tasks and health: what is there, page by page, and nothing twice."""

from types import SimpleNamespace

import pytest

from chalicelib.errors import ModelUnavailable, StoreUnavailable
from chalicelib.wiring import PROCESS

DAY = 86_400


class Away:
    """A world whose embedder, and all that needs one, can't be built."""

    def __init__(self, world, gone):
        self.world, self.gone = world, gone

    def __getattr__(self, name):
        return self.gone() if name in {"embedder", "projection"} else getattr(self.world, name)


@pytest.fixture
def full(host):
    """A host with three bodies, five conversations and a dozen memories."""
    for name, namespace in (("ada", "default"), ("bob", "default"), ("ada", "work")):
        host.remember("I live in Oslo.", "My sister Nora lives in Lisbon.", name=name, namespace=namespace)
    for conversation in ("one", "one/two", "对话"):
        host.remember(f"My favourite tea is {conversation}.", "I work at Acme Robotics.", conversationId=conversation)
    return host


def test_memories_come_newest_first_each_once_one_page_after_another(house, host):
    for number in range(6):
        host.remember(f"My favourite tea is number {number}.")
        house.clock.move(number % 2)
    items, total = host.walk("/v1/memories", memoryAgentName="ada")
    ids = [item["memorySummaryId"] for item in items]
    assert len(ids) == len(set(ids)) == total == 6
    assert [item["createTime"] for item in items] == sorted((item["createTime"] for item in items), reverse=True)
    whole = host.get("/v1/memories", memoryAgentName="ada")
    assert (whole["list"], whole["nextCursor"]) == (items, None)


@pytest.mark.parametrize(("status", "count"), [("1", 1), ("1,3", 1), (" 1 , 2 ", 1), ("2,3,4", 0)])
def test_memories_are_chosen_by_status(host, status, count):
    host.remember("I live in Oslo.")
    data = host.get("/v1/memories", memoryAgentName="ada", status=status)
    assert len(data["list"]) == data["total"] == count


def test_a_memory_is_had_by_its_id_with_its_revisions(full):
    item = full.get("/v1/memories", memoryAgentName="ada")["list"][0]
    one = full.get(f"/v1/memories/{item['memorySummaryId']}")
    assert [each["memorySummaryText"] for each in one.pop("revisions")] == [item["memorySummaryText"]]
    one.pop("usage")
    assert one == item


def test_turns_come_in_order_each_once_one_page_after_another(full):
    items, total = full.walk("/v1/turns", memoryAgentName="ada")
    places = [(item["conversationId"], item["position"]) for item in items]
    assert len(places) == len(set(places)) == total == 8
    assert full.get("/v1/turns", memoryAgentName="ada")["list"] == items


@pytest.mark.parametrize("conversation", ["one", "one/two", "对话"])
def test_turns_of_one_conversation_are_its_own(full, conversation):
    items, total = full.walk("/v1/turns", memoryAgentName="ada", conversationId=conversation)
    assert [(item["conversationId"], item["position"]) for item in items] == [(conversation, 0), (conversation, 1)]
    assert total == 2


def test_a_conversation_that_is_not_there_is_empty(full):
    data = full.get("/v1/turns", memoryAgentName="ada", conversationId="on")
    assert (data["list"], data["total"], data["nextCursor"]) == ([], 0, None)


def test_there_is_no_total_of_turns_while_the_index_is_behind(house, host):
    host.remember("I live in Oslo.", asyncMode=1)
    data = host.get("/v1/turns", memoryAgentName="ada")
    assert (len(data["list"]), "total" in data) == (1, False)
    house.work()
    assert host.get("/v1/turns", memoryAgentName="ada")["total"] == 1


def test_bodies_come_each_once_one_page_after_another(full):
    items, total = full.walk("/v1/memory-bodies")
    names = [(item["namespace"], item["memoryAgentName"]) for item in items]
    assert names == [("default", "ada"), ("default", "bob"), ("work", "ada")]
    assert total == 3


def test_bodies_of_one_namespace_are_its_own(full):
    items, total = full.walk("/v1/memory-bodies", namespace="work")
    assert [item["memoryAgentName"] for item in items] == ["ada"]
    assert total == 1
    assert full.get("/v1/memory-bodies", namespace="wor")["list"] == []


def test_a_body_says_what_it_holds(full):
    one = full.get("/v1/memory-bodies/default/ada")
    one.pop("usage")
    assert one == full.get("/v1/memory-bodies", namespace="default")["list"][0]
    memories = full.get("/v1/memories", memoryAgentName="ada")["total"]
    assert (one["turnCount"], one["memoryCount"]) == (8, memories)
    assert one["statusCounts"] == {"1": memories, "2": 0, "3": 0, "4": 0}
    assert set(one) == {
        "namespace", "memoryAgentName", "memoryCount", "statusCounts", "turnCount", "active", "autoThinkCount",
        "autoDreamCount", "createTime", "updateTime",
    }


@pytest.mark.parametrize("name", ["艾达", "a/b%2F c", "..", "?&#;="])
def test_a_body_of_any_name_is_had_by_its_path(host, name):
    host.remember("I live in Oslo.", name=name, namespace=name)
    part = "".join(f"%{byte:02X}" for byte in name.encode())
    one = host.get(f"/v1/memory-bodies/{part}/{part}")
    assert (one["namespace"], one["memoryAgentName"], one["turnCount"]) == (name, name, 1)


def test_a_body_exists_for_a_user_since_that_user_has_used_it(house, host):
    host.remember("I live in Oslo.")
    founded = host.get("/v1/memory-bodies/default/ada")["createTime"]
    house.clock.move(DAY)
    bound = house.caller(kind="bound", user="alice")
    bound.remember("I live in Rome.")
    [listed] = bound.get("/v1/memory-bodies")["list"]
    assert listed["createTime"] == bound.get("/v1/memory-bodies/default/ada")["createTime"] > founded
    assert host.get("/v1/memory-bodies/default/ada")["createTime"] == founded


def test_a_mind_lists_its_own_body_once_it_is_used(house, full):
    mind, unused = (house.caller(kind="mind", namespace="default", name=name) for name in ("bob", "eve"))
    assert [item["memoryAgentName"] for item in mind.get("/v1/memory-bodies")["list"]] == ["bob"]
    assert mind.get("/v1/memory-bodies", namespace="default")["list"]
    assert mind.get("/v1/memory-bodies", namespace="work")["list"] == []
    assert unused.get("/v1/memory-bodies")["list"] == []
    assert mind.ask("GET", "/v1/memory-bodies?cursor=eA").code == "A0420"
    assert full.get("/v1/memory-bodies")["total"] == 3


def test_a_memory_that_has_expired_is_in_no_list(house, host):
    host.remember("Remember that I have a dentist appointment tomorrow.", "I live in Oslo.")
    assert host.get("/v1/memories", memoryAgentName="ada")["total"] == 2
    house.clock.move(3 * DAY)
    data = host.get("/v1/memories", memoryAgentName="ada")
    assert (len(data["list"]), data["total"]) == (1, 1)


@pytest.mark.usefixtures("full")
def test_a_bound_key_lists_the_bodies_its_user_has_used_and_no_page_tells_of_others(house):
    bound = house.caller(kind="bound", user="alice")
    assert bound.walk("/v1/memory-bodies") == ([], None)
    for namespace in ("default", "work"):
        bound.remember("I live in Rome.", namespace=namespace)
    items, _ = bound.walk("/v1/memory-bodies")
    assert [(item["namespace"], item["turnCount"]) for item in items] == [("default", 1), ("work", 1)]


def test_tasks_come_newest_first_each_once_one_page_after_another(house, host):
    made = []
    for number in range(5):
        made.append(host.remember(f"line {number}", asyncMode=number % 2)["taskId"])
        house.clock.move(1)
    items, total = host.walk("/memories/task/all")
    assert [item["taskId"] for item in items] == made[::-1]
    assert total == 5


def test_tasks_of_others_are_in_no_page_of_a_bound_key(house, host):
    bound = house.caller(kind="bound", user="alice")
    mine = []
    for number in range(4):
        host.remember(f"line {number}")
        mine.append(bound.remember(f"line {number}")["taskId"])
        house.clock.move(1)
    assert [item["taskId"] for item in bound.walk("/memories/task/all")[0]] == mine[::-1]


def test_a_task_under_way_has_no_result_yet(host):
    task = host.remember("I live in Oslo.", asyncMode=1)["taskId"]
    detail = host.get("/memories/task/detail", taskId=task)
    assert (detail["status"], detail["progress"], detail["result"], detail["error"]) == ("pending", 0, None, None)
    assert set(detail) == {
        "taskId", "type", "status", "progress", "memoryAgentName", "namespace", "createTime", "updateTime", "result",
        "error", "usage",
    }


@pytest.mark.parametrize("prefix", ["", "/v1"])
def test_task_routes_are_served_with_and_without_their_version(host, prefix):
    task = host.remember("I live in Oslo.")["taskId"]
    assert host.get(f"{prefix}/memories/task/detail", taskId=task)["taskId"] == task
    assert host.get(f"{prefix}/memories/task/progress", taskId=task)["progress"] == 100
    assert [each["taskId"] for each in host.get(f"{prefix}/memories/task/all")["list"]] == [task]
    deleted = host.done("DELETE", f"{prefix}/memories/task/delete", query={"taskId": task})
    assert (deleted["taskId"], deleted["deleted"]) == (task, True)


def test_deleting_a_task_keeps_its_turns_and_memories(host):
    task = host.remember("I live in Oslo.")["taskId"]
    host.done("DELETE", "/memories/task/delete", query={"taskId": task})
    assert host.ask("GET", f"/memories/task/detail?taskId={task}").code == "A0404"
    assert host.get("/v1/memories", memoryAgentName="ada")["total"] == 1


def test_deleting_a_task_under_way_cancels_it_and_keeps_its_turns(house, host):
    task = host.remember("I live in Oslo.", asyncMode=1)["taskId"]
    host.done("DELETE", "/memories/task/delete", query={"taskId": task})
    house.work()
    assert host.get("/v1/memories", memoryAgentName="ada")["total"] == 0
    assert len(host.get("/v1/turns", memoryAgentName="ada")["list"]) == 1


def test_a_finished_task_is_gone_after_seven_days_and_told_from_one_that_never_was(house, host):
    task = host.remember("I live in Oslo.")["taskId"]
    house.clock.move(7 * DAY - 1)
    assert host.get("/memories/task/progress", taskId=task)["progress"] == 100
    house.clock.move(2)
    for verb in ("detail", "progress"):
        answer = host.ask("GET", f"/memories/task/{verb}?taskId={task}")
        assert (answer.status, answer.code) == (410, "A0449")
    made_up = task[:-6] + ("000000" if task[-6:] != "000000" else "111111")
    assert host.ask("GET", f"/memories/task/progress?taskId={made_up}").code == "A0404"
    assert house.caller("other").ask("GET", f"/memories/task/progress?taskId={task}").code == "A0404"


def test_health_is_public_and_says_the_status_alone(host):
    answer = host.ask("GET", "/health", headers={"Authorization": None})
    assert (answer.status, answer.data) == (200, {"status": "ok"})


@pytest.mark.parametrize("store", ["index", "graph", "queue"])
def test_health_names_a_store_that_is_down_and_what_is_up(house, host, store):
    def gone(*_args, **_more):
        raise StoreUnavailable(store, "timed out")

    host.get("/health")
    house.world.__dict__[store] = SimpleNamespace(facets=gone, neighbourhood=gone, depth=gone)
    data = host.get("/health")
    assert data["status"] == "degraded"
    assert data["stores"] == {name: "down" if name == store else "up" for name in ("table", "index", "graph", "queue")}


def test_health_answers_without_a_model_too(house, host):
    def gone():
        raise ModelUnavailable("words", "timed out")

    here = Away(house.world, gone)
    PROCESS.world = here
    data = host.get("/health")
    assert (data["status"], data["embedder"], data["pending"]) == ("degraded", None, None)
    assert set(data["stores"].values()) == {"up"}
    PROCESS.world = house.world


def test_what_is_pending_for_others_is_told_to_nobody(house, host):
    bound, other = house.caller(kind="bound", user="alice"), house.caller("other")
    host.remember("I live in Oslo.", asyncMode=1)
    bound.remember("I live in Rome.", "My sister is called Mia.", asyncMode=1)
    assert [caller.get("/health")["pending"] for caller in (host, bound, other)] == [3, 2, 0]


def test_health_says_more_to_somebody_with_a_key(host):
    host.remember("I live in Oslo.", asyncMode=1)
    data = host.get("/health")
    assert data["stores"] == {"table": "up", "index": "up", "graph": "up", "queue": "up"}
    assert (data["status"], data["pending"], data["embedder"], data["model"]) == ("ok", 1, "words-1024", None)
    assert data["version"]
