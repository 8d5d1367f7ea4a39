"""The ranking law: what its scores promise whatever the candidates are, and small cases reckoned by hand."""

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.mind.documents import Hit, Statistics
from chalicelib.mind.questions import AskedDate, Question, date_in
from chalicelib.mind.ranking import FLOOR, Calibration, bases, neighbours_wanted, ranked, relevances, settled

CALIBRATION = Calibration(floor=0.75, ceiling=0.92)
SCALE = Statistics(documents=10, average_length=10.0, frequency={"tea": 1, "green": 4})
SPEAKERS = ("", "Ann", "Ben")


def relevance(*case):
    """The relevance of the best hit, 0 if there is none."""
    return max(relevances(*case), default=0.0)


def words(text):
    return [word.strip("?,.!'").lower() for word in text.split() if word.strip("?,.!'")]


def read(text):
    return Question.read(text, SPEAKERS, words)


def hit(position, cosines=(0.75,), *, conversation="c", scope="s", terms=None, **changes):
    return Hit(
        scope, changes.pop("id", f"{conversation}/{position:03}"), "turn", cosines, terms or {}, changes.pop("length", 10),
        changes.pop("said_at", 0), 1, conversation, position, changes.pop("speaker", ""), changes.pop("role", "tool"),
    )


def milliseconds(*day):
    return round(datetime(*day, 12, tzinfo=UTC).timestamp() * 1000)


def scores(question, hits, statistics=SCALE):
    return {(item.hit.scope, item.hit.id): item.score for item in ranked(question, hits, statistics, CALIBRATION)}


def reasons(question, hits, statistics=SCALE):
    return {item.hit.id: item.reasons for item in ranked(question, hits, statistics, CALIBRATION)}


QUESTIONS = st.sampled_from([
    "green tea?", "What did Ann say on 5 June 2023?", "green? Ann? tea on Monday?", "What did you recommend in May?", "?",
]).map(read)


@st.composite
def asked(draw):
    """A question with candidates, some of them without vectors, each place taken once."""
    question = draw(QUESTIONS)
    cosine = st.floats(-1, 1, width=32)
    vectors = st.one_of(st.none(), st.tuples(*[cosine] * len(question.texts)))
    places = draw(st.lists(st.tuples(st.sampled_from("st"), st.sampled_from("cde"), st.integers(0, 9)), unique=True))
    return question, [
        hit(
            position, draw(vectors), scope=scope, conversation=conversation, length=draw(st.integers(0, 99)),
            terms=draw(st.dictionaries(st.sampled_from(["green", "tea", "monday", "other"]), st.integers(0, 9))),
            speaker=draw(st.sampled_from(SPEAKERS)), role=draw(st.sampled_from(["user", "assistant"])),
            said_at=draw(st.integers(0, 2 * 10**12)),
        )
        for scope, conversation, position in places
    ]


STATISTICS = st.one_of(
    st.none(),
    st.builds(Statistics, st.integers(0, 99), st.floats(0, 99), st.dictionaries(st.sampled_from(["green", "tea"]), st.integers(0, 120))),
)


class TestWhateverTheCandidatesAre:
    @given(asked(), STATISTICS, st.randoms(use_true_random=False))
    def test_the_order_in_which_candidates_come_changes_nothing(self, case, statistics, chance):
        question, hits = case
        shuffled = chance.sample(hits, len(hits))
        assert scores(question, hits, statistics) == pytest.approx(scores(question, shuffled, statistics), abs=2e-4)

    @given(asked(), STATISTICS)
    def test_the_same_question_twice_has_the_same_answer(self, case, statistics):
        question, hits = case
        assert ranked(question, hits, statistics, CALIBRATION) == ranked(question, list(hits), statistics, CALIBRATION)

    @given(asked(), STATISTICS)
    def test_every_candidate_comes_back_once_best_first_ties_by_id(self, case, statistics):
        question, hits = case
        found = ranked(question, hits, statistics, CALIBRATION)
        assert sorted(map(repr, hits)) == sorted(repr(item.hit) for item in found)
        keys = [(-item.score, item.hit.id, item.hit.scope) for item in found]
        assert keys == sorted(keys)

    @given(asked(), STATISTICS)
    def test_reasons_add_up_to_the_score_which_has_four_decimals(self, case, statistics):
        question, hits = case
        for item in ranked(question, hits, statistics, CALIBRATION):
            assert item.score == pytest.approx(sum(item.reasons.values()), abs=1e-4)
            assert item.score == round(item.score, 4)

    @given(asked(), STATISTICS)
    def test_similarity_and_cover_stay_between_0_and_1(self, case, statistics):
        question, hits = case
        for item in ranked(question, hits, statistics, CALIBRATION):
            assert 0 <= item.reasons["similar"] <= 1
            assert 0 <= item.reasons["terms"] <= 2 * (1 + 1e-9)

    @given(asked(), STATISTICS, st.data())
    def test_raising_a_cosine_never_lowers_the_score_of_its_own_candidate(self, case, statistics, data):
        question, hits = case
        embedded = [at for at, candidate in enumerate(hits) if candidate.cosines]
        if not embedded:
            return
        at = data.draw(st.sampled_from(embedded))
        higher = replace(hits[at], cosines=tuple(data.draw(st.floats(cosine, 1)) for cosine in hits[at].cosines))
        before, after = scores(question, hits, statistics), scores(question, [*hits[:at], higher, *hits[at + 1:]], statistics)
        assert after[higher.scope, higher.id] >= before[higher.scope, higher.id]

    @given(asked(), STATISTICS)
    def test_neighbours_wanted_are_places_beside_candidates_and_not_among_them(self, case, statistics):
        question, hits = case
        wanted = neighbours_wanted(question, hits, statistics, CALIBRATION)
        known = {(candidate.scope, candidate.conversation, candidate.position) for candidate in hits}
        assert len(wanted) == len(set(wanted))
        assert not known & set(wanted)
        for scope, conversation, position in wanted:
            assert position >= 0
            assert any((scope, conversation, position + step) in known for step in (-2, -1, 1, 2))

    @given(asked(), STATISTICS)
    def test_relevance_is_a_number_also_without_vectors(self, case, statistics):
        question, hits = case
        background = (0.8,) * len(question.texts)
        assert relevance(question, hits, statistics, background, CALIBRATION) > -20
        assert 0 <= relevance(question, hits, statistics, None, CALIBRATION) <= 8 * (1 + 1e-9)


class TestByHand:
    # idf(tea) = ln(1 + 9.5 / 1.5) = 1.99243, idf(green) = ln(1 + 6.5 / 4.5) = .89382; at the average length BM25 of
    # one occurrence is 1 / 2.2 = .45455 and of two 2 / 3.2 = .625

    def test_cover_is_the_share_of_what_a_perfect_turn_would_reach(self):
        found = reasons(read("green tea"), [hit(0, terms={"tea": 1}), hit(9, terms={"tea": 2, "green": 1})])
        assert found["c/000"]["terms"] == pytest.approx(0.31378, abs=1e-5)  # 1.99243 * .45455 / 2.88625
        assert found["c/009"]["terms"] == pytest.approx(0.57221, abs=1e-5)  # (1.99243 * .625 + .89382 * .45455) / 2.88625

    def test_a_long_turn_earns_less_for_a_word_than_a_short_one(self):
        found = reasons(read("tea"), [hit(0, terms={"tea": 1}, length=5), hit(5, terms={"tea": 1}, length=50)])
        assert found["c/000"]["terms"] == pytest.approx(1 / (1 + 1.2 * 0.625))
        assert found["c/005"]["terms"] == pytest.approx(1 / (1 + 1.2 * 4))

    def test_a_turn_shares_in_the_two_that_follow_it_in_its_conversation(self):
        best = hit(5, (0.92,))
        found = reasons(read("x"), [hit(2), hit(3), hit(4), best, hit(6), hit(4, conversation="d"), hit(4, scope="t", id="t")])
        assert {id_: round(why["near"], 6) for id_, why in found.items()} == {
            "c/002": 0, "c/003": 0.2, "c/004": 0.3, "c/005": 0, "c/006": 0, "d/004": 0, "t": 0,
        }

    def test_the_next_turn_counts_half_as_much_again_as_the_one_after_it(self):
        found = reasons(read("x"), [hit(0), hit(1, (0.92,)), hit(2, (0.92,))])
        assert found["c/000"]["near"] == pytest.approx(0.3 + 0.2)
        assert found["c/001"]["near"] == pytest.approx(0.3)

    def test_a_conversation_lends_its_terms_and_its_three_best(self):
        hits = [hit(0, (0.92,), terms={"tea": 1}), hit(10, (0.835,)), hit(20), hit(30)]
        found = reasons(read("green tea"), hits)
        best = 1 + 0.31378 + 0.5  # similar and cover of the first, similar of the second, nothing of the third
        expected = 0.4 * 1.99243 / 2.88625 + 0.2 * best / 3
        assert [round(found[f"c/0{n}0"]["session"], 4) for n in range(4)] == [round(expected, 4)] * 4

    def test_conversations_of_the_same_name_in_two_scopes_are_two(self):
        found = reasons(read("tea"), [hit(0, terms={"tea": 1}), hit(9, scope="t", id="other")])
        assert found["c/000"]["session"] > 0
        assert found["other"]["session"] == 0

    def test_a_memory_has_no_conversation_and_is_ranked_by_itself(self):
        hits = [hit(0, (0.92,), conversation="", id="m1", terms={"tea": 1}), hit(0, (0.835,), conversation="", id="m2")]
        assert scores(read("tea"), hits) == {("s", "m1"): 1.4545, ("s", "m2"): 0.5}
        assert neighbours_wanted(read("tea"), hits, SCALE, CALIBRATION) == []

    def test_what_the_named_person_said_earns_a_quarter(self):
        hits = [hit(0, speaker="Ann"), hit(5, speaker="Ben"), hit(10)]
        assert [why["speaker"] for _, why in sorted(reasons(read("Ann's tea?"), hits).items())] == [0.25, 0, 0]

    def test_two_persons_named_favour_neither(self):
        found = reasons(read("Ann and Ben: tea?"), [hit(0, speaker="Ann"), hit(5, speaker="Ben")])
        assert {why["speaker"] for why in found.values()} == {0}

    @pytest.mark.parametrize(("question", "favoured"), [
        ("Where do I live?", "user"), ("What did you recommend?", "assistant"), ("你上次说过什么?", "assistant"),
    ])
    def test_turns_of_the_role_that_was_asked_for_earn_three_tenths(self, question, favoured):
        found = reasons(read(question), [hit(0, role="user", id="user"), hit(5, role="assistant", id="assistant")])
        assert {id_: why["asker"] for id_, why in found.items()} == {"user": 0, "assistant": 0} | {favoured: 0.3}

    def test_a_date_in_the_question_favours_what_was_said_about_then(self):
        days = {"same": (2023, 6, 7), "week": (2023, 6, 12), "month": (2023, 7, 1), "year": (2022, 6, 7)}
        hits = [hit(9 * at, said_at=milliseconds(*day), id=id_) for at, (id_, day) in enumerate(days.items())]
        found = reasons(read("tea on 5 June 2023?"), hits)
        assert {id_: round(why["date"], 2) for id_, why in found.items()} == {"same": 0.3, "week": 0.18, "month": 0.09, "year": 0}

    def test_with_sentences_half_of_the_score_is_the_best_sentence(self):
        why = reasons(read("green! tea?"), [hit(0, (0.75, 0.92, 0.835), conversation="")])["/000"]
        assert (why["similar"], why["part"]) == (0, pytest.approx(0.5))


class TestWhenSomethingIsMissing:
    def test_a_candidate_without_a_vector_is_as_similar_as_the_weakest_that_has_one(self):
        found = reasons(read("x"), [hit(0, (0.92,)), hit(9, (0.835,)), hit(10, None)])
        assert found["c/010"]["similar"] == pytest.approx(0.5)

    def test_without_any_vector_words_weigh_double_and_earlier_turns_share_as_well(self):
        found = reasons(read("tea"), [hit(0, None, terms={"tea": 1}), hit(1, None), hit(2, None)])
        assert found["c/000"]["terms"] == pytest.approx(2 / 2.2)
        assert found["c/001"]["near"] == pytest.approx(0.3 * 2 / 2.2)
        assert found["c/002"]["near"] == pytest.approx(0.15 * 2 / 2.2)
        assert {why["similar"] for why in found.values()} == {0}

    def test_without_a_lexical_channel_words_count_only_for_the_conversation(self):
        found = reasons(read("tea"), [hit(0, (0.8,), terms={"tea": 1}), hit(9, (0.8,))], None)
        assert {why["terms"] for why in found.values()} == {0}
        assert found["c/009"]["session"] > 0.4

    def test_a_question_without_terms_is_ranked_by_vectors(self):
        assert [item.hit.position for item in ranked(read("?!"), [hit(0), hit(9, (0.9,))], SCALE, CALIBRATION)] == [9, 0]

    def test_nothing_found_is_nothing_ranked(self):
        question = read("tea")
        assert ranked(question, [], SCALE, CALIBRATION) == ()
        assert bases(question, [], None, CALIBRATION) == []
        assert neighbours_wanted(question, [], SCALE, CALIBRATION) == []
        assert relevance(question, [], SCALE, None, CALIBRATION) == 0

    def test_statistics_that_lag_behind_break_nothing(self):
        late = Statistics(documents=0, average_length=0.0, frequency={"tea": 5})
        assert ranked(read("tea"), [hit(0, terms={"tea": 1})], late, CALIBRATION)[0].reasons["terms"] > 0


class TestNeighboursAndRelevance:
    def test_the_turns_around_a_candidate_are_wanted(self):
        hits = [hit(1, (0.9,)), hit(2, (0.8,))]
        assert neighbours_wanted(read("x"), hits, SCALE, CALIBRATION) == [("s", "c", 0), ("s", "c", 3), ("s", "c", 4)]

    def test_only_the_neighbours_of_the_twenty_best_are_wanted(self):
        hits = [hit(5, (0.9 - at / 1000,), conversation=f"{at:02}") for at in range(30)]
        wanted = neighbours_wanted(read("x"), hits, SCALE, CALIBRATION)
        assert {conversation for _, conversation, _ in wanted} == {f"{at:02}" for at in range(20)}

    def test_relevance_is_closeness_beyond_the_background_plus_cover(self):
        hits = [hit(0, (0.85,), terms={"tea": 1}), hit(9, (0.87,))]
        assert relevance(read("tea"), hits, SCALE, (0.816,), CALIBRATION) == pytest.approx(0.2 + 1 / 2.2)

    def test_each_candidate_has_a_relevance_of_its_own_to_its_best_text(self):
        hits = [hit(0, (0.8, 0.84, 0.8), terms={"green": 1}), hit(9, (0.8, 0.8, 0.86))]
        found = relevances(read("green! tea?"), hits, SCALE, (0.8, 0.8, 0.809), CALIBRATION)
        assert found == [pytest.approx(0.04 / 0.17 + 1 / 2.2), pytest.approx(0.3)]

    def test_the_background_of_a_small_scope_is_drawn_towards_the_floor(self):
        assert settled(None, 5, CALIBRATION) is None
        assert settled((0.85, 0.75), 20, CALIBRATION) == pytest.approx((0.8, 0.75))
        assert settled((0.85,), 20_000, CALIBRATION) == pytest.approx((0.85,), abs=1e-3)

    def test_strangers_are_closer_to_a_chinese_question(self):
        question = Question.read("喜欢什么茶", [], list)
        assert settled((0.85,), 20, CALIBRATION, question) == pytest.approx(((0.85 + 0.75 + 0.35 * 0.17) / 2,))

    def test_without_any_vector_one_shared_word_is_relevant_and_none_is_not(self):
        question = read("green tea")
        assert relevance(question, [hit(0, None, terms={"green": 1})], SCALE, None, CALIBRATION) > FLOOR
        assert relevance(question, [hit(0, None)], SCALE, None, CALIBRATION) == 0

    def test_only_as_many_as_asked_for_are_explained(self):
        found = ranked(read("x"), [hit(0), hit(9), hit(20)], SCALE, CALIBRATION, explained=1)
        assert [bool(item.reasons) for item in found] == [True, False, False]


class TestReading:
    def test_the_asked_persons_name_is_deleted_from_texts_and_terms(self):
        question = read("When did Ann's green tea arrive?")
        assert question.named == {"Ann"}
        assert question.texts == ("When did green tea arrive?",)
        assert "ann" not in question.terms[0]

    def test_a_name_is_kept_where_nothing_else_is_left(self):
        assert (read("Ann?").texts, read("Ann?").terms) == (("Ann?",), (("ann",),))

    def test_a_name_inside_another_word_and_a_role_are_no_names(self):
        question = Question.read("Annual user tea", ["Ann", "user"], words)
        assert (question.named, question.texts) == (frozenset(), ("Annual user tea",))

    def test_a_chinese_name_needs_no_word_boundary(self):
        question = Question.read("小明喜欢什么茶", ["小明", "用户"], list)
        assert (question.named, question.texts) == ({"小明"}, ("喜欢什么茶",))

    def test_a_longer_name_is_deleted_before_a_shorter_one_inside_it(self):
        assert Question.read("小明明喜欢茶", ["小明", "小明明"], list).texts == ("喜欢茶",)

    def test_sentences_are_asked_beside_the_whole(self):
        assert read("I love green. Which tea? ").texts == ("I love green. Which tea?", "I love green.", "Which tea?")
        assert read("我喜欢茶，另外，几点了？").texts[1:] == ("我喜欢茶，", "另外，几点了？")

    def test_a_long_message_is_asked_by_its_last_sentences(self):
        question = read(" ".join(f"Is this tea{n}?" for n in range(50)))
        assert len(question.texts) == 9
        assert question.texts[-1] == "Is this tea49?"

    @pytest.mark.parametrize(("text", "expected"), [
        ("on 5 June 2023", AskedDate(6, 5, 2023)), ("the 3rd of July", AskedDate(7, 3)), ("August 9, 2023", AskedDate(8, 9, 2023)),
        ("in May", AskedDate(5)), ("May 2024", AskedDate(5, None, 2024)), ("may I", None), ("May I?", None), ("tea", None),
        ("0 June 2023", AskedDate(6, None, 2023)), ("2023 June", AskedDate(6)), ("99 June", AskedDate(6)),
    ])
    def test_dates_are_read(self, text, expected):
        assert date_in(text) == expected

    @given(st.builds(AskedDate, st.integers(1, 12), st.one_of(st.none(), st.integers(1, 31)), st.one_of(st.none(), st.integers(1, 9999))),
           st.dates(date(1901, 1, 1), date(2199, 12, 31)))
    def test_any_date_can_be_compared_with_any_day(self, asked, said):
        assert asked.match(said) in {0, 0.3, 0.4, 0.6, 1}

    def test_each_text_is_asked_with_its_vector_or_without_any(self):
        question = read("green? tea?")
        assert [item.terms for item in question.asked([None] * 3)] == [("green", "tea"), ("green",), ("tea",)]
        with pytest.raises(ValueError, match="shorter"):
            question.asked([])
