"""Users of one body: each finds what is its own, however an id is written and wherever else one is named."""

import pytest

ASKED = "What is my dog called?"
ONE, TWO = "My dog is called Pixel.", "My dog is called Rufus."


@pytest.fixture
def dogs(house):
    """A host that has told the body something for each of two users."""
    for user, text in (("u1", ONE), ("u2", TWO)):
        house.caller(speaking_for=user).remember(text)
    return house


def shown(caller, **more):
    """Everything a caller is shown by recall and lists, as one text."""
    recalled = caller.recall(ASKED, isReturningDetailedMemoryInfo=1, **more)
    lists = [caller.get(path, memoryAgentName="ada") for path in ("/v1/memories", "/v1/turns")]
    return repr([{name: inner for name, inner in each.items() if name != "usage"} for each in (recalled, *lists)])


@pytest.mark.parametrize(("user", "own", "other"), [("u1", "Pixel", "Rufus"), ("u2", "Rufus", "Pixel")])
def test_each_user_finds_its_own_and_nothing_of_the_other(dogs, user, own, other):
    text = shown(dogs.caller(speaking_for=user))
    assert own in text
    assert other not in text


@pytest.mark.parametrize("user", [None, "*", "%", "_", "U1", "u1,u2", "u", "u10", "['u1', 'u2']", "u1/", "/u1", "u1%2F"])
def test_no_user_and_any_other_user_find_nothing_of_theirs(dogs, user):
    text = shown(dogs.caller(speaking_for=user))
    assert "Pixel" not in text
    assert "Rufus" not in text


@pytest.mark.parametrize("user", ["", " ", "%20", "\u00a0", "null\0"])
def test_a_user_that_is_named_but_blank_is_refused(dogs, user):
    caller = dogs.caller()
    for method, path, body in (("POST", "/v1/recall", {"memoryAgentName": "ada", "query": ASKED}), ("GET", "/v1/turns?memoryAgentName=ada", None)):
        answer = caller.ask(method, path, body, headers={"X-User-Id": user})
        assert (answer.status, "X-User-Id" in answer.msg) == (400, True)


@pytest.mark.parametrize("field", ["userId", "user_id", "user", "owner", "scope", "X-User-Id", "filters"])
@pytest.mark.parametrize("value", ["u2", ["u1", "u2"], {"userId": "u2"}, "*", None])
def test_a_user_named_in_the_body_widens_nothing(dogs, field, value):
    text = shown(dogs.caller(speaking_for="u1"), **{field: value})
    assert "Pixel" in text
    assert "Rufus" not in text


def test_a_key_bound_to_one_user_may_not_name_another(dogs):
    caller = dogs.caller(kind="bound", user="u1")
    assert "Pixel" in shown(caller)
    answer = caller.ask("POST", "/v1/recall", {"memoryAgentName": "ada", "query": ASKED}, headers={"X-User-Id": "u2"})
    assert (answer.status, answer.data) == (403, {})


def test_the_same_sentence_from_two_users_is_a_memory_of_each(dogs):
    dogs.caller(speaking_for="u2").remember(ONE)
    for user, count in (("u1", 1), ("u2", 2)):
        caller = dogs.caller(speaking_for=user)
        assert caller.get("/v1/memories", memoryAgentName="ada")["total"] == count
        assert {item["revision"] for item in caller.get("/v1/memories", memoryAgentName="ada")["list"]} == {1}
