"""What every AssociationGraph keeps to: how far a walk goes, where it stops, and what goes when a memory goes.

A backend is a line of `OPENED`. The laws at the end hold it against a walk over a plain list of edges.
"""

from collections.abc import Callable
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import count, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chalicelib.errors import Malformed, OutOfRange
from chalicelib.mind.association import Associations, Link, Step
from chalicelib.stores.sqlite.connection import Database
from chalicelib.stores.sqlite.graph import SqliteGraph

SCOPE, OTHER = "p/n/body/agent/", "p/n/other/user/ann"


@contextmanager
def embedded(path):
    with closing(Database(path / "graph.sqlite", lambda: 0.0)) as database:
        yield lambda: SqliteGraph(database)


OPENED: dict[str, Callable] = {"embedded": embedded}
"""How to open each backend: a context that gives a function, which gives an instance, all over one store."""


@pytest.fixture(params=OPENED)
def opened(request, tmp_path):
    with OPENED[request.param](tmp_path) as instance:
        yield instance


@pytest.fixture
def graph(opened):
    return opened()


@pytest.fixture(params=OPENED, scope="module")
def shared(request, tmp_path_factory):
    """An instance for many examples, each in scopes of its own."""
    with OPENED[request.param](tmp_path_factory.mktemp("shared")) as instance:
        yield instance()


def links(*edges):
    """Links written as `source relation target`, or `source target` where the relation does not matter."""
    return tuple(Link(edge.split()[0], " ".join(edge.split()[1:-1]) or "knows", edge.split()[-1]) for edge in edges)


def states(memory, *edges, version=1, state=1, scope=SCOPE):
    return Associations(scope, memory, version, state, links(*edges))


def around(graph, *entities, hops=1, limit=1000, scopes=(SCOPE,), hubs=()):
    return graph.neighbourhood(scopes, entities, hops=hops, limit=limit, hubs=hubs)


def pairs(*answer, **more):
    """Each edge met as `source target hops`."""
    return [f"{step.source} {step.target} {step.hops}" for step in around(*answer, **more).steps]


def way(graph, source, target, scopes=(SCOPE,), **more):
    return [f"{step.source} {step.target} {step.hops}" for step in graph.shortest_path(scopes, source, target, **more)]


CHAIN = "a b", "b c", "c d", "d e", "e f"


class TestNeighbourhood:
    def test_an_edge_is_told_with_the_memory_that_states_it(self, graph):
        graph.relate([states("m1", "ann works-at acme")])
        assert around(graph, "ann").steps == (Step(SCOPE, "ann", "works-at", "acme", "m1", 1),)

    @pytest.mark.parametrize("hops", [1, 2, 3, 4])
    def test_it_goes_as_far_as_it_is_told(self, graph, hops):
        graph.relate([states("m", *CHAIN)])
        assert pairs(graph, "a", hops=hops) == ["a b 1", "b c 2", "c d 3", "d e 4"][:hops]

    @pytest.mark.parametrize("hops", [-1, 0, 5])
    def test_another_number_of_hops_is_refused(self, graph, hops):
        with pytest.raises(OutOfRange) as refusal:
            around(graph, "a", hops=hops)
        assert refusal.value.field == "hops"
        with pytest.raises(OutOfRange):
            graph.shortest_path([SCOPE], "a", "b", hops=hops)

    def test_edges_are_walked_both_ways(self, graph):
        graph.relate([states("m", "b a", "b c", "d c")])
        assert pairs(graph, "a", hops=3) == ["b a 1", "b c 2", "d c 3"]

    def test_a_cycle_is_walked_once(self, graph):
        graph.relate([states("m", "a b", "b c", "c a")])
        assert pairs(graph, "a", hops=4) == ["a b 1", "c a 1", "b c 2"]

    def test_an_edge_to_itself_is_met_once(self, graph):
        graph.relate([states("m", "a a", "a b", "b b")])
        assert pairs(graph, "a", hops=4) == ["a a 1", "a b 1", "b b 2"]

    def test_edges_between_those_at_one_distance_belong_to_the_next_hop(self, graph):
        graph.relate([states("m", "a b", "a c", "b c")])
        assert pairs(graph, "a", hops=2) == ["a b 1", "a c 1", "b c 2"]

    def test_several_entities_are_walked_from_at_once(self, graph):
        graph.relate([states("m", *CHAIN)])
        assert pairs(graph, "a", "d", "a", "unknown", hops=2) == ["a b 1", "c d 1", "d e 1", "b c 2", "e f 2"]

    def test_the_same_edge_of_two_memories_is_two_edges(self, graph):
        graph.relate([states("m2", "a b"), states("m1", "a b")])
        assert [step.memory for step in around(graph, "a").steps] == ["m1", "m2"]

    def test_the_same_link_twice_in_one_memory_is_one_edge(self, graph):
        graph.relate([states("m", "a b", "a b")])
        assert pairs(graph, "a") == ["a b 1"]

    def test_nearest_come_first_and_then_by_source_relation_target_and_memory(self, graph):
        graph.relate([states("m2", "b x a", "a y c", "a x d", "a x c", "c z e"), states("m1", "a x d")])
        met = [(step.source, step.relation, step.target, step.memory) for step in around(graph, "a", hops=2).steps]
        assert met == [
            ("a", "x", "c", "m2"), ("a", "x", "d", "m1"), ("a", "x", "d", "m2"), ("a", "y", "c", "m2"), ("b", "x", "a", "m2"),
            ("c", "z", "e", "m2"),
        ]

    def test_nobody_knows_of_nothing(self, graph):
        assert pairs(graph, hops=2) == pairs(graph, "unknown", hops=2) == pairs(graph, "a", scopes=()) == []

    @pytest.mark.parametrize("state", [1, 2])
    def test_edges_of_what_is_valid_or_suspected_are_walked(self, graph, state):
        graph.relate([states("m", "a b", state=state)])
        assert pairs(graph, "a") == way(graph, "a", "b") == ["a b 1"]

    @pytest.mark.parametrize("state", [3, 4])
    def test_edges_of_what_is_outdated_or_denied_are_not_walked(self, graph, state):
        graph.relate([states("m", "a b", state=state), states("n", "b c")])
        assert pairs(graph, "a", hops=2) == way(graph, "a", "b") == way(graph, "a", "c") == []
        assert pairs(graph, "b") == ["b c 1"]


class TestBounds:
    def test_no_walk_goes_through_a_hub(self, graph):
        graph.relate([states("m", "a user", "user b", "a c", "c d")])
        assert pairs(graph, "a", hops=4, hubs=["user", "absent"]) == ["a c 1", "a user 1", "c d 2"]
        assert not around(graph, "a", hops=4, hubs=["user"]).truncated

    def test_a_walk_may_begin_at_a_hub(self, graph):
        graph.relate([states("m", "user a", "a b")])
        assert pairs(graph, "user", hops=2, hubs=["user"]) == ["user a 1", "a b 2"]

    def test_an_entity_of_two_hundred_edges_is_passed_through_and_one_of_more_is_not(self, graph):
        graph.relate([states("m", "a town", "town z"), states("n", *(f"p{n:03} town" for n in range(198)))])
        near = around(graph, "a", hops=2)
        assert (len(near.steps), near.truncated) == (51, True)
        assert "town z" in {f"{step.source} {step.target}" for step in around(graph, "z", hops=1).steps}
        graph.relate([states("o", "q town")])
        assert pairs(graph, "a", hops=2) == ["a town 1"]
        assert around(graph, "a", hops=2).truncated
        assert not around(graph, "a", hops=1).truncated

    def test_edges_that_are_not_walked_do_not_make_an_entity_crowded(self, graph):
        graph.relate([states("m", "a town", "town z"), states("n", *(f"p{n:03} town" for n in range(300)), state=3)])
        assert pairs(graph, "a", hops=2) == ["a town 1", "town z 2"]

    def test_a_walk_may_begin_at_a_crowded_entity(self, graph):
        graph.relate([states("m", *(f"town p{n:03}" for n in range(300))), states("n", "p000 z")])
        near = around(graph, "town", hops=2)
        assert [f"{step.source} {step.target}" for step in near.steps] == [*(f"town p{n:03}" for n in range(50)), "p000 z"]
        assert near.truncated

    def test_a_hop_takes_fifty_edges_and_says_so(self, graph):
        graph.relate([states("m", *(f"a b{n:03}" for n in range(50)), "b000 c")])
        assert not around(graph, "a", hops=2).truncated
        graph.relate([states("n", "a b050")])
        near = around(graph, "a", hops=2)
        assert [step.target for step in near.steps] == [*(f"b{n:03}" for n in range(50)), "c"]
        assert near.truncated

    def test_an_edge_left_out_of_a_hop_is_not_taken_by_a_later_one(self, graph):
        graph.relate([states(f"m{n:03}", "a b") for n in range(60)])
        assert pairs(graph, "a", hops=4) == ["a b 1"] * 50

    def test_fifty_is_for_all_scopes_together(self, graph):
        graph.relate([states("m", *(f"a b{n:03}" for n in range(40)), scope=scope) for scope in (SCOPE, OTHER)])
        near = around(graph, "a", scopes=(SCOPE, OTHER))
        assert (len(near.steps), near.truncated) == (50, True)

    def test_the_limit_keeps_the_nearest_and_says_so(self, graph):
        graph.relate([states("m", *CHAIN)])
        assert pairs(graph, "a", hops=4, limit=2) == ["a b 1", "b c 2"]
        assert around(graph, "a", hops=4, limit=2).truncated
        assert not around(graph, "a", hops=2, limit=2).truncated


class TestShortestPath:
    def test_it_has_the_fewest_edges(self, graph):
        graph.relate([states("m", *CHAIN, "b e")])
        assert way(graph, "a", "f") == ["a b 1", "b e 2", "e f 3"]

    def test_it_is_told_from_its_beginning_whichever_way_edges_point(self, graph):
        graph.relate([states("m", "b a", "b c", "d c")])
        assert way(graph, "a", "d") == ["b a 1", "b c 2", "d c 3"]
        assert way(graph, "d", "a") == ["d c 1", "b c 2", "b a 3"]

    def test_of_ways_as_short_it_is_the_first_in_order_of_edges(self, graph):
        graph.relate([states("m", "a y b", "a x c", "b z", "c z"), states("l", "c z")])
        steps = graph.shortest_path([SCOPE], "a", "z")
        assert [(step.source, step.relation, step.target, step.memory) for step in steps] == [("a", "x", "c", "m"), ("c", "knows", "z", "l")]

    @pytest.mark.parametrize("hops", [1, 2, 3, 4])
    def test_it_is_no_longer_than_asked_for(self, graph, hops):
        graph.relate([states("m", *CHAIN)])
        assert len(way(graph, "a", "abcdef"[hops], hops=hops)) == hops
        assert way(graph, "a", "abcdef"[hops + 1], hops=hops) == []

    def test_there_is_none_to_oneself_or_to_the_unknown(self, graph):
        graph.relate([states("m", "a b", "a a", "c d")])
        assert way(graph, "a", "a") == way(graph, "a", "d") == way(graph, "a", "unknown") == way(graph, "unknown", "a") == []

    def test_it_goes_round_a_hub_and_may_end_or_begin_at_one(self, graph):
        graph.relate([states("m", "a user", "user b", "a c", "c d", "d b")])
        assert way(graph, "a", "b", hubs=["user"]) == ["a c 1", "c d 2", "d b 3"]
        assert way(graph, "a", "user", hubs=["user"]) == ["a user 1"]
        assert way(graph, "user", "d", hubs=["user"]) == ["user b 1", "d b 2"]

    def test_it_goes_round_a_crowded_entity(self, graph):
        graph.relate([states("m", "a town", "town b", "a c", "c d", "d b"), states("n", *(f"p{n:03} town" for n in range(199)))])
        assert way(graph, "a", "b") == ["a c 1", "c d 2", "d b 3"]
        assert way(graph, "a", "town") == ["a town 1"]

    def test_it_sees_more_than_fifty_edges(self, graph):
        graph.relate([states("m", *(f"a b{n:03}" for n in range(150)), "b149 z")])
        assert way(graph, "a", "z") == ["a b149 1", "b149 z 2"]

    def test_it_stays_within_one_scope(self, graph):
        graph.relate([states("m", "a b"), states("m", "b c", scope=OTHER)])
        assert way(graph, "a", "c", scopes=(SCOPE, OTHER)) == []

    def test_of_several_scopes_it_is_the_shortest(self, graph):
        graph.relate([states("m", "a b", "b c"), states("m", "a c", scope=OTHER)])
        steps = graph.shortest_path([SCOPE, OTHER], "a", "c")
        assert [step.scope for step in steps] == [OTHER]


class TestMemories:
    def test_edges_go_with_their_memory(self, graph):
        graph.relate([states("m", "a b", "b c"), states("n", "c d")])
        graph.relate([states("m", version=2)])
        assert pairs(graph, "a", "b", hops=2) == []
        assert pairs(graph, "d", hops=2) == ["c d 1"]

    def test_an_entity_without_edges_goes_and_a_shared_one_stays(self, graph):
        graph.relate([states("m", "a b", "b c"), states("n", "c d", state=3)])
        graph.relate([states("m", version=2)])
        assert graph.entities(SCOPE) == {"c": "", "d": ""}

    def test_entities_have_their_types(self, graph):
        graph.relate([Associations(SCOPE, "m", 1, 1, (Link("ann", "works-at", "acme", "person", ""), Link("acme", "in", "rome", "organisation", "place")))])
        assert graph.entities(SCOPE) == {"ann": "person", "acme": "organisation", "rome": "place"}

    def test_what_a_memory_states_now_takes_the_place_of_what_it_stated(self, graph):
        graph.relate([states("m", "a b", "a c")])
        graph.relate([states("m", "a c", "a d", version=2)])
        assert pairs(graph, "a") == ["a c 1", "a d 1"]

    def test_edges_follow_the_state_of_their_memory(self, graph):
        graph.relate([states("m", "a b")])
        graph.relate([states("m", "a b", version=2, state=3)])
        assert pairs(graph, "a") == []
        graph.relate([states("m", "a b", version=3)])
        assert pairs(graph, "a") == ["a b 1"]

    @pytest.mark.parametrize("version", [1, 2])
    def test_a_late_or_repeated_version_changes_nothing(self, graph, version):
        graph.relate([states("m", "a b", version=2)])
        graph.relate([states("m", "a c", version=version), states("m", version=version)])
        assert pairs(graph, "a") == ["a b 1"]

    @pytest.mark.parametrize("version", [1, 4, 5])
    def test_a_late_version_does_not_bring_back_what_went(self, opened, graph, version):
        graph.relate([states("m", "a b", version=4)])
        graph.relate([states("m", version=5)])
        graph.relate([states("m", "a b", version=version)])
        assert pairs(graph, "a") == pairs(opened(), "a") == []

    def test_a_removal_counts_even_if_it_comes_first(self, graph):
        graph.relate([states("m", version=2**53)])
        graph.relate([states("m", "a b", version=9)])
        assert pairs(graph, "a") == []

    def test_of_several_in_one_call_the_highest_version_stays(self, graph):
        graph.relate([states("m", "a b", version=2), states("m", "a c", version=3), states("m", "a d")])
        assert pairs(graph, "a") == ["a c 1"]

    def test_nothing_to_relate_is_done(self, graph):
        graph.relate([])
        assert graph.entities(SCOPE) == {}

    def test_another_instance_sees_the_same(self, opened, graph):
        other = opened()
        graph.relate([states("m", *CHAIN)])
        assert around(other, "a", hops=4) == around(graph, "a", hops=4) == around(opened(), "a", hops=4)


class TestScopes:
    def test_another_scopes_vertex_is_never_met(self, graph):
        graph.relate([states("m", "a b"), states("n", "b c", scope=OTHER), states("o", "a d", scope=f"{SCOPE}x")])
        assert pairs(graph, "a", hops=4) == ["a b 1"]
        assert graph.entities(SCOPE) == {"a": "", "b": ""}

    def test_a_walk_over_several_scopes_does_not_cross_from_one_into_another(self, graph):
        graph.relate([states("m", "a b", "c d"), states("m", "b c", "d e", scope=OTHER)])
        assert pairs(graph, "a", hops=4, scopes=(SCOPE, OTHER)) == ["a b 1"]
        assert {step.scope for step in around(graph, "b", "c", hops=4, scopes=(OTHER, SCOPE, SCOPE)).steps} == {SCOPE, OTHER}

    def test_one_memory_id_in_two_scopes_is_two_memories(self, graph):
        graph.relate([states("m", "a b"), states("m", "a c", scope=OTHER)])
        graph.relate([states("m", version=2, scope=OTHER)])
        assert pairs(graph, "a", scopes=(SCOPE, OTHER)) == ["a b 1"]

    def test_crowds_of_other_scopes_are_not_counted(self, graph):
        graph.relate([states("m", "a town", "town b"), states("n", *(f"p{n:03} town" for n in range(300)), scope=OTHER)])
        assert pairs(graph, "a", hops=2, scopes=(SCOPE, OTHER)) == way(graph, "a", "b") == ["a town 1", "town b 2"]


ODD = ["x').drop().V('", "'; DROP TABLE edges; --", "\x00", "a\x00b", "a", "%", "_", '"\\', "${x}", "é", "e\u0301", "张三", "👩‍👩‍👧", "记" * 200, " "]


class TestNames:
    @pytest.mark.parametrize("name", ODD)
    def test_they_are_stored_as_they_are(self, graph, name):
        graph.relate([Associations(f"s{name}", f"m{name}", 1, 1, (Link(name, f"r{name}", f"t{name}"), Link(f"t{name}", "then", "z")))])
        graph.relate([states("other", "a b")])
        expected = Step(f"s{name}", name, f"r{name}", f"t{name}", f"m{name}", 1)
        assert graph.neighbourhood([f"s{name}"], [name], hops=1, limit=9).steps == (expected,)
        assert graph.shortest_path([f"s{name}"], name, "z") == (expected, Step(f"s{name}", f"t{name}", "then", "z", f"m{name}", 2))
        assert around(graph, name, hops=1, scopes=[f"s{name}"], hubs=[name]).steps == (expected,)

    def test_names_that_look_alike_are_not_one(self, graph):
        graph.relate([Associations(SCOPE, f"m{n}", 1, 1, (Link(name, "is", f"thing{n}"),)) for n, name in enumerate(ODD)])
        for n, name in enumerate(ODD):
            assert [step.target for step in around(graph, name).steps] == [f"thing{n}"]

    def test_half_a_character_is_refused_with_all_that_came_with_it_and_never_found(self, graph):
        with pytest.raises(Malformed):
            graph.relate([states("m", "a b"), states("n", "a \ud800")])
        assert pairs(graph, "a", "\ud800") == way(graph, "a", "\ud800") == pairs(graph, "a", scopes=["\ud800"]) == []


NUMBERS = count()
ENTITY = st.sampled_from("abcdefg")
LINK = st.builds(Link, ENTITY, st.sampled_from(["knows", "likes"]), ENTITY)
STATEMENT = st.builds(
    Associations, st.sampled_from(["one", "two"]), st.sampled_from(["m1", "m2", "m3", "m4"]), st.integers(1, 4), st.integers(1, 4),
    st.lists(LINK, max_size=4).map(tuple),
)
CALLS = st.lists(st.lists(STATEMENT, max_size=4), max_size=5)


@dataclass(frozen=True)
class Model:
    """The edges that may be walked, as (scope, source, relation, target, memory)."""

    edges: frozenset

    def distances(self, scope, starts, hubs):
        """How many edges each entity is away from the starts."""
        far, front = dict.fromkeys(starts, 0), list(starts)
        while front:
            here = front.pop(0)
            if here in hubs and far[here]:
                continue
            for end in sorted({end for _, a, _, b, _ in self.within(scope) if here in {a, b} for end in (a, b)} - far.keys()):
                far[end] = far[here] + 1
                front.append(end)
        return far

    def within(self, scope):
        return [edge for edge in self.edges if edge[0] == scope]

    def steps(self, scopes, starts, hops, hubs):
        """Every edge that an entity which may be left has, one further than that entity."""
        steps = set()
        for scope in scopes:
            left = {name: far for name, far in self.distances(scope, starts, hubs).items() if not far or name not in hubs}
            for edge in self.within(scope):
                away = [left[end] + 1 for end in (edge[1], edge[3]) if end in left]
                if away and min(away) <= hops:
                    steps.add(Step(*edge, min(away)))
        return steps


def applied(graph, calls, example):
    """Relate in scopes of this example; the edges of the highest version of each memory."""
    latest = {}
    for call in calls:
        graph.relate([Associations(f"{each.scope}/{example}", each.memory, each.version, each.state, each.links) for each in call])
        for each in call:
            if each.version > getattr(latest.get((each.scope, each.memory)), "version", 0):
                latest[each.scope, each.memory] = each
    return Model(frozenset(
        (f"{each.scope}/{example}", link.source, link.relation, link.target, each.memory)
        for each in latest.values() if each.state in {1, 2} for link in each.links
    ))


class TestLaws:
    @settings(deadline=None, max_examples=80)
    @given(calls=CALLS, starts=st.lists(ENTITY, max_size=2), hops=st.integers(1, 4), hubs=st.lists(ENTITY, max_size=2))
    def test_a_walk_meets_what_a_search_through_all_edges_meets(self, shared, calls, starts, hops, hubs):
        example = next(NUMBERS)
        model = applied(shared, calls, example)
        for scopes in ([f"one/{example}"], [f"one/{example}", f"two/{example}"]):
            near = shared.neighbourhood(scopes, starts, hops=hops, limit=1000, hubs=hubs)
            assert len(near.steps) == len(set(near.steps))
            assert set(near.steps) == model.steps(scopes, starts, hops, hubs)
            assert list(near.steps) == sorted(near.steps, key=lambda s: (s.hops, s.source, s.relation, s.target, s.memory, s.scope))
            assert not near.truncated

    @settings(deadline=None, max_examples=80)
    @given(calls=CALLS, hops=st.integers(1, 4), hubs=st.lists(ENTITY, max_size=2))
    def test_a_path_is_as_long_as_the_distance_and_hangs_together(self, shared, calls, hops, hubs):
        example = next(NUMBERS)
        model, scope = applied(shared, calls, example), f"one/{example}"
        for source, target in product("abg", "abcdefg"):
            steps = shared.shortest_path([scope], source, target, hops=hops, hubs=hubs)
            distance = model.distances(scope, [source], hubs).get(target, 99)
            assert len(steps) == (distance if distance <= hops else 0)
            here = source
            for at, step in enumerate(steps, 1):
                assert (scope, step.source, step.relation, step.target, step.memory) in model.edges
                assert step.hops == at
                assert here in {step.source, step.target}
                here = step.target if here == step.source else step.source
            assert not steps or here == target
