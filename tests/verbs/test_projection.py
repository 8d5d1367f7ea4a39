"""Projection: index and graph follow the table, however late, however often, and whatever fails on the way."""

from dataclasses import replace

import pytest

from chalicelib.errors import StoreUnavailable
from chalicelib.mind.association import Associations, Link
from chalicelib.mind.documents import Asked, Document, Removal, Search, Selection
from chalicelib.mind.rows import MOST_WRITES, Delete, Put
from chalicelib.projection import GONE
from chalicelib.records import keys
from chalicelib.records.codec import packed
from chalicelib.records.pending import marked, marked_scope, noted
from chalicelib.touches import Touches


class Recorded:
    """A port that keeps what it was given, so that a test can deliver it once more."""

    def __init__(self, port, method):
        self.port, self.method, self.given = port, method, []

    def __getattr__(self, name):
        found = getattr(self.port, name)

        def called(*args, **more):
            if name == self.method:
                self.given += args[0]
            return found(*args, **more)
        return called


class FailingFor:
    """A port whose method does not answer where something stands in what it is given."""

    def __init__(self, port, method, mark):
        self.port, self.method, self.mark = port, method, mark

    def __getattr__(self, name):
        def called(*args, **more):
            if name == self.method and self.mark in repr(args):
                raise StoreUnavailable("the store", name)
            return getattr(self.port, name)(*args, **more)
        return called


def listed(mind, kind, scope=None):
    """The ids that the index holds."""
    return sorted(mind.index.select([(scope or mind.scope).partition], Selection(kind)).ids)


def edges(mind, name="ann"):
    found = mind.graph.neighbourhood([mind.scope.partition], [name], hops=1, limit=50)
    return sorted((step.source, step.target) for step in found.steps)


def delete(mind, *sorts):
    """Delete records as erasure would: the row, an outbox entry and the mark in one commit."""
    for sort in sorts:
        key = keys.Key(mind.scope.partition, sort)
        mind.table.commit([Delete(key), noted(mind.scope, mind.ids(), key), marked(mind.scope)])


@pytest.fixture
def memory(mind):
    """A memory with an edge, projected."""
    mind.say("Note Ann knows Bob", "Lunch at noon")
    return mind.kept()[0]


def test_turns_and_memories_are_indexed_and_relations_are_edges(mind, memory):
    assert listed(mind, "turn") == ["turn/c/0000000000", "turn/c/0000000001"]
    assert listed(mind, "memory") == [f"memory/{memory.id}"]
    assert edges(mind) == [("ann", "bob")]


def test_a_turn_is_embedded_with_the_one_before_it(mind):
    mind.say("one", "two")
    mind.say("three")
    assert mind.embedder.embedded == ["one", "one\ntwo", "two\nthree"]


def test_what_is_gone_from_the_table_goes_from_index_and_graph(mind, memory):
    delete(mind, f"memory/{memory.id}", "turn/c/0000000000")
    mind.sweep()
    assert (listed(mind, "memory"), listed(mind, "turn"), edges(mind), mind.pending()) == ([], ["turn/c/0000000001"], [], [])


def test_a_late_older_version_never_resurrects(mind):
    index, graph = Recorded(mind.index, "apply"), Recorded(mind.graph, "relate")
    replace(mind, index=index, graph=graph).say("Note Ann knows Bob")
    [kept] = mind.kept()
    delete(mind, f"memory/{kept.id}", "turn/c/0000000000")
    mind.sweep()
    mind.index.apply(index.given)
    mind.graph.relate(graph.given)
    assert (listed(mind, "memory"), listed(mind, "turn"), edges(mind)) == ([], [], [])


def test_a_late_older_version_never_stands_over_a_newer_one(mind):
    index, graph = Recorded(mind.index, "apply"), Recorded(mind.graph, "relate")
    replace(mind, index=index, graph=graph).say("Note Ann knows Bob")
    [kept] = mind.kept()
    key = keys.memory(mind.scope, kept.id)
    mind.table.commit([Put(key, packed(replace(kept, state=3, relations=())), 1), noted(mind.scope, mind.ids(), key), marked(mind.scope)])
    mind.sweep()
    mind.index.apply(index.given)
    mind.graph.relate(graph.given)
    assert mind.index.facets([mind.scope.partition], "memory")["state:3"] == 1
    assert edges(mind) == []


def test_an_entry_says_which_record_and_never_what_is_in_it(mind, down):
    """The record changes while its entry waits: what is projected is how it stands then, once."""
    replace(mind, index=down).say("Note Ann knows Bob")
    [kept] = mind.kept()
    mind.say("Note Ann knows Bob")
    delete(mind, f"memory/{kept.id}")
    index = Recorded(mind.index, "apply")
    replace(mind, index=index).sweep()
    assert [change for change in index.given if change.id.startswith("memory/")] == [Removal(mind.scope.partition, f"memory/{kept.id}", GONE)]


def test_projecting_again_changes_nothing(mind, memory):
    key = keys.memory(mind.scope, memory.id)
    before = mind.index.search([mind.scope.partition], search(mind))
    for _ in range(2):
        mind.table.commit([noted(mind.scope, mind.ids(), key), noted(mind.scope, mind.ids(), key), marked(mind.scope)])
        mind.sweep()
    assert mind.index.search([mind.scope.partition], search(mind)) == before
    assert edges(mind) == [("ann", "bob")]


def search(mind):
    return Search((Asked(("ann",), mind.embedder.vector("ann")),), ("turn", "memory"))


@pytest.mark.parametrize("port", ["index", "graph"])
def test_what_has_been_embedded_is_not_embedded_again(mind, down, port):
    replace(mind, **{port: down}).say("Note Ann knows Bob", "Lunch at noon")
    before = list(mind.embedder.embedded)
    mind.sweep()
    assert mind.embedder.embedded == before
    assert edges(mind) == [("ann", "bob")]
    assert len(listed(mind, "turn")) == 2


def test_a_scope_stays_marked_while_it_has_something_to_do(mind, down):
    hurt = replace(mind, index=down)
    hurt.say("Note Ann knows Bob")
    with pytest.raises(StoreUnavailable):
        hurt.sweep()
    assert len(list(mind.projection.marks())) == 1
    assert mind.projection.depth() == 2
    assert mind.projection.depth(most=1) == 1


@pytest.mark.parametrize("nth", [1, 2], ids=["while it folds", "after it has looked for more"])
def test_a_mark_that_is_set_while_the_sweep_is_at_it_stays(mind, interrupted, down, nth):
    """The second query of touches is the last thing a sweep does before it takes the mark away."""
    mind.say("Lunch at noon")
    slow = replace(mind, index=down)
    table = interrupted(mind.table, "query", lambda: slow.say("Dinner at eight"), about="touched/", nth=nth)
    replace(mind, table=table).sweep()
    assert len(list(mind.projection.marks())) == 1
    mind.sweep()
    assert (mind.pending(), list(mind.projection.marks())) == ([], [])


def test_impatience_leaves_the_rest_for_next_time(mind, down):
    replace(mind, index=down).say(*(f"message {number}" for number in range(100)))
    turns = iter([True, False, False])
    mind.projection.sweep(now=mind.now(), patience=lambda: next(turns))
    assert 0 < len(mind.pending()) < 100
    mind.sweep()
    assert len(mind.pending()) == 0


class TestTouches:
    def test_a_recall_raises_an_impression_once(self, mind, memory):
        mind.clock.move(days=3)
        asked = mind.now()
        assert mind.ask("Whom does Ann know?").memories
        mind.clock.move(days=1)
        mind.sweep()
        once = mind.kept()[0].impression
        assert once == memory.impression.touched(asked)
        assert once.felt(mind.now()) > memory.impression.felt(mind.now())
        mind.sweep()
        assert mind.kept()[0].impression == once
        assert (mind.rows("touched/"), list(mind.projection.marks())) == ([], [])

    def test_a_touch_changes_nothing_that_can_be_found(self, mind, memory):
        before = mind.index.search([mind.scope.partition], search(mind))
        mind.clock.move(days=3)
        mind.ask("Whom does Ann know?")
        mind.sweep()
        assert mind.index.search([mind.scope.partition], search(mind)) == before
        assert replace(mind.kept()[0], impression=memory.impression) == memory

    def test_a_touched_memory_that_is_gone_is_passed_over(self, mind, memory):
        mind.ask("Whom does Ann know?")
        delete(mind, f"memory/{memory.id}")
        mind.sweep()
        assert (mind.kept(), mind.rows("touched/")) == ([], [])

    def test_a_race_lost_waits_for_the_next_sweep(self, mind, interrupted):
        mind.say("Note Ann knows Bob")
        mind.clock.move(days=3)
        mind.ask("Whom does Ann know?")
        racing = interrupted(mind.table, "get", lambda: mind.say("Note Ann knows Bob"))
        assert Touches(racing).fold(mind.scope, now=mind.now(), patience=mind.patience()) == 0
        assert len(mind.rows("touched/")) == 1
        assert Touches(mind.table).fold(mind.scope, now=mind.now(), patience=mind.patience()) == 1
        assert len(mind.kept()[0].sources) == 2

    def test_of_a_recall_of_more_than_one_commit_can_change_every_memory_rises(self, mind):
        for piece in range(4):
            mind.say(*(f"Note tea number {piece * 30 + each}" for each in range(30)))
        mind.clock.move(days=3)
        asked = {item.memory.id for item in mind.ask("tea number", limit=100).memories}
        assert len(asked) > MOST_WRITES - 1
        mind.sweep()
        assert {memory.id for memory in mind.kept() if memory.impression.at == mind.now()} == asked
        assert mind.rows("touched/") == []

    def test_a_hundred_recalls_are_folded_in_one_sweep_each_of_them_once(self, mind, memory):
        mind.clock.move(days=3)
        risen = memory.impression
        for _ in range(100):
            mind.clock.move(seconds=1)
            mind.ask("Whom does Ann know?")
            risen = risen.touched(mind.now())
        mind.sweep()
        assert (mind.kept()[0].impression, mind.rows("touched/")) == (risen, [])

    def test_recalls_of_many_different_memories_are_folded_commit_by_commit(self, mind):
        for number in range(90):
            mind.say(f"Note box{number} is green")
        for number in range(90):
            mind.table.commit(Touches(mind.table).noting(
                mind.scope, mind.ids(), [each.id for each in mind.kept()[number:number + 3]], now=mind.now(), expires=2**33,
            ))
        mind.clock.move(days=3)
        assert Touches(mind.table).fold(mind.scope, now=mind.now(), patience=mind.patience()) == 90

    @pytest.mark.usefixtures("memory")
    def test_impatience_leaves_the_rest_for_next_time(self, mind):
        for _ in range(100):
            mind.ask("Whom does Ann know?")
        turns = iter([True, False])
        assert 0 < Touches(mind.table).fold(mind.scope, now=mind.now(), patience=lambda: next(turns)) < 100
        assert mind.rows("touched/")


def test_documents_and_edges_carry_what_can_be_filtered_by(mind):
    index, graph = Recorded(mind.index, "apply"), Recorded(mind.graph, "relate")
    replace(mind, index=index, graph=graph).say("Note Ann knows Bob now")
    turn, memory = index.given
    [kept] = mind.kept()
    assert isinstance(turn, Document)
    assert (turn.kind, turn.conversation, turn.position, turn.role, turn.version) == ("turn", "c", 0, "user", 1)
    assert (memory.kind, memory.state, memory.labels) == ("memory", 1, {"category:fact", "origin:told"})
    assert memory.expires_at == round((kept.said_at.timestamp() + 3600) * 1000)
    link = Link("ann", "knows", "bob", "person", "person")
    assert graph.given == [Associations(mind.scope.partition, kept.id, 1, 1, (link,))]


def test_a_scope_that_can_not_be_projected_keeps_no_other_from_its_turn(mind, down):
    hurt = replace(mind, index=down)
    scopes = [replace(mind.scope, layer="user", owner=f"u{number}") for number in range(4)]
    for scope in scopes:
        replace(hurt, scope=scope).say("Note Ann knows Bob")
    first = marked_scope(next(iter(mind.projection.marks())))
    with pytest.raises(StoreUnavailable):
        replace(mind, index=FailingFor(mind.index, "apply", first.partition)).sweep()
    assert [scope for scope in scopes if mind.pending(scope)] == [first]
    mind.sweep()
    assert (mind.pending(first), list(mind.projection.marks())) == ([], [])


def test_an_entry_that_was_cleared_meanwhile_does_not_come_back_without_its_mark(mind, interrupted, down):
    """One projection fails at the graph and keeps its vectors, while a sweep has done the same work already."""
    replace(mind, index=down).say("Note Ann knows Bob")
    table = interrupted(mind.table, "get", mind.sweep)
    with pytest.raises(StoreUnavailable):
        replace(mind, table=table, graph=down).projection.project(mind.scope, mind.pending())
    mind.sweep()
    assert (mind.pending(), list(mind.projection.marks())) == ([], [])
