"""The law of polarity that both languages share."""

import re

import pytest

from chalicelib.language.rules import reading_en, reading_zh
from chalicelib.language.rules.findings import Predicate, Subject, polarised

ADA = Subject("Ada", "Ada", self_=True)


def predicate(**more):
    return Predicate(re.compile("likes"), "preference_likes", str, **more)


@pytest.mark.parametrize("dated", [True, False])
def test_a_predicate_turned_into_its_opposite_tells_of_a_day_as_much_as_it_did(dated):
    found = polarised(predicate(opposite="preference_dislikes", dated=dated), ADA, "tea", "", negated=True, ended=False)
    assert (found.attribute, found.sense, found.dated) == ("preference_dislikes", "assertion", dated)


def test_a_negated_predicate_that_can_not_be_denied_says_nothing():
    assert polarised(predicate(deniable=False), ADA, "tea", "", negated=True, ended=False) is None


def test_an_ending_goes_before_a_negation():
    assert polarised(predicate(), ADA, "tea", "", negated=True, ended=True).sense == "ending"


def test_both_languages_obey_the_same_law():
    assert reading_en.polarised is reading_zh.polarised
