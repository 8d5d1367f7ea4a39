"""Turns and memories: what is embedded of a turn, how a memory is born, and what a repetition makes of it."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.mind.memories import MOST_SOURCES, VALID, Change, Who, born, bounded, repeated
from chalicelib.mind.statements import Entity, Statement
from chalicelib.mind.turns import MOST, SHORT, Said, Turn, named, window

NOW = datetime(2026, 5, 28, 9, tzinfo=UTC)
STATEMENT = Statement("Ada likes tea", ("c/3",), "preference", "en", "Ada", 0.8, 0.4, entities=(Entity("Bob", "person"), Entity("tea", "thing")))


def turn(position, character="Ada", content="I like tea", conversation="c", minutes=0):
    return Turn(conversation, position, "user", character, content, NOW + timedelta(minutes=minutes), NOW)


def memory(*turns, **changes):
    return born(STATEMENT, turns or (turn(3),), id="mem_1", text="Ada likes tea", digest="d", now=NOW + timedelta(hours=1), **{"metadata": "", **changes})


@pytest.mark.parametrize("role", ["", "user", "Assistant", "AI", "用户", "我", "tool"])
def test_a_role_is_no_name(role):
    assert named(role) == ""
    assert turn(0, role).labelled == "I like tea"


def test_a_name_stands_before_what_was_said():
    assert turn(0, "Ada").labelled == "Ada: I like tea"


def test_a_turn_is_embedded_with_a_short_one_before_it():
    assert window(turn(1), None) == "Ada: I like tea"
    assert window(turn(1), turn(0, "Bob", "Tea?")) == "Bob: Tea?\nAda: I like tea"
    assert window(turn(1), turn(0, "Bob", "x" * (SHORT + 1))) == "Ada: I like tea"
    assert len(window(turn(1, content="x" * 5000), None)) == MOST


@pytest.mark.parametrize("given_time", [None, NOW - timedelta(days=300)])
def test_a_message_without_a_time_was_said_when_it_came(given_time):
    made = Said("user", "Ada", "x", given_time, "m1").turn("c", 7, terms={"x": 1}, now=NOW)
    assert (made.said_at, made.timed, made.recorded_at) == (given_time or NOW, given_time is not None, NOW)
    assert (made.id, made.message, made.terms) == ("c/7", "m1", {"x": 1})


def test_a_memory_is_born_with_its_sources_and_a_log_that_begins_with_said():
    first, second = turn(3, minutes=5), turn(2, minutes=2)
    made = memory(first, second, metadata="{}")
    assert [source.position for source in made.sources] == [3, 2]
    assert (made.said_at, made.recorded_at, made.state, made.metadata) == (first.said_at, NOW + timedelta(hours=1), VALID, "{}")
    assert made.changes == (Change(1, None, VALID, "said", "", Who("conversation", "c", ("c/3", "c/2"), "Ada"), first.said_at, made.recorded_at),)
    assert made.persons == ("Ada", "Bob")
    assert made.impression.value == pytest.approx(0.7)


def test_the_same_turn_again_changes_nothing():
    made = memory()
    assert repeated(made, [turn(3)], now=NOW + timedelta(days=1)) is made


def test_another_turn_that_says_the_same_is_one_more_source_and_a_stronger_impression():
    made, later = memory(), turn(9, minutes=60)
    after = repeated(made, [turn(3), later], now=NOW + timedelta(hours=2))
    assert [source.position for source in after.sources] == [3, 9]
    assert after.impression.felt(later.said_at) > made.impression.felt(later.said_at)
    assert (after.said_at, after.changes, after.text) == (made.said_at, made.changes, made.text)
    assert repeated(after, [later], now=NOW) is after


@given(st.permutations(range(5)))
def test_in_whatever_order_its_turns_arrive_it_was_said_when_it_was_first_said(order):
    turns = [turn(position, minutes=position) for position in order]
    made = memory(turns[0])
    for later in turns[1:]:
        made = repeated(made, [later], now=NOW + timedelta(hours=2))
    assert made.said_at == NOW
    assert {source.position for source in made.sources} == set(order)


def test_the_same_position_in_another_conversation_is_another_turn():
    assert len(repeated(memory(), [turn(3, conversation="d")], now=NOW).sources) == 2


@given(st.lists(st.integers(0, 200), min_size=1, max_size=120, unique=True))
def test_sources_are_bounded_to_the_first_and_the_latest(positions):
    made = memory(turn(positions[0]))
    for position in positions[1:]:
        made = repeated(made, [turn(position)], now=NOW)
    half, kept = MOST_SOURCES // 2, [source.position for source in made.sources]
    assert kept == (positions if len(positions) <= MOST_SOURCES else positions[:half] + positions[-half:])
    assert bounded(made.sources) == made.sources


def test_a_memory_has_gone_from_the_moment_it_expires():
    made = memory()
    assert not made.gone(NOW)
    fleeting = born(
        Statement("x", (), "context", "en", "Ada", 0.5, expires_at=NOW), [turn(3)], id="m", text="x", digest="", metadata="", now=NOW
    )
    assert fleeting.gone(NOW)
    assert not fleeting.gone(NOW - timedelta(microseconds=1))
