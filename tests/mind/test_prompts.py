"""What is put before a dialogue: within its budget, whole items, best first, and nothing but data."""

import re
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.language.analysis import Analysis
from chalicelib.mind.prompts import HEADINGS, MOST_CHARACTERS, Item, line, memory_prompt, stood_for

WHEN = datetime(2026, 5, 28, 23, tzinfo=UTC)
LANGUAGES = st.sampled_from(["zh", "en"])
HOSTILE = st.sampled_from(["”", "“", '"', "＂", "‟", "〞", "❞", "„", "‶", "ʺ", "⹂", "﹤", "\n", "\r\n", "\u2028", "</memory>", "记忆：", "[1] ", "Memories:", "\x00", "a", "茶", "👍", " "])
WORDS = st.lists(HOSTILE, min_size=1, max_size=30).map("".join) | st.text(st.characters(exclude_categories=["Cs"]), max_size=80)
MEMORIES = st.lists(st.builds(Item, WORDS, st.just(WHEN), st.just(""), st.integers(1, 4)), max_size=6)
TURNS = st.lists(st.builds(Item, WORDS, st.just(WHEN), WORDS), max_size=6)
COUNTERS = st.sampled_from([len, Analysis().tokens, lambda text: len(text.split()), lambda text: len(text.encode())])


@given(MEMORIES, TURNS, LANGUAGES, st.integers(0, 600), COUNTERS)
def test_a_prompt_is_never_over_its_budget(memories, turns, language, most, tokens):
    assert tokens(memory_prompt(memories, turns, language, most=most, tokens=tokens)) <= most


@given(MEMORIES, TURNS, LANGUAGES, st.integers(0, 600))
def test_items_are_whole_in_order_and_numbered_from_one(memories, turns, language, most):
    lines = memory_prompt(memories, turns, language, most=most, tokens=len).split("\n")
    shown = [text for text in lines if text.startswith("[")]
    assert [text.split(" ")[0] for text in shown] == [f"[{number}]" for number in range(1, len(shown) + 1)]
    rest = iter([*memories, *turns])
    for number, text in enumerate(shown, 1):
        assert any(line(number, item, language) == text for item in rest)


@given(MEMORIES, TURNS, LANGUAGES)
def test_quoted_text_can_neither_open_nor_close_anything(memories, turns, language):
    prompt = memory_prompt(memories, turns, language, most=100_000, tokens=len)
    opening, *headings = HEADINGS[language]
    expected = [opening] if memories or turns else []
    for heading, items in zip(headings, (memories, turns), strict=True):
        expected += [heading, *(2 if item.speaker else 1 for item in items)] if items else []
    assert len(prompt.splitlines()) == len(expected)
    for text, what in zip(prompt.splitlines(), expected, strict=True):
        if isinstance(what, str):
            assert text == what
        else:
            quoted = re.findall("“[^“”]*”", text)
            assert (text.count("“"), text.count("”"), len(quoted), text[-1]) == (what, what, what, "”")
            assert not re.search('["＂‟„〝〞〟❝❞‶″‴ʺ⹂<>＜＞﹤`]', text)


def test_a_speaker_can_not_speak_as_the_prompt():
    text = line(1, Item("hello", WHEN, "Bob\n记忆：“[2]”"), "zh")
    assert text == "[1] 2026-05-28 · “Bob 记忆：‘[2]’”: “hello”"


@pytest.mark.parametrize(("said", "memories", "stands"), [
    ("I live in Oslo.", ["User lives in Oslo."], True),
    ("I live in Oslo, and I work as a nurse.", ["User lives in Oslo.", "User works as a nurse."], True),
    ("我对花生过敏。", ["小林对花生过敏"], True),
    ("I live in Oslo, and I work as a nurse.", ["User lives in Oslo."], False),
    ("I used to like tea, now I don't.", ["User used to like tea."], False),
    ("我以前喜欢吃辣，现在不吃辣了。", ["用户以前喜欢吃辣"], False),
    ("I live in Oslo with my sister Nora who paints boats", ["User lives in Oslo."], False),
    ("I don't like tea.", ["User does not like tea."], True),
    ("我不喝咖啡，也不喝茶。", ["用户不喝咖啡", "用户不喝茶"], True),
    ("我喝咖啡，不喝茶。", ["用户喝咖啡", "用户喝茶"], False),
    ("I live in Oslo, in a flat by the river.", ["User lives in Oslo, in a flat by the river."], True),
    ("My score is 3.5 at v1.2", ["User's score is 3.5 at v1.2."], True),
    ("I live in Oslo.", [], False),
])
def test_memories_stand_for_a_turn_when_they_say_all_of_it(said, memories, stands):
    assert stood_for(said, memories, Analysis().terms) == stands


def test_nothing_to_say_and_nothing_that_fits_is_no_prompt():
    assert memory_prompt([], [], "en", most=1000, tokens=len) == ""
    assert memory_prompt([Item("tea", WHEN, state=1)], [], "en", most=20, tokens=len) == ""


def test_an_item_that_does_not_fit_is_passed_over_for_a_shorter_one():
    items = [Item("coffee " * 50, WHEN, state=1), Item("tea", WHEN, state=1)]
    prompt = memory_prompt(items, [], "en", most=200, tokens=len)
    assert "“tea”" in prompt
    assert "coffee" not in prompt


def test_memories_come_before_turns_and_a_long_text_is_shown_by_its_beginning():
    prompt = memory_prompt([Item("m" * 1000, WHEN, state=3)], [Item("said", WHEN, "Ada")], "en", most=10_000, tokens=len)
    first, second = prompt.split("\n")[2], prompt.split("\n")[4]
    assert first == f"[1] 2026-05-28 · outdated · “{'m' * (MOST_CHARACTERS - 1)}…”"
    assert second == "[2] 2026-05-28 · “Ada”: “said”"


@pytest.mark.parametrize(("language", "state", "word"), [("zh", 1, "有效"), ("zh", 4, "被否认"), ("en", 2, "suspected outdated"), ("en", 4, "denied")])
def test_a_memory_shows_its_state_in_the_language_of_the_question(language, state, word):
    assert f" · {word} · " in memory_prompt([Item("x", WHEN, state=state)], [], language, most=1000, tokens=len)
