"""Rebuilding index and graph from the Table: after a change of the embedding model, after a loss, after a kill."""

from array import array
from functools import cached_property
from itertools import count

import pytest

from chalicelib.acceptance import Wish
from chalicelib.errors import ModelUnavailable, StoreUnavailable
from chalicelib.mind.documents import Selection
from chalicelib.mind.rows import Delete
from chalicelib.mind.scopes import Body, Scope
from chalicelib.mind.statements import Entity, Relation, Statement
from chalicelib.mind.turns import Said
from chalicelib.recall import Cue
from chalicelib.records import keys
from chalicelib.settings import Settings
from chalicelib.wiring import World

ADA, BEA = Scope(Body("p", "default", "ada")), Scope(Body("q", "other", "bea"), "user", "u/1")
NUMBERS = count()


class Letters:
    """Texts to vectors by the letters they hold. `broken` fails, `left` texts are embedded before it does."""

    floor, ceiling = 0.0, 0.9

    def __init__(self, model, dimension, left=10**9):
        self.model, self.dimension, self.left, self.embedded = model, dimension, left, []

    def embed(self, texts, kind):
        if kind == "passage":
            self.left -= len(texts)
            self.embedded += texts
        if self.left < 0:
            raise ModelUnavailable(self.model, "gone")
        return [self.vector(text) for text in texts]

    def vector(self, text):
        sums = [1e-6] * self.dimension
        for letter in text.casefold():
            sums[ord(letter) % self.dimension] += 1.0
        length = sum(value * value for value in sums) ** 0.5
        return array("f", [value / length for value in sums])


class Words:
    """Words as terms."""

    def terms(self, text):
        return text.casefold().replace(".", "").replace("?", "").split()

    def tokens(self, text):
        return len(text)


class Sayings:
    """Every turn is a statement that relates its first word to its last."""

    def extract(self, turns):
        return [self.statement(turn) for turn in turns]

    def statement(self, turn):
        first, *_, last = Words().terms(turn.content)
        relations, entities = (Relation(first, "says", last),), (Entity(first, "person"), Entity(last, "thing"))
        return Statement(turn.content, (turn.id,), "fact", "en", first, 0.9, entities=entities, relations=relations)


class Home(World):
    """The embedded world over fakes of all that is language."""

    def __init__(self, home, embedder):
        super().__init__(Settings(home=home), cache=home)
        self.fake = embedder

    @cached_property
    def embedder(self):
        return self.fake

    @cached_property
    def analyser(self):
        return Words()

    @cached_property
    def extractor(self):
        return Sayings()

    def say(self, scope, *texts):
        """Remember these, one message each."""
        name = f"task_{next(NUMBERS)}"
        wish = Wish(scope, "talk", tuple(Said("user", "", text) for text in texts), name, name, {}, deferred=False)
        return self.remember(wish, clock=self.now, ids=self.ids, patience=lambda: True)

    def found(self, scope, query):
        """The texts of the turns that a recall brings back."""
        recollection = self.recall(Cue((scope,), query), now=self.now(), ids=self.ids)
        return [item.turn.content for item in recollection.evidence]

    def held(self, scope):
        """The ids in the index, turns and memories, and whether all have vectors."""
        return {kind: self.index.select([scope.partition], Selection(kind, limit=1000)).ids for kind in ("turn", "memory")}


@pytest.fixture
def opened(tmp_path):
    """Opens the one home with an embedder; closes it before it is opened again, and at the end."""
    worlds = []

    def opening(embedder):
        if worlds:
            worlds[-1].close()
        worlds.append(Home(tmp_path / "home", embedder))
        return worlds[-1]

    yield opening
    worlds[-1].close()


def quiet(_what, _count):
    """Nobody is told."""


SAID = ["Nora keeps bees.", "Emil sails a boat.", "Mina paints walls."]
OLD, NEW = ("old", 24), ("new", 36)


@pytest.fixture
def full(opened):
    """A home of two projects made with the old model; its index as it then was."""
    world = opened(Letters(*OLD))
    world.say(ADA, *SAID)
    world.say(BEA, "Otto eats plums.")
    return {scope: world.held(scope) for scope in (ADA, BEA)}


@pytest.mark.usefixtures("full")
@pytest.mark.parametrize("other", [("old", 36), ("new", 24), ("new", 36)], ids=["dimension", "model", "both"])
def test_another_model_or_dimension_is_refused_naming_both_and_the_way_out(opened, other):
    world = opened(Letters(*other))
    with pytest.raises(StoreUnavailable, match=rf"old \(24 dimensions\), not of {other[0]} \({other[1]}\).*infra/rebuild --home") as told:
        world.warm()
    assert str(world.settings.home) in str(told.value)


@pytest.mark.parametrize("other", [("old", 36), ("new", 24), ("new", 36), OLD], ids=["dimension", "model", "both", "neither"])
def test_after_a_rebuild_everything_is_found_in_all_projects_and_remembering_goes_on(opened, full, other):
    world = opened(Letters(*other))
    assert world.rebuild(quiet) == 8
    assert {scope: world.held(scope) for scope in full} == full
    assert world.found(ADA, "Who sails a boat?")[0] == "Emil sails a boat."
    assert world.found(BEA, "Who eats plums?") == ["Otto eats plums."]
    world.say(ADA, "Vera mends clocks.")
    assert "Vera mends clocks." in world.found(ADA, "Who mends clocks?")
    assert world.projection.depth() == 0


@pytest.mark.usefixtures("full")
def test_relations_are_rebuilt_too(opened):
    world = opened(Letters(*NEW))
    with world.database.writing() as cursor:
        cursor.execute("DELETE FROM edges")
    world.rebuild(quiet)
    steps = world.graph.neighbourhood([ADA.partition], ["emil"], hops=1, limit=10).steps
    assert [(step.source, step.relation, step.target) for step in steps] == [("emil", "says", "boat")]


def test_what_is_gone_from_the_table_is_gone_from_the_rebuilt_index(opened, full):
    world = opened(Letters(*OLD))
    world.table.commit([Delete(keys.turn(ADA, "talk", 1))])
    world.rebuild(quiet)
    assert set(full[ADA]["turn"]) - set(world.held(ADA)["turn"]) == {keys.turn(ADA, "talk", 1).sort}


@pytest.mark.usefixtures("full")
def test_everything_is_embedded_once_and_how_far_it_has_come_is_told(opened):
    embedder, told = Letters(*NEW), []
    opened(embedder).rebuild(lambda what, number: told.append((what, number)))
    assert len(embedder.embedded) == 8
    assert [number for what, number in told if what == "noted"][-1] == 8
    assert told[-1] == ("projected", 8)


def test_when_the_model_fails_on_the_way_a_second_call_does_the_rest_and_no_more(opened):
    world = opened(Letters(*OLD))
    world.say(ADA, *[f"Nora counts {number}." for number in range(100)])
    embedder = Letters(*NEW, left=64)
    world = opened(embedder)
    with pytest.raises(ModelUnavailable):
        world.rebuild(quiet)
    assert world.index.facets([ADA.partition], "memory")["total"] == 64
    again = Letters(*NEW)
    world = opened(again)
    assert world.rebuild(quiet) == len(again.embedded) == 136
    assert (world.index.facets([ADA.partition], "turn")["total"], world.projection.depth()) == (100, 0)


def test_what_a_stopped_rebuild_has_left_a_server_brings_back_by_itself(opened, full):
    world = opened(Letters(*NEW, left=0))
    with pytest.raises(ModelUnavailable):
        world.rebuild(quiet)
    world = opened(Letters(*NEW))
    world.warm()
    assert world.found(ADA, "Who sails a boat?")[0] == "Emil sails a boat."
    world.projection.sweep(now=world.now(), patience=lambda: True)
    assert {scope: world.held(scope) for scope in full} == full


def test_a_rebuild_after_that_begins_anew(opened, full):
    test_what_a_stopped_rebuild_has_left_a_server_brings_back_by_itself(opened, full)
    assert opened(Letters(*NEW)).rebuild(quiet) == 8


def test_a_rebuild_that_a_server_finished_is_forgotten_though_new_things_are_pending(opened, full):
    """What waits in the outbox then has been said since, and tells nothing of the rebuild."""
    test_what_a_stopped_rebuild_has_left_a_server_brings_back_by_itself(opened, full)
    world = opened(Letters(*NEW, left=0))
    world.say(ADA, "Vera mends clocks.")
    assert world.projection.depth() == 2
    assert opened(Letters(*NEW)).rebuild(quiet) == 12


def test_a_rebuild_that_was_stopped_while_it_noted_trusts_no_marker_of_an_earlier_one(opened, full):
    test_what_a_stopped_rebuild_has_left_a_server_brings_back_by_itself(opened, full)
    world = opened(Letters(*NEW))

    def stop(_what, number):
        raise KeyboardInterrupt(number)

    with pytest.raises(KeyboardInterrupt):
        world.rebuild(stop)
    assert opened(Letters(*NEW)).rebuild(quiet) == 8
    assert opened(Letters(*NEW)).held(ADA) == full[ADA]


@pytest.mark.usefixtures("full")
def test_one_that_stopped_while_it_noted_has_emptied_nothing_and_is_done_by_the_next_call(opened):
    world = opened(Letters(*NEW))

    def stop(_what, number):
        raise KeyboardInterrupt(number)

    with pytest.raises(KeyboardInterrupt):
        world.rebuild(stop)
    with pytest.raises(StoreUnavailable, match="old"):
        opened(Letters(*NEW)).warm()
    assert opened(Letters(*NEW)).rebuild(quiet) == 8


@pytest.mark.usefixtures("full")
def test_one_stopped_for_one_model_can_be_done_for_another(opened):
    with pytest.raises(ModelUnavailable):
        opened(Letters(*NEW, left=0)).rebuild(quiet)
    world = opened(Letters("third", 48))
    assert world.rebuild(quiet) == 8
    assert world.found(BEA, "Who eats plums?") == ["Otto eats plums."]


def test_a_vector_that_waits_in_the_outbox_is_used_by_its_own_model_alone(opened):
    world = opened(Letters(*OLD))
    world.warm()
    with world.database.writing() as cursor:
        cursor.execute("CREATE TRIGGER stop BEFORE INSERT ON documents BEGIN SELECT RAISE(ABORT, 'full'); END")
    assert any("not indexed" in warning for warning in world.say(ADA, *SAID).warnings)
    with world.database.writing() as cursor:
        cursor.execute("DROP TRIGGER stop")
    embedder = Letters("new", 24)
    world = opened(embedder)
    world.projection.sweep(now=world.now(), patience=lambda: True)
    assert len(embedder.embedded) == 6
    assert len(world.held(ADA)["turn"]) == 3


def test_a_home_that_holds_nothing_is_rebuilt_and_may_change_its_model(opened):
    assert opened(Letters(*OLD)).rebuild(quiet) == 0
    opened(Letters(*NEW)).warm()
