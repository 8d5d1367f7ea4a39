"""What every Queue keeps to: nothing sent is lost, nothing is worked on by two at once, nothing finished comes again.

A backend is a line of `OPENED`.
"""

import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Barrier

import pytest

from chalicelib.errors import Malformed
from chalicelib.mind.messages import Message
from chalicelib.ports import Queue
from chalicelib.stores.sqlite.connection import Database
from chalicelib.stores.sqlite.queue import SqliteQueue

ROOT = Path(__file__).resolve().parents[2]


@dataclass
class FakeClock:
    """A clock that stands still until it is moved."""

    now: float = 1_700_000_000.25

    def __call__(self) -> float:
        return self.now

    def move(self, seconds: float) -> None:
        self.now += seconds


@dataclass(frozen=True)
class Backend:
    """`instance` gives an instance over the one store; `wait` lets seconds pass for it."""

    instance: Callable[[], Queue]
    wait: Callable[[float], None]


@contextmanager
def embedded(path):
    clock = FakeClock()
    with closing(Database(path / "queue.sqlite", clock)) as database:
        yield Backend(lambda: SqliteQueue(database), clock.move)


OPENED: dict[str, Callable] = {"embedded": embedded}
"""How to open each backend: a context that gives a `Backend`."""


@pytest.fixture(params=OPENED)
def backend(request, tmp_path):
    with OPENED[request.param](tmp_path) as opened:
        yield opened


@pytest.fixture
def queue(backend):
    return backend.instance()


def send(queue, *names):
    for name in names:
        queue.send({"task": name})


def received(queue, limit=10, visibility=60):
    return [message.body["task"] for message in queue.receive(limit=limit, visibility=visibility)]


class TestDelivery:
    def test_what_is_sent_is_received(self, queue):
        queue.send({"project": "p", "task": "任务 '1'; --\x00"})
        (message,) = queue.receive(limit=10, visibility=60)
        assert (message.body, message.deliveries) == ({"project": "p", "task": "任务 '1'; --\x00"}, 1)

    def test_an_empty_queue_gives_nothing(self, queue):
        assert queue.receive(limit=10, visibility=60) == []

    def test_the_oldest_are_received_first_and_no_more_than_asked_for(self, queue):
        send(queue, *"abcde")
        assert [received(queue, limit=2) for _ in range(4)] == [["a", "b"], ["c", "d"], ["e"], []]

    def test_nothing_is_given_to_who_asks_for_nothing(self, queue):
        send(queue, "a")
        assert received(queue, limit=0) == []
        assert received(queue) == ["a"]

    def test_the_same_body_twice_is_two_messages(self, queue):
        send(queue, "a", "a")
        first, second = queue.receive(limit=10, visibility=60)
        assert first.receipt != second.receipt

    def test_another_instance_receives_what_one_has_sent(self, backend, queue):
        send(queue, "a")
        assert received(backend.instance()) == ["a"]
        assert received(queue) == []


class TestVisibility:
    def test_a_message_in_work_is_hidden(self, backend, queue):
        send(queue, "a")
        assert received(queue, visibility=60) == ["a"]
        backend.wait(59)
        assert received(queue) == []

    def test_an_unfinished_message_appears_again_and_counts_its_deliveries(self, backend, queue):
        send(queue, "a")
        receipts = set()
        for delivery in (1, 2, 3):
            (message,) = queue.receive(limit=1, visibility=60)
            assert message.deliveries == delivery
            receipts.add(message.receipt)
            backend.wait(60)
        assert len(receipts) == 3

    def test_a_message_that_appears_again_goes_before_later_ones(self, backend, queue):
        send(queue, "a")
        assert received(queue, visibility=5) == ["a"]
        send(queue, "b", "c")
        backend.wait(5)
        assert received(queue) == ["a", "b", "c"]

    def test_each_message_is_hidden_as_long_as_its_receiver_asked(self, backend, queue):
        send(queue, "a", "b")
        assert [received(queue, limit=1, visibility=seconds) for seconds in (100, 10)] == [["a"], ["b"]]
        backend.wait(10)
        assert received(queue) == ["b"]

    def test_without_a_time_to_hide_it_is_there_at_once(self, queue):
        send(queue, "a")
        assert [received(queue, visibility=0) for _ in range(3)] == [["a"]] * 3


class TestFinishing:
    def test_a_finished_message_never_appears_again(self, backend, queue):
        send(queue, "a", "b")
        queue.finish(queue.receive(limit=1, visibility=60)[0])
        backend.wait(61)
        assert received(queue) == ["b"]

    def test_finishing_twice_is_finishing(self, queue):
        send(queue, "a", "b")
        (message,) = queue.receive(limit=1, visibility=60)
        queue.finish(message)
        queue.finish(message)
        assert received(queue) == ["b"]

    def test_a_number_is_not_used_again(self, queue):
        send(queue, "a")
        (old,) = queue.receive(limit=1, visibility=60)
        queue.finish(old)
        send(queue, "b")
        queue.finish(old)
        assert received(queue) == ["b"]

    @pytest.mark.parametrize("receipt", ["", "x", "1", "1/", "/1", "-1/1", "1.5/1"])
    def test_a_receipt_that_is_none_is_refused(self, queue, receipt):
        send(queue, "a")
        with pytest.raises(Malformed):
            queue.finish(Message({}, receipt, 1))
        assert received(queue) == ["a"]


class TestManyReceivers:
    def test_eight_threads_receive_each_message_once(self, backend, queue):
        send(queue, *map(str, range(80)))
        start = Barrier(8)

        def work(_thread):
            own, done = backend.instance(), []
            start.wait()
            while messages := own.receive(limit=3, visibility=60):
                done += [message.body["task"] for message in messages]
                for message in messages:
                    own.finish(message)
            return done

        with ThreadPoolExecutor(8) as pool:
            done = [task for tasks in pool.map(work, range(8)) for task in tasks]
        assert Counter(done) == Counter(map(str, range(80)))
        backend.wait(61)
        assert received(queue) == []

    def test_eight_threads_send_and_nothing_is_lost(self, queue):
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda n: send(queue, str(n)), range(64)))
        assert sorted(received(queue, limit=100), key=int) == [str(n) for n in range(64)]


class TestEmbeddedQueue:
    """What only the queue in a file promises."""

    def test_it_says_how_many_are_not_finished(self, backend, queue):
        send(queue, "a", "b", "c")
        first, _ = queue.receive(limit=2, visibility=60)
        assert queue.depth() == 3
        queue.finish(first)
        assert queue.depth() == 2
        backend.wait(61)
        assert queue.depth() == 2

    def test_a_worker_that_finishes_late_still_finishes(self, backend, queue):
        send(queue, "a")
        (late,) = queue.receive(limit=1, visibility=10)
        backend.wait(10)
        (again,) = queue.receive(limit=1, visibility=10)
        queue.finish(late)
        queue.finish(replace(again))
        backend.wait(10)
        assert received(queue) == []

    def test_two_processes_receive_each_message_once(self, tmp_path):
        path = tmp_path / "queue.sqlite"
        program = (
            "import sys; from pathlib import Path; from chalicelib.stores.sqlite.connection import Database\n"
            "from chalicelib.stores.sqlite.queue import SqliteQueue\n"
            "queue = SqliteQueue(Database(Path(sys.argv[1]), lambda: 0.0))\n"
            "while messages := queue.receive(limit=1, visibility=60):\n"
            "    print(messages[0].body['task'])"
        )
        with closing(Database(path, lambda: 0.0)) as database:
            send(SqliteQueue(database), *map(str, range(30)))
        command = [sys.executable, "-c", program, str(path)]
        workers = [subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(2)]
        done = [task for worker in workers for task in worker.communicate()[0].split()]
        assert Counter(done) == Counter(map(str, range(30)))
        assert [worker.returncode for worker in workers] == [0, 0]
