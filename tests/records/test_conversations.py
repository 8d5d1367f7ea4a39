"""Turns: each position and each client id once, and rows that fit whatever was said."""

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from chalicelib.language.analysis import Analysis
from chalicelib.mind.commits import checked
from chalicelib.mind.rows import RowConflict
from chalicelib.mind.scopes import Scope
from chalicelib.mind.turns import Turn
from chalicelib.records.conversations import MOST_TERMS_BYTES, Conversations, Head, at, put, turn_data
from chalicelib.records.keys import conversation

START = datetime(2026, 5, 28, 9, tzinfo=UTC)
TURN = Turn("c", 0, "user", "Ada", "I like tea", START, START, "m0", timed=True, terms={"tea": 1})


@pytest.fixture
def conversations(table):
    return Conversations(table)


def add(conversations, scope, *turns):
    conversations.table.commit(conversations.adding(scope, turns))


def numbered(count, name="c"):
    return [replace(TURN, conversation=name, position=position, message=None) for position in range(count)]


def test_a_turn_reads_back_as_it_was_said(conversations, scope):
    add(conversations, scope, TURN)
    assert conversations.turns(scope, [("c", 0), ("c", 1), ("c", -1), ("d", 0)]) == {("c", 0): TURN}
    assert conversations.turns(Scope(scope.body), [("c", 0)]) == {}


def test_a_position_that_is_taken_is_refused_and_nothing_is_written(conversations, scope):
    add(conversations, scope, TURN)
    with pytest.raises(RowConflict):
        add(conversations, scope, replace(TURN, position=1, message=None), replace(TURN, content="other", message=None))
    assert conversations.turns(scope, [("c", 0), ("c", 1)]) == {("c", 0): TURN}


def test_a_client_id_that_is_taken_is_refused_and_nothing_is_written(conversations, scope):
    add(conversations, scope, TURN)
    with pytest.raises(RowConflict):
        add(conversations, scope, replace(TURN, position=1))
    assert ("c", 1) not in conversations.turns(scope, [("c", 1)])


def test_the_same_client_id_in_another_conversation_is_another_message(conversations, scope):
    add(conversations, scope, TURN, replace(TURN, conversation="d"))
    assert len(conversations.turns(scope, [("c", 0), ("d", 0)])) == 2


def test_turns_come_in_order_page_by_page_and_of_one_conversation_only(conversations, scope):
    add(conversations, scope, *numbered(12), *numbered(2, "c/1"), *numbered(1, "c2"))
    seen, after = [], None
    while True:
        page, after = conversations.page(scope, "c", after=after, limit=5)
        seen += [turn.position for turn in page]
        if after is None:
            break
    assert seen == list(range(12))
    everything, _ = conversations.page(scope, "", after=None, limit=100)
    assert len(everything) == 15


def test_a_conversation_is_as_long_as_its_head_says(conversations, table, scope):
    key = conversation(scope, "c")
    assert conversations.length(scope, "c") == 0
    table.commit([put(key, {"next": 3, "fingerprints": ["x"]}, None)])
    row = table.get([key])[key]
    assert (at(row), at(None), conversations.length(scope, "c")) == (Head(3, ("x",)), Head(), 3)
    with pytest.raises(RowConflict):
        table.commit([put(key, {}, None)])
    table.commit([put(key, {"next": 4}, row)])
    with pytest.raises(RowConflict):
        table.commit([put(key, {"next": 5}, row)])


def test_a_long_turn_is_kept_without_its_terms(conversations, scope):
    long = replace(TURN, content="茶" * (MOST_TERMS_BYTES // 3 + 1), terms={"茶": 33_334})
    assert "terms" not in turn_data(long)
    assert "terms" in turn_data(replace(long, content=long.content[:-1]))
    add(conversations, scope, long)
    assert conversations.turns(scope, [("c", 0)])[("c", 0)] == replace(long, terms=None)


@pytest.mark.parametrize("content", [
    "あ" + "".join(chr(0x4E00 + number * 7919 % 20_000) for number in range(33_000)), " ".join(f"a{number:x}-b{number:x}" for number in range(8_000)),
    "\x01" * 50_000, "😀" * 50_000, "\\" * 50_000,
], ids=["pairs", "identifiers", "controls", "emoji", "backslashes"])
def test_whatever_fifty_thousand_characters_say_fits_into_a_row(conversations, scope, content):
    turn = replace(TURN, content=content, terms=Counter(Analysis().terms(content)))
    assert checked(conversations.adding(scope, [turn]))
