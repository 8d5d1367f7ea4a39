"""once: a request with a key is done once; its repeats get its reply, or are told to wait."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from chalicelib.errors import Conflict, UnderWay
from chalicelib.once import KEPT, LEASE, Claim

NOW = datetime(2026, 5, 28, 9, tzinfo=UTC)
CLAIM = Claim("caller", "POST /v1/memories", "key", "body", "task_1")


@pytest.fixture
def done():
    """Tasks for which the act was done."""
    return []


@pytest.fixture
def act(done):
    def acting(task):
        done.append(task)
        return {"task": task}
    return acting


def again(mind, act, claim=CLAIM, **passed):
    return mind.once(claim, act, now=NOW + timedelta(**passed))


def failing(_task):
    raise RuntimeError


def test_a_repeat_gets_the_same_reply_and_nothing_is_done_again(mind, act, done):
    assert again(mind, act) == ({"task": "task_1"}, False)
    assert again(mind, act, replace(CLAIM, task="task_2"), hours=1) == ({"task": "task_1"}, True)
    assert done == ["task_1"]


@pytest.mark.parametrize("other", [{"caller": "other"}, {"route": "POST /v1/think"}, {"key": "Key"}])
def test_another_caller_route_or_key_is_another_request(mind, act, done, other):
    again(mind, act)
    again(mind, act, replace(CLAIM, task="task_2", **other))
    assert done == ["task_1", "task_2"]
    assert CLAIM.request != replace(CLAIM, **other).request


def test_the_name_of_a_request_is_the_same_for_each_repeat():
    assert CLAIM.request == replace(CLAIM, task="task_2", body="other").request
    assert len(CLAIM.request) == 32


def test_another_body_under_the_same_key_is_a_conflict(mind, act, done):
    again(mind, act)
    with pytest.raises(Conflict, match="another body"):
        again(mind, act, replace(CLAIM, body="other"))
    assert done == ["task_1"]


def test_while_it_is_under_way_a_repeat_is_told_its_task(mind, act, done):
    def slow(task):
        with pytest.raises(Conflict, match="task_1"):
            again(mind, act, replace(CLAIM, task="task_2"), seconds=LEASE.total_seconds() - 1)
        return {"task": task}

    assert again(mind, slow) == ({"task": "task_1"}, False)
    assert done == []


def test_a_request_that_failed_is_done_again_at_once_with_the_same_task(mind, act, done):
    with pytest.raises(RuntimeError):
        again(mind, failing)
    assert again(mind, act, replace(CLAIM, task="task_2")) == ({"task": "task_1"}, False)
    assert done == ["task_1"]


def test_a_request_whose_process_died_is_taken_over_after_its_lease(mind, act, done):
    mind.once.begun(CLAIM, now=NOW)
    with pytest.raises(Conflict, match="task_1"):
        again(mind, act, seconds=LEASE.total_seconds() - 1)
    assert again(mind, act, replace(CLAIM, task="task_2"), seconds=LEASE.total_seconds()) == ({"task": "task_1"}, False)
    assert done == ["task_1"]


@pytest.mark.parametrize("late", ["reply", "failure"])
def test_who_ends_long_after_his_lease_changes_nothing_of_what_then_stands(mind, act, late):
    def overtaken(_task):
        again(mind, act, replace(CLAIM, task="task_2"), seconds=100)
        if late == "failure":
            raise RuntimeError
        return {"task": "late"}

    if late == "failure":
        with pytest.raises(RuntimeError):
            again(mind, overtaken)
    else:
        assert again(mind, overtaken) == ({"task": "task_1"}, False)
    assert again(mind, act, seconds=200) == ({"task": "task_1"}, True)


def test_while_it_is_under_way_a_repeat_is_told_when_to_come_back(mind, act):
    mind.once.begun(CLAIM, now=NOW)
    with pytest.raises(UnderWay) as told:
        again(mind, act, seconds=20)
    assert told.value.retry_after == LEASE.total_seconds() - 20


def test_who_is_alone_takes_over_at_once_what_was_begun_before(mind, act, done):
    mind.once.begun(CLAIM, now=NOW)
    alone = replace(mind.once, since=NOW)
    assert alone(replace(CLAIM, task="task_2"), act, now=NOW + timedelta(seconds=1)) == ({"task": "task_1"}, False)
    alone.begun(replace(CLAIM, key="other"), now=NOW + timedelta(seconds=1))
    with pytest.raises(UnderWay):
        alone(replace(CLAIM, key="other"), act, now=NOW + timedelta(seconds=2))
    assert done == ["task_1"]


def test_a_reply_is_kept_for_a_day(mind, act, done):
    again(mind, act)
    mind.clock.now = NOW + KEPT - timedelta(seconds=1)
    assert again(mind, act)[1]
    mind.clock.now = NOW + KEPT
    again(mind, act, replace(CLAIM, task="task_2"))
    assert done == ["task_1", "task_2"]


def test_of_many_who_take_over_one_does_and_the_others_are_told_its_task(mind, act, done, at_once):
    mind.once.begun(CLAIM, now=NOW)
    results = at_once(lambda _: again(mind, act, seconds=100), 8)
    refused = [result for result in results if isinstance(result, Exception)]
    assert all(isinstance(refusal, Conflict) and "task_1" in str(refusal) for refusal in refused)
    assert done == ["task_1"]
    assert {reply["task"] for reply, _ in set_of(results)} == {"task_1"}


def set_of(results):
    return [result for result in results if not isinstance(result, Exception)]
