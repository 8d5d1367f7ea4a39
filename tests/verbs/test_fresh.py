"""The fresh tail: what is not projected yet is answered for as the index would."""

from dataclasses import replace
from datetime import timedelta

import pytest

from chalicelib.fresh import FreshTail, Tail, counted, merged
from chalicelib.mind.documents import Asked, Filter, Found, Search, Statistics
from chalicelib.mind.times import milliseconds
from chalicelib.mind.turns import Said

EMPTY = Found((), Statistics(0, 1.0, {}), None)


def asked(mind, *texts):
    return tuple(Asked(tuple(dict.fromkeys(mind.analyser.terms(text))), mind.embedder.vector(text)) for text in texts)


def tail(mind, texts, chosen=None):
    return FreshTail(mind.table, mind.analyser)([mind.scope], texts, chosen or Filter())


def told(mind):
    mind.say("Note Ann likes green tea", "green green grass", Said("assistant", "Bob", "tea it is"), "nothing of it")


def simple(hit):
    return replace(hit, cosines=None, terms={term: count for term, count in hit.terms.items() if count})


def test_the_tail_answers_as_the_index_will(mind, down):
    """The same hits and the same statistics, before projection and after it."""
    told(replace(mind, index=down))
    texts = asked(mind, "green tea", "Bob")
    before = {kind: merged(kind, EMPTY, tail(mind, texts)) for kind in ("turn", "memory")}
    mind.sweep()
    after = mind.index.search([mind.scope.partition], Search(texts, ("turn", "memory")))
    for kind, found in after.items():
        by_id = {hit.id: simple(hit) for hit in before[kind].hits}
        assert {hit.id: by_id[hit.id] for hit in found.hits} == {hit.id: simple(hit) for hit in found.hits}
        assert before[kind].statistics.documents == found.statistics.documents
        assert before[kind].statistics.average_length == pytest.approx(found.statistics.average_length)
        terms = {term for text in texts for term in text.terms}
        assert {term: before[kind].statistics.frequency.get(term, 0) for term in terms} == {term: found.statistics.frequency.get(term, 0) for term in terms}


def test_vectors_that_were_kept_give_the_cosines_of_the_index(mind, down):
    told(replace(mind, graph=down))
    texts = asked(mind, "green tea")
    fresh = {hit.id: hit.cosines for hit in tail(mind, texts).hits}
    for found in mind.index.search([mind.scope.partition], Search(texts, ("turn", "memory"))).values():
        for hit in found.hits:
            assert fresh[hit.id] == pytest.approx(hit.cosines, abs=1e-6)


def test_where_nothing_is_pending_the_index_has_the_word(mind):
    told(mind)
    assert tail(mind, asked(mind, "tea")) == Tail()
    [found] = mind.index.search([mind.scope.partition], Search(asked(mind, "tea"), ("turn",))).values()
    assert merged("turn", found, Tail()) == found


def test_what_is_deleted_is_not_found_though_the_index_still_knows_it(mind):
    from_index = Found((), Statistics(1, 2.0, {"tea": 1}), (0.1,))
    told(mind)
    [found] = mind.index.search([mind.scope.partition], Search(asked(mind, "tea"), ("turn",))).values()
    gone = Tail((), frozenset((hit.scope, hit.id) for hit in found.hits))
    assert merged("turn", found, gone).hits == ()
    assert merged("turn", from_index, gone).statistics == from_index.statistics


def test_a_record_that_both_know_is_there_once_and_as_the_table_has_it(mind, down):
    told(mind)
    replace(mind, index=down).say("Note Ann likes green tea")
    texts = asked(mind, "green tea")
    found = mind.index.search([mind.scope.partition], Search(texts, ("memory",)))["memory"]
    both = merged("memory", found, tail(mind, texts))
    assert [hit.id for hit in both.hits] == [hit.id for hit in found.hits]
    assert both.statistics == found.statistics


def test_the_tail_is_filtered_by_time_and_state(mind, down):
    hurt = replace(mind, index=down)
    hurt.say(Said("user", "", "early tea", mind.now() - timedelta(days=2)), "late tea")
    cut = Filter(until=milliseconds(mind.now() - timedelta(days=1)))
    assert [hit.position for hit in tail(mind, asked(mind, "tea"), cut).hits] == [0]
    assert [hit.position for hit in tail(mind, asked(mind, "tea"), Filter(since=cut.until)).hits] == [1]
    assert tail(mind, asked(mind, "tea"), Filter(states=frozenset({4}))).hits == ()


def test_statistics_that_lag_never_hold_a_term_more_often_than_there_are_documents(mind, down):
    told(replace(mind, index=down))
    hits = [hit for hit in tail(mind, asked(mind, "tea")).hits if hit.kind == "turn"]
    grown = counted(Statistics(3, 2.0, {"tea": 9}), hits, 1)
    assert grown.documents == 3 + len(hits) - 1
    assert grown.frequency["tea"] == grown.documents
