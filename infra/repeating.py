"""Work that goes on beside the requests: done again and again, until it is told to end."""

import logging
from collections.abc import Callable
from threading import Event, Thread

from chalicelib.failures import quiet

LOG = logging.getLogger("reverie")


class Repeating(Thread):
    """A thread that does *act* until it returns False (nothing left), then pauses until it is woken or time is up.

    An error is logged by its type and place, never by its words, which may quote what somebody said; after a pause it
    goes on. *act* is given `going`, which says whether it should.
    """

    def __init__(self, name: str, act: Callable[[Callable[[], bool]], bool], pause: float) -> None:
        """*pause* in seconds."""
        super().__init__(name=name, daemon=True)
        self.act, self.pause = act, pause
        self.woken, self.ended = Event(), Event()

    def run(self) -> None:
        """Until `end`."""
        while not self.ended.is_set():
            self.woken.clear()
            if self.ended.is_set():
                return
            if not self.acted():
                self.woken.wait(self.pause)

    def acted(self) -> bool:
        """Do it once; False if there is nothing left to do for now."""
        try:
            return self.act(self.going)
        except Exception as error:
            LOG.exception("%s: %s", self.name, type(error).__name__, exc_info=quiet(error))
            return False

    def going(self) -> bool:
        """Whether it has not been told to end."""
        return not self.ended.is_set()

    def wake(self) -> None:
        """Don't wait any longer."""
        self.woken.set()

    def end(self) -> None:
        """Stop after what is being done, which should not take long from now on."""
        self.ended.set()
        self.woken.set()
