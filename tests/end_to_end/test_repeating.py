"""What goes on beside the requests of the embedded server."""

from queue import Queue

from infra.repeating import Repeating

SECONDS = 30


def test_it_goes_on_without_a_pause_while_there_is_something_left():
    left, done = iter(range(5)), Queue()

    def act(_going):
        number = next(left, None)
        done.put(number)
        return number is not None

    thread = Repeating("queue", act, pause=3600)
    thread.start()
    assert [done.get(timeout=SECONDS) for _ in range(6)] == [0, 1, 2, 3, 4, None]
    thread.end()
    thread.join(SECONDS)
    assert not thread.is_alive()


def test_it_does_not_wait_for_its_pause_when_it_is_woken():
    done = Queue()
    thread = Repeating("queue", lambda _going: done.put(1), pause=3600)
    thread.start()
    done.get(timeout=SECONDS)
    thread.wake()
    done.get(timeout=SECONDS)
    thread.end()
    thread.join(SECONDS)
    assert not thread.is_alive()


def test_after_an_error_it_goes_on_and_the_log_holds_no_words_of_it(caplog):
    tries, words = Queue(), "a private word"

    def act(_going):
        tries.put(1)
        raise RuntimeError(words)

    thread = Repeating("queue", act, pause=0.01)
    thread.start()
    for _ in range(3):
        tries.get(timeout=SECONDS)
    thread.end()
    thread.join(SECONDS)
    assert "queue: RuntimeError" in caplog.text
    assert "private" not in caplog.text


def test_what_has_ended_before_it_began_does_nothing():
    done = Queue()
    thread = Repeating("queue", lambda _going: done.put(1), pause=0)
    thread.end()
    thread.start()
    thread.join(SECONDS)
    assert done.empty()
    assert not thread.is_alive()


def test_what_takes_long_is_told_that_it_should_end():
    begun, told = Queue(), Queue()

    def act(going):
        begun.put(going())
        while going():
            thread.ended.wait(SECONDS)
        told.put(going())

    thread = Repeating("queue", act, pause=3600)
    thread.start()
    assert begun.get(timeout=SECONDS)
    thread.end()
    assert not told.get(timeout=SECONDS)
    thread.join(SECONDS)
    assert not thread.is_alive()
