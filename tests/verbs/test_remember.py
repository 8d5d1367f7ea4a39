"""remember: what is said becomes turns and memories, once each, whoever races and whatever breaks on the way."""

from dataclasses import replace
from datetime import timedelta

import pytest

from chalicelib.errors import Conflict, StoreUnavailable
from chalicelib.mind.memories import MOST_SOURCES
from chalicelib.mind.rows import Put
from chalicelib.mind.turns import Said
from chalicelib.once import Claim

THREADS = 16
WINDOW = ["one", "two", "three", "four", "five"]


class Killed(BaseException):
    """The worker is dead; nobody catches it."""


class DyingExtractor:
    """Gives up the ghost after so many statements have been committed."""

    def __init__(self, extractor, after):
        self.extractor, self.after = extractor, after

    def extract(self, turns):
        def dying():
            for number, statement in enumerate(self.extractor.extract(turns)):
                if number == self.after:
                    raise Killed
                yield statement
        return Dying(self.extractor.extract(turns), dying)


class Dying(list):
    """Statements of which the first few can be read more than once, as derivation does, before death."""

    def __init__(self, statements, dying):
        super().__init__(statements)
        self.dying, self.read = dying, 0

    def __iter__(self):
        self.read += 1
        return super().__iter__() if self.read == 1 else self.dying()


class Meanwhile:
    """An extractor while whose reading something else happens, once."""

    def __init__(self, extractor, act):
        self.extractor, self.act = extractor, act

    def extract(self, turns):
        act, self.act = self.act, lambda: None
        act()
        return self.extractor.extract(turns)


class Broken:
    """An extractor that always fails."""

    def extract(self, _turns):
        raise ValueError


class Going:
    """A table that takes so many commits and then does not answer any more."""

    def __init__(self, table, after):
        self.table, self.left = table, after

    def __getattr__(self, name):
        def called(*args, **more):
            self.left -= name == "commit"
            if self.left < 0:
                raise StoreUnavailable("table", name)
            return getattr(self.table, name)(*args, **more)
        return called


def task_of(mind):
    """The one task that is open."""
    [(project, task)] = mind.tasks.open()
    return mind.tasks.find(project, task)[0]


def contents(mind, conversation="c"):
    return [turn.content for turn in mind.turns(conversation)]


def by_id(*numbers):
    return [Said("user", "", f"message {number}", message=f"m{number}") for number in numbers]


def test_what_is_said_becomes_turns_and_its_statements_memories(mind):
    done = mind.say("Note I like tea. Hello.", "Note I like cake")
    assert contents(mind) == ["Note I like tea. Hello.", "Note I like cake"]
    assert done.task.status == "succeeded"
    assert done.task.result["summarys"] == ["I like tea", "I like cake"]
    assert done.task.result["ids"] == [memory.id for memory in mind.kept()]
    assert (done.repeated, done.warnings, mind.pending()) == (0, (), [])


def test_the_same_statement_again_is_one_more_source_and_no_news(mind):
    mind.say("Note I like tea")
    mind.clock.move(hours=1)
    done = mind.say("Note i like  TEA!")
    assert done.task.result == {"count": 0, "summarys": [], "ids": []}
    [memory] = mind.kept()
    assert [source.position for source in memory.sources] == [0, 1]


def test_what_means_something_else_is_a_memory_of_its_own(mind):
    mind.say("Note I write C", "Note I write C++", "Note I write C#")
    assert [memory.text for memory in mind.kept()] == ["I write C", "I write C++", "I write C#"]


def test_a_statement_in_the_third_person_is_opened_by_the_bodys_name(mind):
    done = mind.say("Note likes tea", options={"third_person": True, "metadata": "m"})
    assert done.task.result["summarys"] == ["ada: likes tea"]
    assert mind.kept()[0].metadata == "m"


def test_a_long_list_is_accepted_in_pieces_without_a_gap(mind):
    texts = [f"message {number}" for number in range(150)]
    assert mind.say(*texts).task.done == 150
    assert contents(mind) == texts
    assert [turn.position for turn in mind.turns("c")] == list(range(150))


def test_long_messages_with_many_terms_fit_into_their_commits(mind):
    texts = [" ".join(f"a{number:x}{each}-b{number:x}" for number in range(3_000)) for each in range(30)]
    assert mind.say(*texts).task.status == "succeeded"
    assert contents(mind) == texts


class TestRepeatedWindows:
    def test_a_window_sent_again_brings_no_turn(self, mind):
        mind.say(*WINDOW)
        done = mind.say(*WINDOW)
        assert (done.repeated, done.task.status, done.task.result["ids"]) == (5, "succeeded", [])
        assert contents(mind) == WINDOW

    def test_of_a_window_that_slides_only_what_is_new_is_accepted(self, mind):
        mind.say(*WINDOW)
        assert mind.say(*WINDOW[1:], "six", "seven").repeated == 4
        assert contents(mind) == [*WINDOW, "six", "seven"]

    def test_three_messages_are_said_twice_and_make_no_second_memory(self, mind):
        mind.say("Note a", "Note b", "Note c")
        assert mind.say("Note a", "Note b", "Note c").repeated == 0
        assert len(mind.turns("c")) == 6
        assert len(mind.kept()) == 3

    def test_a_list_is_known_as_a_whole_in_another_conversation_for_seven_days(self, mind):
        mind.say(*WINDOW)
        mind.clock.move(days=7, seconds=-1)
        assert mind.say(*WINDOW, conversation="d").repeated == 5
        mind.clock.move(seconds=1)
        assert mind.say(*WINDOW, conversation="e").repeated == 0
        assert (len(mind.turns("d")), len(mind.turns("e"))) == (0, 5)

    def test_a_window_longer_than_what_the_head_keeps_is_known_too(self, mind):
        texts = [f"message {number}" for number in range(100)]
        mind.say(*texts)
        mind.clock.move(days=8)
        assert mind.say(*texts[10:], "one more").repeated == 90
        assert len(mind.turns("c")) == 101

    def test_client_ids_decide(self, mind):
        mind.say(*by_id(1, 2))
        assert mind.say(*by_id(2, 3, 3)).repeated == 2
        assert [turn.message for turn in mind.turns("c")] == ["m1", "m2", "m3"]
        assert mind.say(replace(by_id(1)[0], content="edited"), Said("user", "", "message 1")).repeated == 1
        assert contents(mind) == ["message 1", "message 2", "message 3", "message 1"]

    def test_the_same_words_under_new_ids_are_new(self, mind):
        mind.say(*(Said("user", "", text, message=f"a{text}") for text in WINDOW))
        assert mind.say(*(Said("user", "", text, message=f"b{text}") for text in WINDOW)).repeated == 0

    def test_messages_with_ids_between_others_hide_no_repeat_of_those(self, mind):
        mixed = [*WINDOW[:3], *by_id(1, 2), *WINDOW[3:]]
        mind.say(*mixed)
        assert mind.say(*mixed[1:], "one more").repeated == len(mixed) - 1
        assert contents(mind)[-2:] == [WINDOW[-1], "one more"]

    def test_another_scope_has_its_own_windows(self, mind):
        mind.say(*WINDOW)
        other = replace(mind, scope=replace(mind.scope, layer="user", owner="bob"))
        assert other.say(*WINDOW).repeated == 0

    def test_a_long_list_sent_again_while_it_is_still_being_accepted_is_accepted_once(self, mind, interrupted):
        """A client that loses patience sends its request again, and the two take turns piece by piece."""
        texts = [f"message {number}" for number in range(70)]
        second = []
        slow = replace(mind, table=interrupted(mind.table, "commit", lambda: second.append(mind.say(*texts))))
        first = slow.say(*texts)
        assert contents(mind) == texts
        assert (second[0].repeated, first.repeated) == (28, 42)
        assert {first.task.status, second[0].task.status} == {"succeeded"}

    def test_messages_with_ids_that_another_request_has_brought_meanwhile_are_known(self, mind, interrupted):
        second = []
        slow = replace(mind, table=interrupted(mind.table, "commit", lambda: second.append(mind.say(*by_id(*range(20, 60))))))
        first = slow.say(*by_id(*range(50)), "a last word")
        assert [turn.message for turn in mind.turns("c")] == [*(f"m{number}" for number in range(60)), None]
        assert (second[0].repeated, first.repeated) == (8, 22)


class TestAgain:
    def test_a_request_that_is_repeated_changes_nothing(self, mind):
        first = mind.say("Note a", "b", request="r1")
        again = mind.say("Note a", "b", request="r1")
        assert again.task == first.task
        assert len(mind.turns("c")) == 2

    def test_a_request_that_was_begun_with_other_messages_is_a_conflict(self, mind):
        mind.say("a", request="r1")
        with pytest.raises(Conflict, match="other messages"):
            mind.say("b", request="r1")
        assert contents(mind) == ["a"]

    def test_one_key_from_many_at_once_is_one_memory_and_one_reply(self, mind, at_once):
        claim = Claim("caller", "POST /v1/memories", "key", "body", "task_x")

        def act(task):
            done = mind.say("Note I like tea", request=claim.request, task=task)
            return {"task": done.task.id, "summarys": done.task.result["summarys"]}

        results = at_once(lambda number: mind.once(replace(claim, task=f"task_{number}"), act, now=mind.now()), THREADS)
        replies = [result[0] for result in results if not isinstance(result, Exception)]
        refusals = [result for result in results if isinstance(result, Exception)]
        assert all(reply == replies[0] for reply in replies)
        assert all(isinstance(refusal, Conflict) and replies[0]["task"] in str(refusal) for refusal in refusals)
        assert mind.once(claim, act, now=mind.now()) == (replies[0], True)
        assert (len(mind.turns("c")), len(mind.kept()), replies[0]["summarys"]) == (1, 1, ["I like tea"])

    def test_one_statement_from_many_at_once_is_one_memory_with_all_its_sources(self, mind, at_once):
        results = at_once(lambda _: mind.say("Note I like tea"), THREADS)
        [memory] = mind.kept()
        assert sorted(source.position for source in memory.sources) == list(range(THREADS))
        assert sum(result.task.result["count"] for result in results) == 1
        assert all(result.task.status == "succeeded" for result in results)
        assert (len(mind.turns("c")), mind.pending()) == (THREADS, [])

    def test_positions_have_no_gap_however_many_write(self, mind, at_once):
        results = at_once(lambda number: mind.say(*(f"{number}: {each}" for each in range(5))), THREADS)
        assert not [result for result in results if isinstance(result, Exception)]
        turns = mind.turns("c")
        assert [turn.position for turn in turns] == list(range(5 * THREADS))
        assert len({turn.content for turn in turns}) == 5 * THREADS


class TestBadDays:
    def test_a_deferred_request_is_durable_and_waits_for_a_worker(self, mind):
        done = mind.say("Note I like tea", deferred=True)
        assert (done.task.status, done.warnings, mind.kept()) == ("pending", (), [])
        [message] = mind.queue.receive(limit=10, visibility=60)
        assert message.body == {"project": "p", "task": done.task.id}
        assert mind.carry_on(done.task)
        assert mind.tasks.find("p", done.task.id)[0].result["summarys"] == ["I like tea"]
        assert (mind.pending(), list(mind.tasks.open())) == ([], [])

    def test_without_patience_the_rest_is_left_to_a_worker(self, mind):
        done = mind.say("Note I like tea", patient=False)
        assert (done.task.status, done.task.leased_until, len(mind.turns("c"))) == ("pending", None, 1)
        assert mind.carry_on(done.task)
        assert len(mind.kept()) == 1

    @pytest.mark.parametrize("port", ["index", "graph", "embedder"])
    def test_with_a_projection_down_everything_is_accepted_and_the_reply_says_so(self, mind, down, mute, port):
        hurt = replace(mind, **{port: mute if port == "embedder" else down})
        done = hurt.say("Note Ann knows Bob")
        assert done.task.status == "succeeded"
        assert len(done.warnings) == 1
        assert "not indexed yet" in done.warnings[0]
        assert (len(mind.turns("c")), len(mind.kept()), len(mind.pending())) == (1, 1, 2)

    def test_with_the_queue_down_a_deferred_request_waits_for_the_sweep(self, mind, down):
        done = replace(mind, queue=down).say("Note I like tea", deferred=True)
        assert len(done.warnings) == 1
        assert list(mind.tasks.open()) == [("p", done.task.id)]

    def test_with_the_extractor_and_the_queue_down_nothing_accepted_is_lost(self, mind, down):
        done = replace(mind, queue=down, extractor=down).say("Note I like tea")
        assert (done.task.status, len(done.warnings)) == ("running", 2)
        mind.clock.move(seconds=60)
        assert mind.carry_on(done.task)
        assert len(mind.kept()) == 1

    @pytest.mark.parametrize("nth", range(4))
    def test_with_the_table_gone_after_the_turns_are_accepted_nothing_is_lost(self, mind, nth):
        """The table goes at the next commit, of which there are four: the turns, the memory, progress, the end."""
        table = Going(mind.table, after=nth)
        if nth == 0:
            with pytest.raises(StoreUnavailable):
                replace(mind, table=table).say("Note I like tea", request="r1")
        else:
            assert replace(mind, table=table).say("Note I like tea", request="r1").warnings
        mind.clock.move(seconds=60)
        mind.say("Note I like tea", request="r1")
        for project, task in list(mind.tasks.open()):
            assert mind.carry_on(mind.tasks.find(project, task)[0])
        mind.sweep()
        assert (contents(mind), [memory.text for memory in mind.kept()], mind.pending()) == (["Note I like tea"], ["I like tea"], [])

    @pytest.mark.parametrize("after", [0, 1, 2, 4])
    def test_who_carries_on_after_a_death_doubles_nothing_and_lists_each_memory_once(self, mind, after):
        mind.say("Note known before")
        texts = ["Note a. Note b.", "Note a", "Note known before", "Note c"]
        task = mind.say(*texts, deferred=True, request="r1").task
        with pytest.raises(Killed):
            replace(mind, extractor=DyingExtractor(mind.extractor, after)).carry_on(task)
        assert not mind.carry_on(task)
        mind.clock.move(seconds=60)
        assert mind.carry_on(task)
        assert sorted(memory.text for memory in mind.kept()) == ["a", "b", "c", "known before"]
        done, _ = mind.tasks.find("p", task.id)
        assert (sorted(done.result["summarys"]), done.result["count"], len(set(done.result["ids"]))) == (["a", "b", "c"], 3, 3)
        assert {memory.text: len(memory.sources) for memory in mind.kept()} == {"a": 2, "b": 1, "c": 1, "known before": 2}
        assert mind.pending() == []

    def test_a_statement_made_by_very_many_turns_survives_a_death_with_the_same_sources(self, mind):
        task = mind.say(*["Note a"] * 60, "Note b", deferred=True).task
        with pytest.raises(Killed):
            replace(mind, extractor=DyingExtractor(mind.extractor, 60)).carry_on(task)
        before = next(memory for memory in mind.kept() if memory.text == "a").sources
        mind.clock.move(seconds=60)
        assert mind.carry_on(task)
        assert len(before) == MOST_SOURCES
        assert next(memory for memory in mind.kept() if memory.text == "a").sources == before

    def test_a_task_that_waited_longer_than_a_week_still_makes_its_memories(self, mind):
        waiting = mind.say("Note a", deferred=True).task
        mind.clock.move(days=30)
        assert mind.carry_on(waiting)
        assert [memory.text for memory in mind.kept()] == ["a"]

    def test_a_task_that_fails_again_and_again_is_given_up_and_its_turns_stay(self, mind):
        task = mind.say("Note a", deferred=True).task
        served = [replace(mind, extractor=Broken()).carry_on(task) for _ in range(5)]
        assert served == [False] * 4 + [True]
        failed, _ = mind.tasks.find("p", task.id)
        assert (failed.status, failed.attempts, failed.error["code"]) == ("failed", 5, "B0001")
        assert (contents(mind), list(mind.tasks.open())) == (["Note a"], [])
        assert mind.ask("What was the note?").evidence

    def test_a_model_that_is_away_is_not_the_tasks_fault(self, mind, down):
        task = mind.say("Note a", deferred=True).task
        assert [replace(mind, extractor=down).carry_on(task) for _ in range(9)] == [False] * 9
        assert mind.carry_on(task)
        assert len(mind.kept()) == 1

    def test_a_task_whose_workers_die_without_a_word_is_given_up_too(self, mind):
        task = mind.say("Note a", deferred=True).task
        for _ in range(5):
            with pytest.raises(Killed):
                replace(mind, extractor=DyingExtractor(mind.extractor, 0)).carry_on(task)
            mind.clock.move(seconds=60)
        assert mind.carry_on(task)
        failed, _ = mind.tasks.find("p", task.id)
        assert (failed.status, failed.error["msg"]) == ("failed", "SilencedError in each of 6 attempts")

    def test_a_long_task_that_gets_further_each_time_is_never_given_up(self, mind):
        task = mind.say(*(f"Note {number}" for number in range(640)), deferred=True).task
        for piece in range(9):
            turns = iter([True, False, False])
            assert not replace(mind, patient=lambda turns=turns: next(turns)).carry_on(task)
            assert mind.tasks.find("p", task.id)[0].done == 64 * (piece + 1)
            with pytest.raises(Killed):
                replace(mind, extractor=DyingExtractor(mind.extractor, 0)).carry_on(task)
            mind.clock.move(seconds=60)
        assert mind.carry_on(task)
        assert len(mind.kept()) == 640

    def test_who_was_thought_dead_takes_nothing_from_whom_came_after(self, mind):
        """The first worker fails long after its lease, while the second is at it."""
        task = mind.say("Note a", deferred=True).task

        def overtaken():
            mind.clock.move(seconds=61)
            mind.tasks.claim("p", task.id, holder="second", now=mind.now())
            raise ValueError

        assert not replace(mind, extractor=Meanwhile(mind.extractor, overtaken)).carry_on(task)
        held, _ = mind.tasks.find("p", task.id)
        assert (held.holder, held.held(mind.now())) == ("second", True)

    def test_long_messages_are_read_in_pieces_so_that_a_task_can_be_put_down_between_them(self, mind):
        task = mind.say(*(f"Note {number} " + "x" * 90_000 for number in range(5)), deferred=True).task
        turns = iter([True, False, False])
        assert not replace(mind, patient=lambda: next(turns)).carry_on(task)
        assert mind.tasks.find("p", task.id)[0].done == 2

    def test_a_task_that_is_deleted_under_way_ends_without_a_trace(self, mind):
        task = mind.say("Note a", deferred=True).task
        claimed, version = mind.tasks.claim("p", task.id, holder="one", now=mind.now())
        mind.tasks.delete(task, now=mind.now())
        with pytest.raises(Conflict):
            mind.derivation(claimed, version, (), clock=mind.now, ids=mind.ids, patience=mind.patience())
        assert mind.tasks.find("p", task.id) is None
        assert list(mind.tasks.open()) == []

    def test_a_task_can_be_deleted_while_its_request_is_still_being_accepted(self, mind, interrupted):
        """Its receipt grows between the two halves of the deletion, which then looks once more."""
        texts, told = [f"message {number}" for number in range(70)], []

        def delete():
            task = task_of(mind)
            racing = interrupted(mind.table, "get", grow, about="receipt/")
            replace(mind, table=racing).tasks.delete(task, now=mind.now())
            told.append(mind.tasks.find(task.project, task.id))

        def grow():
            [receipt] = mind.rows("receipt/")
            mind.table.commit([Put(receipt.key, receipt.data, receipt.version)])

        done = replace(mind, table=interrupted(mind.table, "commit", delete)).say(*texts)
        assert told == [None]
        assert mind.tasks.find("p", done.task.id) is None
        assert "deleted" in done.warnings[0]
        assert contents(mind) == texts
        assert mind.rows("receipt/")[0].expires

    @pytest.mark.parametrize("deferred", [True, False])
    def test_a_retry_of_what_died_half_accepted_draws_memories_from_all_of_it_though_a_worker_was_quicker(self, mind, deferred):
        texts = [f"Note {number}" for number in range(70)]
        with pytest.raises(StoreUnavailable):
            replace(mind, table=Going(mind.table, after=1)).say(*texts, request="r1")
        mind.clock.move(seconds=61)
        assert mind.carry_on(task_of(mind))
        assert len(mind.kept()) == 28
        done = mind.say(*texts, request="r1", deferred=deferred)
        for project, task in list(mind.tasks.open()):
            assert mind.carry_on(mind.tasks.find(project, task)[0])
        assert (len(mind.kept()), list(mind.tasks.open())) == (70, [])
        assert mind.tasks.find("p", done.task.id)[0].result["count"] == 70

    def test_what_a_retry_accepts_while_a_worker_is_at_it_is_not_closed_over(self, mind):
        texts = [f"Note {number}" for number in range(70)]
        with pytest.raises(StoreUnavailable):
            replace(mind, table=Going(mind.table, after=1)).say(*texts, request="r1")
        mind.clock.move(seconds=61)
        task = task_of(mind)
        replace(mind, extractor=Meanwhile(mind.extractor, lambda: mind.say(*texts, request="r1"))).carry_on(task)
        mind.clock.move(seconds=61)
        mind.carry_on(task)
        assert (len(mind.kept()), list(mind.tasks.open())) == (70, [])

    @pytest.mark.parametrize("deferred", [True, False])
    def test_a_request_sent_again_when_its_task_is_not_known_any_more_gets_one_that_is_done(self, mind, deferred):
        mind.say("Note a", request="r1", task="task_one")
        done = mind.say("Note a", request="r1", task="task_two", deferred=deferred)
        assert (done.task.status, done.warnings) == ("succeeded", ())
        assert mind.tasks.find("p", "task_two")[0].finished

    def test_messages_that_grow_when_they_are_kept_are_accepted_in_smaller_pieces(self, mind):
        texts = [chr(1 + number) * 40_000 for number in range(8)] * 3
        assert mind.say(*texts).task.status == "succeeded"
        assert contents(mind) == texts

    def test_a_request_whose_task_is_deleted_under_way_says_so_and_queues_nothing(self, mind):
        extractor = Meanwhile(mind.extractor, lambda: mind.tasks.delete(task_of(mind), now=mind.now()))
        done = replace(mind, extractor=extractor).say("Note a")
        assert (done.task.status, len(done.warnings), mind.queue.depth()) == ("failed", 1, 0)
        assert "deleted" in done.warnings[0]

    def test_a_request_whose_task_a_worker_has_taken_over_and_finished_gets_its_result(self, mind):
        def overtaken():
            mind.clock.move(seconds=61)
            assert mind.carry_on(task_of(mind))

        done = replace(mind, extractor=Meanwhile(mind.extractor, overtaken)).say("Note a")
        assert (done.task.status, done.task.result["summarys"], done.warnings) == ("succeeded", ["a"], ())

    @pytest.mark.parametrize("ending", ["deleted", "failed", "succeeded"])
    def test_the_receipt_of_a_task_goes_a_week_after_its_end(self, mind, ending):
        task = mind.say("Note a", deferred=True, request="r1").task
        if ending == "deleted":
            mind.tasks.delete(task, now=mind.now())
        for _ in range(5):
            replace(mind, extractor=Broken() if ending == "failed" else mind.extractor).carry_on(task)
        found = mind.tasks.find("p", task.id)
        assert (found[0].status if found else "deleted") == ending
        [receipt] = mind.rows("receipt/")
        assert receipt.expires == int(mind.now().timestamp()) + 7 * 86_400

    def test_a_memory_that_has_expired_is_made_anew(self, mind):
        mind.say("Note busy now")
        mind.clock.now += timedelta(hours=2)
        mind.say("Note busy now")
        assert len(mind.kept()) == 2
