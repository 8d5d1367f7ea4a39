"""Names of people and places, with a tagger that is there, absent, or a fake."""

from datetime import UTC, datetime

from chalicelib.language.rules import names
from chalicelib.language.rules.extractor import MOST_TAGGED, RuleExtractor
from chalicelib.language.rules.tagging import LacTagger
from chalicelib.mind.statements import Entity
from chalicelib.mind.turns import Turn

NOW = datetime(2024, 5, 15, tzinfo=UTC)


class Counting:
    """A tagger that knows one name and counts its calls."""

    def __init__(self):
        self.seen = []

    def tagged(self, text):
        self.seen.append(text)
        return (("王芳", "PER"),) if "王芳" in text else ()


def extracted(content, tagger):
    return RuleExtractor(tagger).extract([Turn("talk", 0, "user", "", content, NOW, NOW)])


def test_tagged_names_become_entities():
    (found,) = extracted("季报由王芳负责", Counting())
    assert found.entities == (Entity("王芳", "person"),)


def test_only_sentences_that_state_something_are_tagged():
    tagger = Counting()
    extracted("天气不错。你好吗？我喜欢茶。" * 3, tagger)
    assert tagger.seen == ["用户喜欢茶"]


def test_a_long_turn_is_tagged_in_part():
    tagger = Counting()
    extracted("。".join(f"我喜欢{fruit}" for fruit in "桃杏李梅枣梨瓜橙柚柑橘莓"), tagger)
    assert len(tagger.seen) <= MOST_TAGGED


def test_nothing_is_loaded_for_latin_text():
    tagger = LacTagger()
    assert tagger.tagged("I love tea") == ()
    assert not tagger.missing


def test_a_place_and_what_ends_its_name_are_one_name():
    words = (("杭州", "LOC"), ("师范大学", "n"), ("在", "p"), ("西湖", "LOC"), ("区", "n"))
    assert names.chinese("", words) == [Entity("杭州师范大学", "organisation"), Entity("西湖区", "place")]


def test_english_names_are_runs_of_capitals():
    found = names.english("Ida met Tom Baker at Leiden University in Ghent.", "Ida")
    assert found == [Entity("Ida", ""), Entity("Tom Baker", ""), Entity("Leiden University", "organisation"), Entity("Ghent", "place")]


def test_the_capital_of_a_first_word_is_no_name():
    assert names.english("Staying calm helps.") == []
