"""Reading a question: whom it names, what is searched for, and whose words are asked for."""

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.mind.questions import MOST_PARTS, Question, sentences

PEOPLE = ("Ann", "Ben", "小明", "user", "")


def words(text):
    return [word.strip("?,.!'").lower() for word in text.split() if word.strip("?,.!'")]


def read(text, people=PEOPLE):
    return Question.read(text, people, words)


def test_the_name_asked_about_is_deleted_also_in_the_genitive():
    question = read("What is Ann's favourite tea?")
    assert question.named == {"Ann"}
    assert question.texts == ("What is favourite tea?",)
    assert "ann" not in question.terms[0]


def test_a_name_is_a_whole_word_in_latin_and_any_part_in_chinese():
    assert read("Who likes Annual reports?").named == frozenset()
    assert read("小明喜欢什么茶").named == {"小明"}
    assert read("小明喜欢什么茶").texts == ("喜欢什么茶",)


def test_a_role_is_nobodys_name():
    assert read("Which user likes tea?").named == frozenset()


def test_a_question_that_is_only_a_name_keeps_it():
    question = read("Ann?")
    assert question.texts == ("Ann?",)
    assert question.terms == (("ann",),)


def test_the_longer_of_two_names_is_deleted_first():
    assert read("Ann Lee likes what?", ("Ann", "Ann Lee")).texts == ("likes what?",)


@pytest.mark.parametrize(("text", "parts"), [
    ("Mr. B. likes tea", []), ("I moved here. Where is it?", ["I moved here.", "Where is it?"]), ("茶好喝。咖啡呢？", ["茶好喝。", "咖啡呢？"]),
    ("说茶，另外，说咖啡", ["说茶，", "另外，说咖啡"]), ("Same? Same?", ["Same?"]), ("", []), ("???", []),
])
def test_a_question_of_several_sentences_is_also_asked_sentence_by_sentence(text, parts):
    assert sentences(text) == parts


def test_only_the_last_sentences_of_a_long_question_are_asked_alone():
    asked = sentences(" ".join(f"Number {number}?" for number in range(20)))
    assert asked == [f"Number {number}?" for number in range(20 - MOST_PARTS, 20)]


@pytest.mark.parametrize(("text", "asker"), [
    ("What did you recommend?", "assistant"), ("你上次建议过什么", "assistant"), ("Your advice on tea?", "assistant"), ("What do I drink?", "user"), ("我喝什么", "user"),
])
def test_it_says_whose_words_are_asked_for(text, asker):
    assert read(text).asker == asker


@given(st.lists(st.sampled_from(["Ann", "'s ", "tea", "? ", "。", "小明", " ", "另外，", ".", "May 5", "(", "\\", "*"]), max_size=12).map("".join) | st.text(max_size=30))
def test_whatever_is_asked_has_terms_for_each_text_each_once(text):
    question = read(text)
    assert len(question.texts) == len(question.terms) <= 1 + MOST_PARTS
    assert all(len(set(terms)) == len(terms) for terms in question.terms)
    asked = question.asked([array("f", [1.0])] * len(question.texts))
    assert [each.terms for each in asked] == list(question.terms)


@pytest.mark.parametrize("text", ["Where do I live?", "What is my job?", "我住在哪里？", "我的工作是什么？"])
def test_who_asks_about_himself_is_who_the_question_is_about(text):
    assert Question.read(text, ["Nora", "Ben"], str.split, "Nora").named == {"Nora"}


@pytest.mark.parametrize("text", ["Where does Ben live?", "Where does she live?", "我们住在哪里？", "Is it mined in Peru?"])
def test_who_asks_about_others_is_not(text):
    assert "Nora" not in Question.read(text, ["Nora", "Ben"], str.split, "Nora").named


@pytest.mark.parametrize("speaking", ["用户", "user", ""])
def test_a_role_is_nobody_to_ask_about(speaking):
    assert not Question.read("Where do I live?", [], str.split, speaking).named


def test_the_name_of_who_asks_is_not_deleted_from_what_is_searched_for():
    question = Question.read("Where do I live?", ["Nora"], str.split, "Nora")
    assert question.texts == ("Where do I live?",)
