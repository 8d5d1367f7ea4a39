"""recall: what a cue calls to mind, what it may cost, and what it never shows."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from chalicelib.mind.access import Credential, own_scope, principal, reach
from chalicelib.mind.scopes import Body, Scope
from chalicelib.mind.turns import Said
from chalicelib.records.credentials import Credentials

BODY = Body("p", "default", "ada")
THREE = (Scope(BODY), Scope(BODY, "user", "u"), Scope(BODY, "session", "u/s"))
START = datetime(2026, 5, 28, 9, tzinfo=UTC)


def in_scope(mind, scope):
    return replace(mind, scope=scope)


def day(number):
    return START + timedelta(days=number)


def said(text, days):
    return Said("user", "", text, day(days))


def contents(recollection):
    return [item.turn.content for item in recollection.evidence]


def texts(recollection):
    return [item.memory.text for item in recollection.memories]


@pytest.fixture
def full(mind):
    """A mind with something in three scopes, all of it projected."""
    for scope in THREE:
        in_scope(mind, scope).say("Note Ann knows Bob", "Note Bob knows Cid", "The weather is fine", "Note green tea is good", "Lunch at noon", "Back again", conversation="c")
        in_scope(mind, scope).say("Tea in the morning", "What a day", "Green is a colour", conversation="d")
    return mind


class TestCost:
    @pytest.mark.parametrize(("scopes", "most"), [(THREE[:1], 9), (THREE, 11)])
    def test_a_recall_of_projected_scopes_asks_its_stores_few_times(self, full, counted, scopes, most):
        """Nine for one scope, credential included; each further scope adds its one query of the outbox."""
        counting, calls = counted
        opened = Credentials(counting.table)
        token = Credentials(full.table).create(Credential("01arz3ndek", "p", "host", ""), "0" * 64)
        opened.opened(token)
        found = counting.ask("Whom does Ann see? And what is the weather?", *scopes, limit=len(scopes))
        assert found.memories
        assert found.evidence
        assert found.associations
        assert len(calls) <= most, calls
        assert len([call for call in calls if call == "SqliteTable.query"]) == len(scopes)
        assert [calls.count(f"{store}.{method}") for store, method in (("SqliteIndex", "search"), ("SqliteGraph", "neighbourhood"), ("SqliteTable", "commit"))] == [1, 1, 1]

    def test_what_is_not_projected_costs_one_read_more_however_much_it_is(self, mind, counted, down):
        hurt = replace(mind, index=down)
        for scope in THREE:
            in_scope(hurt, scope).say(*(f"Note green tea number {number}" for number in range(40)))
        counting, calls = counted
        assert counting.ask("green tea", *THREE).evidence
        assert len([call for call in calls if call != "SqliteTable.query"]) <= 8
        assert calls.count("SqliteTable.query") == len(THREE)

    def test_a_recall_writes_one_commit_of_touches_and_nothing_else(self, full):
        before = {row.key: row.version for scope in THREE for row in full.rows("", scope)}
        full.ask("green tea", *THREE)
        after = {row.key: row.version for scope in THREE for row in full.rows("", scope)}
        new = after.keys() - before.keys()
        assert {key.sort.split("/")[0] for key in new} == {"touched"}
        assert {key.partition for key in new} == {scope.partition for scope in THREE}
        assert before.items() <= after.items()

    def test_a_recall_that_only_looks_touches_nothing(self, full):
        found = full.ask("green tea", touching=False)
        assert found.memories
        assert full.rows("touched/") == []

    def test_looking_back_touches_nothing(self, full):
        assert full.ask("green tea", until=full.now()).memories
        assert full.rows("touched/") == []


class TestFinding:
    def test_what_was_just_said_is_found_with_its_memory_and_its_prompt(self, mind):
        mind.say("Note green tea is good", "Lunch at noon")
        found = mind.ask("Which tea is good?")
        assert texts(found) == ["green tea is good"]
        assert contents(found)[0] == "Note green tea is good"
        assert "“green tea is good”" in found.prompt
        assert (found.abstained, found.warnings) == (False, ())

    def test_reasons_add_up_to_the_score(self, full):
        for item in (*full.ask("Which tea is good? And green?").evidence, *full.ask("green tea").memories):
            assert sum(item.reasons.values()) == pytest.approx(item.score, abs=0.0002)

    def test_no_more_comes_back_than_asked_for_and_the_prompt_keeps_its_budget(self, full):
        found = full.ask("green tea Ann Bob weather lunch", *THREE, limit=2, most_tokens=60)
        assert len(found.memories) == len(found.evidence) == 2
        assert full.analyser.tokens(found.prompt) <= 60

    def test_edges_lead_on_to_memories_that_the_words_do_not(self, mind):
        mind.say("Note Ann knows Bob", "Note Bob knows Cid", "Note Dan knows Eve")
        found = mind.ask("Whom does Ann see?", limit=1)
        assert texts(found) == ["Ann knows Bob"]
        assert [(item.step.source, item.memory.text) for item in found.associations] == [("bob", "Bob knows Cid")]
        assert mind.ask("Whom does Ann see?", limit=1, associative=False).associations == ()

    def test_a_memory_that_states_several_edges_comes_by_the_nearest(self, mind):
        mind.say("Note Ann knows Bob", "Note Bob knows Cid and Cid knows Dan")
        found = mind.ask("Whom does Ann see?", limit=1)
        assert [(item.step.source, item.step.target, item.step.hops) for item in found.associations] == [("bob", "cid", 1)]

    def test_what_a_memory_leaves_out_of_its_turn_is_in_the_prompt_and_what_it_says_stands_there_once(self, mind):
        mind.say("Note green tea is good with lemon or honey", "Note black tea is good. But by now it keeps me awake")
        prompt = mind.ask("Which tea is good?").prompt
        assert "keeps me awake" in prompt
        assert prompt.count("green tea is good") == 1

    def test_a_memory_stands_for_no_turn_of_another_scope_at_the_same_place(self, mind):
        in_scope(mind, THREE[0]).say("Note green tea is good")
        in_scope(mind, THREE[1]).say("white tea is good too")
        assert "white tea is good too" in mind.ask("Which tea is good?", *THREE).prompt

    def test_a_recall_founds_the_body_it_asks(self, mind):
        assert mind.ask("anything").abstained
        assert mind.recall.bodies.body(mind.scope.body) is not None

    @pytest.mark.parametrize("query", ["Wo steht das Klavier?", "钢琴在哪里"])
    def test_a_foreign_question_is_not_filled_up(self, full, query):
        found = full.ask(query, *THREE)
        assert (found.memories, found.evidence, found.associations, found.prompt, found.abstained) == ((), (), (), "", True)

    def test_a_memory_that_is_foreign_to_the_question_is_not_filled_up_beside_one_that_is_not(self, full):
        assert texts(full.ask("green tea")) == ["green tea is good"]

    def test_an_expired_memory_is_hidden_projected_or_not(self, mind, down):
        for each in (mind, replace(mind, index=down)):
            each.say("Note busy with tea now")
            assert "busy with tea now" in texts(mind.ask("busy tea now"))
            mind.clock.move(hours=2)
            assert texts(mind.ask("busy tea now")) == []


class TestIsolation:
    def test_another_scope_is_never_seen_projected_or_not(self, mind, down):
        for each in (mind, replace(mind, index=down)):
            for number, owner in enumerate(("v", "u/s", "")):
                in_scope(each, Scope(BODY, "user", owner)).say(f"Note the secret tea of {owner} is {number}")
            in_scope(each, Scope(Body("q", "default", "ada"))).say("Note the secret tea of q")
            found = mind.ask("Whose is the secret tea?", *THREE)
            assert (found.memories, found.evidence, found.associations) == ((), (), ())

    def test_users_of_one_body_find_their_own_and_the_bodys(self, mind):
        host = Credential("k", "p", "host", "")
        for user in ("ann", "bob", ""):
            in_scope(mind, own_scope(principal(host, user), BODY)).say(f"Note tea of {user or 'all'}")
        assert sorted(texts(mind.ask("tea", *reach(principal(host, "ann"), BODY)))) == ["tea of all", "tea of ann"]
        bound = principal(replace(host, kind="bound", user="bob"), "")
        assert texts(mind.ask("tea", *reach(bound, BODY))) == ["tea of bob"]


class TestAsOf:
    @pytest.fixture
    def told(self, mind):
        mind.say(said("Note green tea is good", 0), said("Tea it is", 1), said("Note black tea is better", 10), said("Tea again", 11))
        mind.clock.move(days=20)
        return mind

    @pytest.mark.parametrize("lost", [(), ("index",)])
    def test_what_was_said_later_is_hidden(self, told, down, lost):
        hurt = replace(told, **dict.fromkeys(lost, down))
        if lost:
            hurt.say(said("Note red tea is best", 15))
        found = hurt.ask("Which tea is good, better, best?", until=day(10))
        expected = [] if lost else ["green tea is good", "black tea is better"]
        assert sorted(texts(found)) == sorted(expected)
        assert "Tea again" not in contents(found)
        assert "Note red tea is best" not in contents(found)

    def test_edges_of_later_memories_are_hidden(self, mind):
        mind.say(said("Note Ann knows Bob", 0), said("Note Bob knows Cid", 9))
        mind.clock.move(days=20)
        assert mind.ask("Whom does Ann see?", limit=1, until=day(5)).associations == ()
        assert mind.ask("Whom does Ann see?", limit=1).associations

    def test_what_arrives_late_is_known_from_when_it_was_said(self, told):
        assert texts(told.ask("Which tea is red?", until=day(5))) == ["green tea is good"]
        told.say(said("Note red tea is best", 12))
        told.say(said("Note red tea is best", 4))
        assert sorted(texts(told.ask("Which tea is red?", until=day(5)))) == ["green tea is good", "red tea is best"]
        assert texts(told.ask("Which tea is red?", until=day(3))) == ["green tea is good"]

    def test_a_memory_names_no_source_that_was_said_later(self, mind):
        mind.say("Note the parcel is blue")
        then = mind.now()
        mind.clock.move(days=1)
        mind.say("Note the parcel is blue")
        [now], [before] = mind.ask("parcel blue").memories, mind.ask("parcel blue", until=then).memories
        assert (len(now.memory.sources), len(before.memory.sources)) == (2, 1)

    def test_looking_back_touches_nothing(self, told):
        before = told.rows("")
        assert told.ask("green tea", until=day(15)).memories
        assert told.rows("") == before


class TestBadDays:
    @pytest.mark.parametrize("port", ["index", "graph", "embedder"])
    def test_what_was_just_said_is_found_with_a_projection_down_and_the_reply_says_so(self, mind, down, mute, port):
        mind.say("Note old news about tea")
        hurt = replace(mind, **{port: mute if port == "embedder" else down})
        hurt.say("Note Ann knows Bob", "Lunch at noon")
        found = hurt.ask("Whom does Ann know?")
        assert texts(found)[0] == "Ann knows Bob"
        assert contents(found)[0] == "Note Ann knows Bob"
        assert len(found.warnings) == 1

    def test_with_everything_but_the_table_down_it_still_answers(self, mind, down, mute):
        hurt = replace(mind, index=down, graph=down, embedder=mute)
        hurt.say("Note Ann knows Bob", "Lunch at noon")
        found = hurt.ask("Whom does Ann know?")
        assert texts(found) == ["Ann knows Bob"]
        assert len(found.warnings) == 3

    @pytest.mark.parametrize("port", ["index", "graph", "embedder"])
    def test_after_a_bad_day_the_sweep_makes_everything_findable(self, mind, down, mute, port):
        hurt = replace(mind, **{port: mute if port == "embedder" else down})
        for number in range(3):
            hurt.say(f"Note Ann knows Bob{number}", "Lunch at noon", conversation=f"c{number}")
        in_scope(hurt, THREE[1]).say("Note Dan knows Eve")
        mind.sweep()
        assert (mind.pending(), mind.pending(THREE[1]), mind.projection.depth(), list(mind.projection.marks())) == ([], [], 0, [])
        found = mind.ask("Whom does Ann know?")
        assert sorted(texts(found)) == ["Ann knows Bob0", "Ann knows Bob1", "Ann knows Bob2"]
        assert found.warnings == ()
        assert texts(mind.ask("Whom does Dan know?", THREE[1])) == ["Dan knows Eve"]
        assert all("similar" in item.reasons and item.reasons["similar"] > 0 for item in found.memories)

    def test_more_than_a_recall_reads_of_the_outbox_is_said(self, mind, down):
        hurt = replace(mind, index=down)
        for number in range(9):
            hurt.say(*(f"tea {number} {each}" for each in range(60)), conversation=f"c{number}")
        hurt.say("the zebra came last")
        found = mind.ask("Where is the zebra?")
        assert any("only the newest" in warning for warning in found.warnings)
        assert contents(found)[0] == "the zebra came last"

    def test_a_recall_that_can_not_note_its_touches_answers_all_the_same(self, mind, interrupted):
        mind.say("Note green tea is good")
        rival = interrupted(mind.table, "get", lambda: mind.ask("green tea"))
        assert texts(replace(mind, table=rival).ask("green tea")) == ["green tea is good"]
