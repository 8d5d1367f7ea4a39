"""What every SearchIndex keeps to: which documents are candidates, what is said of them, and what never comes back.

A backend is a line of `OPENED`. The laws at the end hold it against a reference that reckons every score by the formula.
"""

import math
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import replace
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chalicelib.errors import Conflict, Malformed, OutOfRange
from chalicelib.mind.documents import Asked, Document, Filter, Removal, Search, Selection, Statistics
from chalicelib.stores.sqlite.connection import Database
from chalicelib.stores.sqlite.index import CACHE_BYTES, SqliteIndex

MODEL, DIMENSION = "model", 4
SCOPE, OTHER = "p/n/body/agent/", "p/n/other/user/ann"
EAST, NORTH, UP = (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0)
NORTHEAST, EASTNORTH, STEEP = (0.6, 0.8, 0, 0), (0.8, 0.6, 0, 0), (0, 0.6, 0.8, 0)


@contextmanager
def embedded(path, cache_bytes=CACHE_BYTES):
    with closing(Database(path / "index.sqlite", lambda: 0.0)) as database:
        yield lambda: SqliteIndex(database, cache_bytes=cache_bytes)


@contextmanager
def embedded_without_room(path):
    with embedded(path, cache_bytes=0) as opened:
        yield opened


OPENED: dict[str, Callable] = {"embedded": embedded, "embedded without room": embedded_without_room}
"""How to open each backend: a context that gives a function, which gives an instance, all over one store."""


@pytest.fixture(params=OPENED)
def opened(request, tmp_path):
    with OPENED[request.param](tmp_path) as instance:
        yield instance


@pytest.fixture
def index(opened):
    made = opened()
    made.claim(MODEL, DIMENSION)
    return made


@pytest.fixture(params=OPENED, scope="module")
def shared(request, tmp_path_factory):
    """An instance for many examples, each in scopes of its own."""
    with OPENED[request.param](tmp_path_factory.mktemp("shared")) as instance:
        made = instance()
        made.claim(MODEL, DIMENSION)
        yield made


def vector(numbers):
    return None if numbers is None else array("f", numbers)


def document(name="a", *, terms=None, pointing=None, said_at=0, **changes):
    given = {"scope": SCOPE, "kind": "turn", "version": 1, "model": MODEL} | changes
    return Document(id=name, terms=terms or {}, vector=vector(pointing), said_at=said_at, **given)


def asked(*terms, pointing=None):
    return Asked(terms, vector(pointing))


def found(index, *texts, scopes=(SCOPE,), kind="turn", limit=200, **chosen):
    return index.search(scopes, Search(texts, (kind,), limit, Filter(**chosen)))[kind]


def names(*answer, **more):
    return {hit.id for hit in found(*answer, **more).hits}


def hits(*answer, **more):
    return {hit.id: hit for hit in found(*answer, **more).hits}


def listed(index, scopes=(SCOPE,), kind="turn", limit=50, **chosen):
    return index.select(scopes, Selection(kind, Filter(**chosen), limit))


class TestWhatIsFound:
    def test_a_document_is_found_by_its_vector(self, index):
        index.apply([document(pointing=EAST)])
        assert hits(index, asked(pointing=NORTHEAST))["a"].cosines == pytest.approx((0.6,))

    def test_a_document_without_a_vector_is_found_by_its_words(self, index):
        index.apply([document(terms={"tea": 2}), document("b", terms={"milk": 1}, pointing=EAST)])
        hit = hits(index, asked("tea", pointing=EAST))["a"]
        assert hit.cosines is None
        assert hit.terms == {"tea": 2}

    def test_a_document_without_words_is_found_by_its_vector_alone(self, index):
        index.apply([document(pointing=EAST)])
        assert names(index, asked("tea")) == set()
        assert names(index, asked("tea", pointing=EAST)) == {"a"}

    def test_a_document_with_neither_is_listed_and_not_found(self, index):
        index.apply([document()])
        assert names(index, asked("tea", pointing=EAST)) == set()
        assert listed(index).ids == ("a",)

    def test_chinese_terms_are_terms(self, index):
        index.apply([document(terms={"喜欢": 1, "绿茶": 3}), document("b", terms={"红茶": 1})])
        answer = found(index, asked("绿茶", "咖啡"))
        assert [(hit.id, hit.terms) for hit in answer.hits] == [("a", {"绿茶": 3})]
        assert answer.statistics.frequency == {"绿茶": 1, "咖啡": 0}

    def test_terms_are_not_analysed_again(self, index):
        index.apply([document("a", terms={"Tea": 1}), document("b", terms={"tea": 1}), document("c", terms={"teas and tea": 1})])
        assert names(index, asked("tea")) == {"b"}

    def test_a_hit_says_all_that_scoring_needs(self, index):
        index.apply([document(
            "turn/c/7", terms={"tea": 2, "green": 1, "like": 1}, pointing=EAST, said_at=1_700_000_000_123, state=2,
            conversation="c", position=7, speaker="Ann", role="user",
        )])
        hit = hits(index, asked("tea", pointing=EAST))["turn/c/7"]
        assert (hit.scope, hit.id, hit.kind, hit.cosines) == (SCOPE, "turn/c/7", "turn", (1.0,))
        assert (hit.terms, hit.length, hit.said_at, hit.state) == ({"tea": 2}, 4, 1_700_000_000_123, 2)
        assert (hit.conversation, hit.position, hit.speaker, hit.role) == ("c", 7, "Ann", "user")

    def test_a_question_without_words_or_vector_finds_nothing(self, index):
        index.apply([document(terms={"tea": 1}, pointing=EAST)])
        assert names(index, asked()) == set()
        assert found(index).statistics == Statistics(1, 1.0, {})

    def test_kinds_are_kept_apart(self, index):
        index.apply([document(terms={"tea": 1}), document("b", kind="memory", terms={"tea": 1}), document("c", kind="passage", terms={"tea": 1})])
        answer = index.search([SCOPE], Search((asked("tea"),), ("memory", "turn")))
        assert {kind: [hit.id for hit in of.hits] for kind, of in answer.items()} == {"memory": ["b"], "turn": ["a"]}
        assert {of.statistics.documents for of in answer.values()} == {1}

    def test_odd_and_very_long_names_are_kept_as_they_are(self, index):
        odd = ["'; DROP TABLE documents; --", "\x00", "a\x00b", "é", "e\u0301", "👩‍👩‍👧", "\U0010ffff", '%/ \n\t\\"', "记" * 2000]
        index.apply([document(name, scope=f"{SCOPE}{name}", terms={name: 1}, labels=frozenset({f"tag:{name}"})) for name in odd])
        for name in odd:
            scopes = [f"{SCOPE}{name}"]
            assert names(index, asked(name), scopes=scopes) == {name}
            assert listed(index, scopes, labels=frozenset({f"tag:{name}"})).ids == (name,)

    def test_half_a_character_is_refused_with_all_that_came_with_it(self, index):
        with pytest.raises(Malformed):
            index.apply([document(), document("\ud800")])
        assert listed(index).total == 0
        assert names(index, asked("tea"), scopes=["\ud800"]) == set()


class TestChannels:
    def test_each_channel_gives_so_many_for_each_text(self, index):
        index.apply([document(f"v{n}", pointing=EAST) for n in range(9)])
        index.apply([document(f"w{n}", terms={"tea": 1}) for n in range(9)])
        index.apply([document(f"n{n}", pointing=NORTH) for n in range(9)])
        assert names(index, asked("tea", pointing=EAST), limit=2) == {"v0", "v1", "w0", "w1"}
        assert names(index, asked("tea", pointing=EAST), asked(pointing=NORTH), limit=2) == {"v0", "v1", "w0", "w1", "n0", "n1"}

    def test_the_best_by_words_are_those_of_rare_words_said_often_in_short_texts(self, index):
        index.apply([document("common", terms={"the": 1, "x": 3}), document("rare", terms={"tea": 1, "x": 3})])
        index.apply([document(f"c{n}", terms={"the": 1, "y": 3}) for n in range(8)])
        index.apply([document("often", terms={"tea": 3, "x": 1}), document("long", terms={"tea": 1, "z": 40})])
        assert names(index, asked("the", "tea"), limit=1) == {"often"}
        assert names(index, asked("the", "tea"), limit=2) == {"often", "rare"}
        assert names(index, asked("the", "tea"), limit=3) == {"often", "rare", "long"}

    def test_the_best_by_vector_are_the_nearest(self, index):
        index.apply([document("far", pointing=UP), document("near", pointing=NORTHEAST), document("nearer", pointing=EASTNORTH)])
        assert names(index, asked(pointing=EAST), limit=1) == {"nearer"}
        assert names(index, asked(pointing=EAST), limit=2) == {"nearer", "near"}

    def test_ties_go_by_id_whatever_the_order_of_arrival(self, index):
        index.apply([document(name, terms={"tea": 1}) for name in "dbeca"])
        index.apply([document(f"v{name}", pointing=EAST) for name in "dbeca"])
        assert names(index, asked("tea", pointing=EAST), limit=3) == {"a", "b", "c", "va", "vb", "vc"}

    def test_equal_vectors_tie_wherever_they_stand(self, index):
        fraction = [math.sin(n) for n in range(DIMENSION)]
        unit = [number / math.hypot(*fraction) for number in fraction]
        index.apply([document(f"{n:03}", pointing=unit) for n in reversed(range(120))])
        assert names(index, asked(pointing=EASTNORTH), limit=50) == {f"{n:03}" for n in range(50)}

    def test_a_hit_of_one_channel_has_the_figures_of_the_other(self, index):
        index.apply([document(f"near{n}", pointing=EAST) for n in range(3)])
        index.apply([document("far", terms={"tea": 1, "green": 2}, pointing=UP), document("no", terms={"tea": 1, "x": 9}, pointing=UP)])
        assert hits(index, asked("tea", pointing=EAST), limit=1)["far"].cosines == (0.0,)
        assert hits(index, asked("x", pointing=UP), asked("green", pointing=UP), limit=1)["far"].terms == {"green": 2}

    def test_a_hit_has_its_cosine_to_every_text(self, index):
        index.apply([document(pointing=NORTHEAST)])
        assert hits(index, asked(pointing=EAST), asked(pointing=NORTH), asked(pointing=UP))["a"].cosines == pytest.approx((0.6, 0.8, 0.0))

    def test_a_hit_has_the_counts_of_the_terms_of_every_text(self, index):
        index.apply([document(terms={"tea": 1, "green": 2, "cup": 3})])
        assert hits(index, asked("tea"), asked("green", "tea", "milk"))["a"].terms == {"tea": 1, "green": 2}

    def test_where_one_text_has_no_vector_no_hit_has_cosines(self, index):
        index.apply([document(pointing=EAST)])
        answer = found(index, asked("tea"), asked(pointing=EAST))
        assert [(hit.id, hit.cosines) for hit in answer.hits] == [("a", None)]
        assert answer.background is None


class TestStatistics:
    def test_they_are_exact(self, index):
        index.apply([document("a", terms={"tea": 5, "x": 1}), document("b", terms={"tea": 1}), document("c", pointing=EAST)])
        assert found(index, asked("tea", "x"), asked("milk")).statistics == Statistics(3, 7 / 3, {"tea": 2, "x": 1, "milk": 0})

    def test_they_count_what_passes_the_filter(self, index):
        index.apply([document("a", terms={"tea": 4}), document("b", terms={"tea": 1}, state=3)])
        assert found(index, asked("tea"), states=frozenset({1, 2})).statistics == Statistics(1, 4.0, {"tea": 1})

    def test_the_background_is_the_cosine_to_the_mean_vector_as_it_is(self, index):
        index.apply([document("a", pointing=EAST), document("b", pointing=NORTHEAST), document("c", terms={"tea": 1})])
        assert found(index, asked(pointing=EAST), asked(pointing=NORTH)).background == pytest.approx((0.8, 0.4))

    def test_the_background_is_of_what_passes_the_filter_and_of_one_kind(self, index):
        index.apply([document("a", pointing=EAST), document("b", pointing=UP, state=4), document("c", pointing=UP, kind="memory")])
        assert found(index, asked(pointing=EAST), states=frozenset({1})).background == pytest.approx((1.0,))

    def test_without_vectors_there_is_no_background(self, index):
        index.apply([document(terms={"tea": 1})])
        assert found(index, asked("tea", pointing=EAST)).background is None
        index.apply([document("b", pointing=EAST)])
        assert found(index, asked("tea")).background is None

    def test_an_empty_scope_has_nothing(self, index):
        answer = found(index, asked("tea", pointing=EAST))
        assert (answer.hits, answer.statistics, answer.background) == ((), Statistics(0, 0.0, {"tea": 0}), None)
        assert listed(index).total == 0
        assert index.facets([SCOPE], "turn") == {"total": 0}

    def test_no_scope_at_all_has_nothing(self, index):
        index.apply([document(terms={"tea": 1})])
        assert found(index, asked("tea"), scopes=()).statistics == Statistics(0, 0.0, {"tea": 0})


class TestScopes:
    def test_what_is_in_other_scopes_is_not_found_or_counted(self, index):
        index.apply([document(terms={"tea": 1}, pointing=EAST)])
        before = found(index, asked("tea", pointing=EAST))
        index.apply([document(f"{n}", scope=OTHER, terms={"tea": 9, "x": 9}, pointing=NORTHEAST) for n in range(20)])
        index.apply([document(scope=f"{SCOPE}x", terms={"tea": 9}), document(scope=SCOPE[:-1], terms={"tea": 9})])
        assert found(index, asked("tea", pointing=EAST)) == before
        assert listed(index).total == 1
        assert index.facets([SCOPE], "turn") == {"total": 1, "state:1": 1}

    def test_several_scopes_are_searched_as_if_they_were_one(self, index):
        index.apply([document("a", terms={"tea": 2}, pointing=EAST), document("c", terms={"tea": 1}, pointing=NORTH)])
        index.apply([document("b", scope=OTHER, terms={"tea": 3}, pointing=EASTNORTH)])
        answer = found(index, asked("tea", pointing=EAST), scopes=(OTHER, SCOPE), limit=2)
        assert {(hit.scope, hit.id) for hit in answer.hits} == {(SCOPE, "a"), (OTHER, "b")}
        assert answer.statistics == Statistics(3, 2.0, {"tea": 3})
        assert answer.background == pytest.approx((0.6,))

    def test_a_scope_named_twice_counts_once(self, index):
        index.apply([document(terms={"tea": 1})])
        assert found(index, asked("tea"), scopes=(SCOPE, SCOPE)).statistics.documents == 1
        assert listed(index, (SCOPE, SCOPE)).total == 1

    def test_one_id_in_two_scopes_is_two_documents(self, index):
        index.apply([document(terms={"tea": 1}), document(scope=OTHER, terms={"tea": 2})])
        index.apply([Removal(SCOPE, "a", 2)])
        answer = found(index, asked("tea"), scopes=(SCOPE, OTHER))
        assert [(hit.scope, hit.terms) for hit in answer.hits] == [(OTHER, {"tea": 2})]

    def test_hits_come_in_one_order_whatever_the_order_of_the_scopes(self, index):
        index.apply([document(name, scope=scope, terms={"tea": 1}) for name in "ba" for scope in (OTHER, SCOPE)])
        assert found(index, asked("tea"), scopes=(SCOPE, OTHER), limit=3) == found(index, asked("tea"), scopes=(OTHER, SCOPE), limit=3)


class TestFilters:
    def test_states(self, index):
        index.apply([document(f"{state}", state=state, terms={"tea": 1}, pointing=EAST) for state in (1, 2, 3, 4)])
        assert names(index, asked("tea", pointing=EAST), states=frozenset({2, 4})) == {"2", "4"}
        assert names(index, asked("tea", pointing=EAST), states=frozenset()) == set()
        assert names(index, asked("tea", pointing=EAST)) == {"1", "2", "3", "4"}

    def test_labels_must_all_be_there(self, index):
        held = {"both": {"tag:a", "tag:b"}, "one": {"tag:a"}, "none": set(), "more": {"tag:a", "tag:b", "meta:k=v"}}
        index.apply([document(name, labels=frozenset(labels), terms={"tea": 1}) for name, labels in held.items()])
        assert names(index, asked("tea"), labels=frozenset({"tag:a", "tag:b"})) == {"both", "more"}
        assert names(index, asked("tea"), labels=frozenset({"tag:a", "tag:unknown"})) == set()
        assert names(index, asked("tea"), labels=frozenset({"tag:A"})) == set()

    def test_since_and_until_include_their_moments(self, index):
        index.apply([document(f"{n}", said_at=n, terms={"tea": 1}) for n in range(-2, 3)])
        assert names(index, asked("tea"), since=-1, until=1) == {"-1", "0", "1"}
        assert names(index, asked("tea"), since=2) == {"2"}
        assert names(index, asked("tea"), until=-2) == {"-2"}

    def test_what_expires_at_that_time_or_before_is_gone(self, index):
        index.apply([document(f"{end}", expires_at=end, terms={"tea": 1}) for end in (99, 100, 101, None)])
        assert names(index, asked("tea"), at=100) == {"101", "None"}
        assert names(index, asked("tea")) == {"99", "100", "101", "None"}

    def test_what_has_expired_is_counted_nowhere(self, index):
        index.apply([document("a", terms={"tea": 1}, pointing=EAST), document("b", terms={"tea": 3}, pointing=UP, expires_at=5)])
        answer = found(index, asked("tea", pointing=EAST), at=5)
        assert (answer.statistics, answer.background) == (Statistics(1, 1.0, {"tea": 1}), (1.0,))
        assert listed(index, at=5).total == 1

    def test_one_valid_document_is_found_behind_hundreds_that_are_filtered_out(self, index):
        index.apply([document(f"a{n:03}", state=3, terms={"tea": 5}, pointing=EAST) for n in range(300)])
        index.apply([document("z", terms={"tea": 1, "x": 50}, pointing=NORTHEAST)])
        assert names(index, asked("tea"), limit=1, states=frozenset({1})) == {"z"}
        assert names(index, asked(pointing=EAST), limit=1, states=frozenset({1})) == {"z"}


class TestVersions:
    def test_a_newer_version_takes_the_place_of_the_older(self, index):
        index.apply([document(terms={"tea": 1}, pointing=EAST, labels=frozenset({"tag:x"}))])
        index.apply([document(version=2, terms={"milk": 1}, state=2)])
        assert names(index, asked("tea", pointing=EAST)) == set()
        answer = found(index, asked("milk", "tea", pointing=EAST))
        assert [(hit.id, hit.cosines, hit.state) for hit in answer.hits] == [("a", None, 2)]
        assert answer.statistics == Statistics(1, 1.0, {"milk": 1, "tea": 0})
        assert index.facets([SCOPE], "turn") == {"total": 1, "state:2": 1}

    @pytest.mark.parametrize("version", [1, 2])
    def test_a_late_or_repeated_version_changes_nothing(self, index, version):
        index.apply([document(version=2, terms={"tea": 1})])
        index.apply([document(version=version, terms={"milk": 1}), Removal(SCOPE, "a", version)])
        assert names(index, asked("tea")) == {"a"}
        assert names(index, asked("milk")) == set()

    def test_what_is_removed_is_gone(self, index):
        index.apply([document(terms={"tea": 1}, pointing=EAST, labels=frozenset({"tag:x"}))])
        index.apply([Removal(SCOPE, "a", 2)])
        answer = found(index, asked("tea", pointing=EAST))
        assert (answer.hits, answer.statistics.documents, answer.background) == ((), 0, None)
        assert listed(index).ids == ()
        assert index.facets([SCOPE], "turn") == {"total": 0}

    @pytest.mark.parametrize("version", [1, 4, 5])
    def test_a_late_version_does_not_bring_back_what_was_removed(self, opened, index, version):
        index.apply([document(version=4, terms={"tea": 1})])
        index.apply([Removal(SCOPE, "a", 5)])
        index.apply([document(version=version, terms={"tea": 1})])
        assert listed(index).total == 0
        assert listed(opened()).total == 0

    def test_a_removal_counts_even_if_it_comes_first(self, index):
        index.apply([Removal(SCOPE, "a", 2)])
        index.apply([document(version=1)])
        assert listed(index).total == 0

    def test_a_version_above_the_removal_comes_back(self, index):
        index.apply([document(), Removal(SCOPE, "a", 2), document(version=3, terms={"tea": 1})])
        assert names(index, asked("tea")) == {"a"}

    def test_of_several_changes_in_one_call_the_highest_version_stays(self, index):
        index.apply([document(version=2, terms={"two": 1}), document(version=3, terms={"three": 1}), document(terms={"one": 1})])
        index.apply([document("b", terms={"first": 1}), document("b", terms={"second": 1})])
        assert hits(index, asked("one", "two", "three", "first", "second")).keys() == {"a", "b"}
        assert names(index, asked("three")) == {"a"}
        assert names(index, asked("first")) == {"b"}

    def test_a_document_may_become_of_another_kind(self, index):
        index.apply([document(terms={"tea": 1})])
        assert listed(index).total == 1
        index.apply([document(version=2, kind="memory", terms={"tea": 1})])
        assert (listed(index).total, listed(index, kind="memory").total) == (0, 1)

    def test_a_document_written_again_and_again_is_there_once(self, index):
        for version in range(1, 80):
            index.apply([document(f"{n}", version=version, terms={"tea": version}, pointing=EAST) for n in range(5)])
            assert found(index, asked("tea", pointing=EAST)).statistics == Statistics(5, version, {"tea": 5})
        assert {hit.terms["tea"] for hit in found(index, asked("tea")).hits} == {79}

    def test_versions_go_as_high_as_a_removal_needs(self, index):
        index.apply([document(), Removal(SCOPE, "a", 2**53), document(version=2**53)])
        assert listed(index).total == 0

    def test_nothing_to_do_is_done(self, index):
        index.apply([])
        assert listed(index).total == 0


class TestInstances:
    def test_an_instance_opened_later_sees_the_same(self, opened, index):
        index.apply([document(f"{n:02}", terms={"tea": n + 1, f"t{n}": 1}, pointing=(EAST, NORTH, UP)[n % 3], said_at=n) for n in range(40)])
        index.apply([Removal(SCOPE, "07", 2), document("08", version=2, terms={"milk": 1})])
        question = asked("tea", "t9", pointing=NORTHEAST)
        assert found(opened(), question, limit=7) == found(index, question, limit=7)
        assert listed(opened()) == listed(index)

    def test_each_instance_sees_what_another_writes(self, opened, index):
        other = opened()
        for version in (1, 2, 3):
            writer, reader = (index, other) if version % 2 else (other, index)
            writer.apply([document(version=version, terms={f"v{version}": 1}), document(f"b{version}")])
            assert names(reader, asked(f"v{version}")) == {"a"}
            assert listed(reader).total == version + 1
        other.apply([Removal(SCOPE, "a", 4)])
        assert names(index, asked("v3")) == set()

    def test_many_threads_write_and_search_at_once(self, index):
        def write(thread):
            scopes = (SCOPE, OTHER) if thread % 2 else (OTHER, SCOPE)
            for n in range(8):
                index.apply([document(f"{thread}/{n}", terms={"tea": 1}, pointing=EAST), document("all", version=thread * 10 + n)])
                assert f"{thread}/{n}" in names(index, asked("tea", pointing=EAST), scopes=scopes)

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(write, range(1, 9)))
        assert listed(index).total == 65
        assert found(index, asked("tea")).statistics.frequency == {"tea": 64}


class TestClaim:
    def test_the_same_claim_may_be_repeated(self, opened, index):
        index.apply([document(pointing=EAST)])
        opened().claim(MODEL, DIMENSION)

    @pytest.mark.parametrize("other", [("another", DIMENSION), (MODEL, 8)])
    def test_another_claim_is_refused_where_vectors_are(self, opened, index, other):
        index.apply([document(pointing=EAST)])
        with pytest.raises(Conflict, match=MODEL):
            opened().claim(*other)
        index.apply([document("b", pointing=EAST)])
        assert names(index, asked(pointing=EAST)) == {"a", "b"}

    def test_another_claim_is_taken_where_no_vector_is(self, index):
        index.apply([document("a", pointing=EAST), document("b", terms={"tea": 1})])
        names(index, asked(pointing=EAST))
        index.apply([Removal(SCOPE, "a", 2)])
        index.claim("another", 2)
        index.apply([document("c", pointing=(0.6, 0.8), model="another")])
        assert hits(index, asked(pointing=(1, 0)))["c"].cosines == pytest.approx((0.6,))

    @pytest.mark.parametrize("strange", [document("b", pointing=EAST, model="another"), document("b", pointing=(1, 0))])
    def test_a_vector_that_was_not_claimed_is_refused_with_all_that_came_with_it(self, index, strange):
        with pytest.raises(Conflict):
            index.apply([document(), strange, document("c")])
        assert listed(index).total == 0

    def test_a_vector_before_any_claim_is_refused(self, opened):
        index = opened()
        with pytest.raises(Conflict):
            index.apply([document(pointing=EAST)])
        index.apply([document()])
        assert listed(index).total == 1

    def test_a_document_without_a_vector_may_name_any_model(self, index):
        index.apply([document(model="another")])
        assert listed(index).total == 1

    def test_a_question_of_another_dimension_is_refused(self, index):
        index.apply([document(pointing=EAST)])
        with pytest.raises(Conflict):
            found(index, asked(pointing=(1, 0)))


class TestLists:
    def test_the_newest_come_first_and_of_those_the_last_by_id(self, index):
        index.apply([document(name, said_at=said_at) for name, said_at in [("b", 5), ("a", 5), ("d", 9), ("c", -1)]])
        assert listed(index).ids == ("d", "b", "a", "c")

    @pytest.mark.parametrize("limit", [1, 3, 4, 7])
    def test_pages_give_each_document_once_and_the_same_total(self, index, limit):
        index.apply([document(f"{n:02}", scope=(SCOPE, OTHER)[n % 2], said_at=n // 5) for n in range(23)])
        index.apply([document("kept out", said_at=2, state=4), document("twin", said_at=2), document("twin", said_at=2, scope=OTHER)])
        chosen, pages, cursor = Filter(states=frozenset({1})), [], None
        while not pages or cursor is not None:
            page = index.select([SCOPE, OTHER], Selection("turn", chosen, limit, cursor))
            assert page.total == 25
            pages.append(page.ids)
            cursor = page.cursor
        assert {len(page) for page in pages[:-1]} <= {limit}
        assert 0 < len(pages[-1]) <= limit
        ids = [name for page in pages for name in page]
        assert ids == list(listed(index, (SCOPE, OTHER), states=frozenset({1})).ids)
        assert Counter(ids) == Counter([f"{n:02}" for n in range(23)] + ["twin", "twin"])

    def test_a_page_goes_on_where_the_last_one_ended_though_newer_ones_have_come(self, index):
        index.apply([document(f"{n}", said_at=n) for n in range(4)])
        first = listed(index, limit=2)
        index.apply([document("9", said_at=9), Removal(SCOPE, "2", 2)])
        assert index.select([SCOPE], Selection("turn", limit=2, after=first.cursor)).ids == ("1", "0")

    def test_the_filter_holds_for_lists(self, index):
        index.apply([document(f"{n}", said_at=n, state=n % 2 + 1, labels=frozenset({f"tag:{n % 3}"}), expires_at=n + 4) for n in range(12)])
        selected = listed(index, states=frozenset({1}), since=2, until=10, at=8, labels=frozenset({"tag:0"}))
        assert (selected.ids, selected.total, selected.cursor) == (("6",), 1, None)

    @pytest.mark.parametrize("cursor", ["", "x", "[", "1 2", "9" * 400, "1.5 0 a", "١ 0 a", "[" * 10_000])
    def test_a_malformed_cursor_is_refused(self, index, cursor):
        index.apply([document()])
        with pytest.raises(OutOfRange) as refusal:
            index.select([SCOPE], Selection("turn", after=cursor))
        assert refusal.value.field == "cursor"

    def test_facets_count_states_and_labels(self, index):
        index.apply([document("a", labels=frozenset({"tag:x", "category:fact"})), document("b", labels=frozenset({"tag:x"}), state=3)])
        index.apply([document("c", scope=OTHER, labels=frozenset({"tag:x"}), expires_at=1), document("d", kind="memory", labels=frozenset({"tag:x"}))])
        assert index.facets([SCOPE], "turn") == {"total": 2, "state:1": 1, "state:3": 1, "tag:x": 2, "category:fact": 1}
        assert index.facets([SCOPE, OTHER], "turn") == {"total": 3, "state:1": 2, "state:3": 1, "tag:x": 3, "category:fact": 1}

    @pytest.mark.parametrize("limit", [0, -1])
    def test_to_ask_for_nothing_is_a_mistake(self, index, limit):
        with pytest.raises(ValueError, match="at least one"):
            index.select([SCOPE], Selection("turn", limit=limit))
        with pytest.raises(ValueError, match="at least one"):
            found(index, asked("tea"), limit=limit)


NUMBERS = count()
SCOPES = st.sampled_from(["one", "two", "three"])
NAMES, TERMS = st.sampled_from("abcdefgh"), st.sampled_from(["tea", "茶", "green", "cup"])
POINTING = st.sampled_from([None, EAST, NORTH, UP, NORTHEAST, EASTNORTH, STEEP])
MOMENTS, STATES = st.integers(0, 4), st.integers(1, 4)
LABELS = st.frozensets(st.sampled_from(["tag:x", "tag:y"]))
DOCUMENTS = st.builds(
    document, NAMES, scope=SCOPES, kind=st.sampled_from(["turn", "memory"]), version=st.integers(1, 5),
    terms=st.dictionaries(TERMS, st.integers(1, 3)), pointing=POINTING, said_at=MOMENTS, state=STATES, labels=LABELS,
    expires_at=st.none() | MOMENTS,
)
REMOVALS = st.builds(Removal, SCOPES, NAMES, st.integers(1, 5))
CALLS = st.lists(st.lists(st.one_of(DOCUMENTS, DOCUMENTS, DOCUMENTS, REMOVALS), max_size=6), max_size=8)
FILTERS = st.builds(
    Filter, states=st.frozensets(STATES, min_size=2), labels=LABELS, since=st.none() | MOMENTS, until=st.none() | MOMENTS,
    at=st.none() | MOMENTS,
)
TEXTS = st.lists(st.builds(Asked, st.lists(TERMS, unique=True).map(tuple), POINTING.map(vector)), max_size=3).map(tuple)
SEARCHES = st.builds(Search, TEXTS, st.just(("turn", "memory")), st.integers(1, 4), FILTERS)
ASKED_SCOPES = st.lists(SCOPES, max_size=3)


def placed(scope, example):
    return f"{scope}/{example}"


def applied(index, calls, example):
    """Apply the calls in scopes of this example; what is there by then, as a plain dictionary knows it."""
    model = {}
    for call in calls:
        changes = [replace(change, scope=placed(change.scope, example)) for change in call]
        index.apply(changes)
        for change in changes:
            key = change.scope, change.id
            if key not in model or model[key].version < change.version:
                model[key] = change
    return [change for change in model.values() if isinstance(change, Document)]


def passing(documents, scopes, kind, chosen):
    return [
        one for one in documents
        if one.scope in scopes and one.kind == kind and one.state in chosen.states and chosen.labels <= one.labels
        and (chosen.since is None or one.said_at >= chosen.since) and (chosen.until is None or one.said_at <= chosen.until)
        and (chosen.at is None or one.expires_at is None or one.expires_at > chosen.at)
    ]


def cosine(one, text):
    return sum(map(float.__mul__, map(float, one.vector), map(float, text.vector)))


def bm25(one, text, statistics):
    score = 0.0
    for term in text.terms:
        if times := one.terms.get(term, 0):
            holding = statistics.frequency[term]
            idf = math.log(1 + (statistics.documents - holding + 0.5) / (holding + 0.5))
            score += idf * (times * 2.2) / (times + 1.2 * (1 - 0.75 + 0.75 * one.length / statistics.average_length))
    return score


def reference(documents, texts):
    """Statistics and background, reckoned one document at a time."""
    terms = {term for text in texts for term in text.terms}
    length = sum(one.length for one in documents) / len(documents) if documents else 0.0
    statistics = Statistics(len(documents), length, {term: sum(term in one.terms for one in documents) for term in terms})
    vectored = [one for one in documents if one.vector]
    complete = bool(texts) and all(text.vector for text in texts)
    background = [sum(cosine(one, text) for one in vectored) / len(vectored) for text in texts] if vectored and complete else None
    return statistics, background, complete


def top(scored, limit):
    return {(one.scope, one.id) for one, _ in sorted(scored, key=lambda pair: (-pair[1], pair[0].id, pair[0].scope))[:limit]}


def expected(documents, texts, statistics, limit):
    """Scope and id of the candidates, each text's best by either formula."""
    chosen = set()
    for text in texts:
        if text.vector:
            chosen |= top([(one, cosine(one, text)) for one in documents if one.vector], limit)
        chosen |= top([(one, score) for one in documents if (score := bm25(one, text, statistics))], limit)
    return chosen


class TestLaws:
    @settings(deadline=None, max_examples=60)
    @given(calls=CALLS, scopes=ASKED_SCOPES, search=SEARCHES)
    def test_a_search_finds_what_the_formulas_say(self, shared, calls, scopes, search):
        example = next(NUMBERS)
        documents = applied(shared, calls, example)
        asked_scopes = [placed(scope, example) for scope in scopes]
        for kind, answer in shared.search(asked_scopes, search).items():
            there = passing(documents, asked_scopes, kind, search.filter)
            statistics, background, complete = reference(there, search.texts)
            assert answer.statistics == statistics
            assert answer.background == (pytest.approx(background) if background else None)
            assert {(hit.scope, hit.id) for hit in answer.hits} == expected(there, search.texts, statistics, search.limit)
            originals = {(one.scope, one.id): one for one in there}
            for hit in answer.hits:
                one = originals[hit.scope, hit.id]
                assert hit.cosines == (pytest.approx(tuple(cosine(one, text) for text in search.texts)) if one.vector and complete else None)
                assert hit.terms == {term: one.terms[term] for term in statistics.frequency if term in one.terms}
                assert (hit.length, hit.said_at, hit.state) == (one.length, one.said_at, one.state)

    @settings(deadline=None, max_examples=60)
    @given(calls=CALLS, scopes=ASKED_SCOPES, chosen=FILTERS)
    def test_any_order_of_changes_leaves_what_has_the_highest_version(self, shared, calls, scopes, chosen):
        example = next(NUMBERS)
        documents = applied(shared, calls, example)
        asked_scopes = [placed(scope, example) for scope in scopes]
        there = passing(documents, asked_scopes, "turn", chosen)
        in_order = sorted(there, key=lambda one: (one.said_at, one.id, one.scope), reverse=True)
        assert shared.select(asked_scopes, Selection("turn", chosen)).ids == tuple(one.id for one in in_order)
        counts = defaultdict(int, total=0)
        for one in passing(documents, asked_scopes, "turn", Filter()):
            for name in ("total", f"state:{one.state}", *one.labels):
                counts[name] += 1
        assert shared.facets(asked_scopes, "turn") == counts

    @settings(deadline=None, max_examples=40)
    @given(calls=CALLS, more=CALLS, search=SEARCHES)
    def test_what_happens_in_other_scopes_changes_nothing(self, shared, calls, more, search):
        example = next(NUMBERS)
        applied(shared, calls, example)
        scopes = [placed(scope, example) for scope in ("one", "two")]
        before = shared.search(scopes, search), shared.facets(scopes, "turn")
        elsewhere = [[replace(change, scope="three") for change in call] for call in more]
        applied(shared, elsewhere, example)
        applied(shared, more, next(NUMBERS))
        assert (shared.search(scopes, search), shared.facets(scopes, "turn")) == before
