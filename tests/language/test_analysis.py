"""Terms of mixed text, the bound of its tokens, and its language."""

import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.language.analysis import ENOUGH, MORE, PIECE, Analysis, at_home, normalised
from chalicelib.language.token_bounds import most_tokens
from chalicelib.mind.tongues import language_of

ANALYSIS = Analysis()

TRICKY = {
    "": [],
    "   ": [],
    "\x00": [],
    "😀👍": [],
    "ＰＲ－４２": ["pr-42", "pr", "42"],
    "PR-42": ["pr-42", "pr", "42"],
    "v1.5.0": ["v1.5.0"],
    "C++ and C#": ["c++", "c#"],
    "Write to ada@example.com.": ["write", "ada@example.com", "ada", "example.com"],
    "24/7": ["24/7", "24", "7"],
    "snake_case-name": ["snake_case-name", "snake", "case", "name"],
    "O'Brien's dog": ["o'brien", "brien", "dog"],
    "don't, you’ll": ["don't", "you'll"],
    "1,000 yuan": ["1000", "yuan"],
    "running, runs": ["run", "run"],
    "the of and": ["the", "of", "and"],
    "Zürich": ["zürich"],
    "İstanbul": ["istanbul"],
    "ﬁne": ["fine"],
    "H₂O": ["h2o"],
    "Привет мир": ["привет", "мир"],
    "나는 학교에 간다": ["나는", "학교", "교에", "간다"],
    "東京タワー": ["东京", "京タ", "タワ", "ワー"],
    "ｶﾀｶﾅ": ["カタ", "タカ", "カナ"],
    "的了是": ["的了是"],
    "我用Python写代码": ["我用", "python", "写", "代码"],
    "2024年3月5日": ["2024", "年", "3", "月", "5", "日"],
    "臺灣的天氣": ["台湾", "天气"],
    "台湾的天气": ["台湾", "天气"],
    "什麽": ["什么"],
    "著名的": ["著名"],
    "呼吸": ["呼吸"],
    "妳週末有空嗎": ["周末", "有空"],
    "a\x00tea\x07cup": ["tea", "cup"],
    "tea\u200bcup": ["tea", "cup"],
    "\ud800tea\udfff": ["tea"],
}


@pytest.mark.parametrize(("text", "terms"), TRICKY.items(), ids=[ascii(text) for text in TRICKY])
def test_terms_of(text, terms):
    assert ANALYSIS.terms(text) == terms


@pytest.mark.parametrize(("question", "statement"), [
    ("小明在哪里买了自行车", "昨天我在杭州买了一辆自行车"),
    ("圖書館在哪裡", "图书馆就在学校旁边"),
    ("Where are the keys?", "I left a KEY at the ﬁling cabinet"),
    ("ｖ１．５．０ 发布了吗", "We released v1.5.0"),
])
def test_a_question_shares_a_term_with_its_answer(question, statement):
    assert set(ANALYSIS.terms(question)) & set(ANALYSIS.terms(statement))


@given(st.text(st.characters(), max_size=200))
def test_any_text_has_terms_that_are_short_and_not_empty(text):
    assert all(0 < len(term) <= 128 for term in ANALYSIS.terms(text))


@given(st.text(st.sampled_from("abzAZ臺湾学，。 \n-'.1"), max_size=60))
def test_case_and_width_do_not_matter(text):
    wide = "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text.upper())
    assert ANALYSIS.terms(wide) == ANALYSIS.terms(text)


@given(st.lists(st.sampled_from(["tea", "绿茶", "pr-42", "a@b.com", "ランチ", "1,000"]), max_size=10))
def test_lines_have_the_terms_of_each_one_in_order(lines):
    assert ANALYSIS.terms("\n".join(lines)) == [term for line in lines for term in ANALYSIS.terms(line)]


def test_the_supplement_turns_traditional_characters_to_simplified_ones():
    assert len(MORE) % 2 == 0
    assert not [a for a in MORE[::2] if at_home(a)]
    assert all(at_home(b) for b in MORE[1::2])


@given(st.text(st.sampled_from("ａeｆﬁ½ \n中ガｶﾞ"), max_size=30), st.integers(0, 40))
def test_long_texts_are_normalised_like_short_ones(text, times):
    assert normalised(f"{text}\n" * times) == f"{normalised(text)}\n" * times


HOSTILE = [
    "\u0301\u0316", "a-", "a'", "中", "1,000,", "x", "e\u0301", "n't", "\x00中", "\ud800a", "カ", "가", "@", "c++", "word ", "\u3000中 ", "aB", "臺",
]


@pytest.mark.parametrize("part", HOSTILE, ids=ascii)
def test_fifty_thousand_hostile_characters_are_done_at_once(part):
    text = part * (50_000 // len(part))
    assert len(ANALYSIS.terms(text)) <= len(text)
    assert 0 < ANALYSIS.tokens(text) <= 2 * len(text.encode("utf-8", "surrogatepass"))


@given(st.text(st.sampled_from("a \n\u0301中"), max_size=20), st.integers(0, 400))
def test_a_long_text_is_normalised_in_short_pieces_that_lose_nothing(text, times):
    pieces = PIECE.findall(text * times)
    assert "".join(pieces) == text * times
    assert max(map(len, pieces), default=0) <= ENOUGH


def test_threads_share_one_object():
    texts = ["running shoes", "昨天我在杭州买了一辆自行车", "PR-42 was merged by Zoë"] * 20
    fresh = Analysis()
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(fresh.terms, texts)) == [ANALYSIS.terms(text) for text in texts]


COUNTED = {  # (tokens in cl100k_base, in o200k_base), counted once with tiktoken
    "": (0, 0),
    "hello world": (2, 2),
    "Antidisestablishmentarianism": (6, 6),
    "xqzjvkwq": (7, 7),
    "2024-03-05": (6, 6),
    "昨天我在杭州买了一辆自行车。": (18, 10),
    "龘靐齉": (7, 6),
    "東京タワーに行きました": (11, 8),
    "나는 학교에 간다": (10, 5),
    "Привет мир": (5, 3),
    "Zürich": (3, 3),
    "😀👍🏽": (8, 4),
    "    return x": (3, 3),
    "ＰＲ－４２": (7, 5),
    "camelCaseIdentifierHTTPServer": (5, 5),
    " \t\n \r\n\n": (3, 3),
}


@pytest.mark.parametrize(("text", "counts"), COUNTED.items(), ids=[ascii(text) for text in COUNTED])
def test_the_bound_of_tokens_is_not_less_than_what_is_counted_and_not_silly(text, counts):
    assert max(counts) <= most_tokens(text) <= 5 * max(counts)


WRITING = st.text(st.one_of(st.sampled_from("abe thZ我的龘，1 \n\t\r😀カ가é\ud800"), st.characters()), max_size=60)


@given(WRITING)
def test_there_are_no_more_tokens_than_bytes_and_no_fewer_than_words(text):
    assert len(re.findall(r"[^\s\x1c-\x1f\x85\xa0]+", text)) <= most_tokens(text)
    assert most_tokens(text) <= 2 * len(text.encode("utf-8", "surrogatepass"))


@given(WRITING, WRITING)
def test_more_lines_have_more_tokens_and_no_more_than_each_with_its_end(one, other):
    both = most_tokens(f"{one}\n{other}")
    assert max(most_tokens(one), most_tokens(other)) <= both <= most_tokens(one) + 1 + most_tokens(other)


@given(st.text(st.sampled_from("xqzkvB龘我カ가é1 "), max_size=40), st.text(st.sampled_from("xqzkvB龘我カ가é1 "), max_size=10))
def test_more_characters_have_more_tokens_unless_they_make_a_common_word(text, more):
    assert most_tokens(text) <= most_tokens(text + more)


@pytest.mark.parametrize(("text", "language"), [
    ("", "en"),
    ("42 😀", "en"),
    ("Where did I put the keys?", "en"),
    ("We met at 外滩 in May", "en"),
    ("我的猫叫什么名字？", "zh"),
    ("我用 Python 写代码", "zh"),
    ("帮我看看 PR-42", "zh"),
    ("臺灣", "zh"),
    ("\ud800\x00", "en"),
])
def test_the_language_of_a_text_is_that_of_most_of_its_words(text, language):
    assert language_of(text) == language


@given(st.text(st.characters(), max_size=50))
def test_any_text_has_a_language(text):
    assert language_of(text) in {"zh", "en"}
