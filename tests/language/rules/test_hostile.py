"""Whatever is thrown at the extractor, it answers, in time, with statements that can be stored."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.language.rules.extractor import MOST_STATEMENTS, RuleExtractor
from chalicelib.mind.turns import Turn

NOW = datetime(2024, 5, 15, tzinfo=UTC)
PIECES = [
    "I ", "my ", "don't ", "love ", "not ", "really ", "live in ", "Ghent", ", and ", ". ", "? ", "\n", "我", "不", "喜欢", "住在", "，", "。", "的", "是", "记住", "remember ",
    "forget ", "<a>", "</a>", "<x-y>", "```", "`", '"', "“", "”", "[", "]", "\0", "\ud800", "\u202e", "\ue000", "🙂", "ا", "が", "  ", "\t", "used to ", "no longer ", "从", "搬到", "叫",
]


def statements(content, character=""):
    turn = Turn("talk", 0, "user", character, content, NOW, NOW)
    return RuleExtractor(None, "relaxed").extract([turn])


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=8), max_size=40).map("".join), st.sampled_from(["", "Ann", "小林", "a\\g<1>b", "\n\ue001"]))
def test_every_statement_can_be_stored(content, character):
    for statement in statements(content, character):
        assert statement.text.strip()
        assert "\n" not in statement.text
        assert statement.turns == ("talk/0",)
        assert 0 < statement.confidence <= 1
        assert 0 <= statement.importance <= 1
        statement.text.encode()


@pytest.mark.parametrize("piece", [*PIECES, "a", "I love tea. ", "我喜欢茶，", "I really really ", "my my ", "每天", "(((", "1.", "X is my favorite ", "从我搬到"])
def test_fifty_thousand_characters_of_anything_are_read(piece):
    assert len(statements((piece * 50_000)[:50_000])) <= MOST_STATEMENTS
