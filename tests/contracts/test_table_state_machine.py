"""SqliteTable against a dict: whatever is written, read, expired and purged in whatever order, they agree."""

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from chalicelib.mind.rows import ABSENT, ANY, Add, Check, Delete, Key, Put, Row, RowConflict
from chalicelib.stores.sqlite.connection import Database
from chalicelib.stores.sqlite.table import SqliteTable

PARTITIONS = ["one", "one/", "\x00"]
SORTS = ["a", "a\x00", "a/", "a/1", "a/é", "a0", "\ud7ff", "\ue000", "\uffff", "\U00010000", "\U0010ffff"]

keys = st.builds(Key, st.sampled_from(PARTITIONS), st.sampled_from(SORTS))
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)
datas = st.dictionaries(st.sampled_from(["n", "m", "text", ""]), values, max_size=3)
versions = st.sampled_from([ABSENT, 1, 2, 3])
expectations = versions | st.just(ANY)
bounds = st.none() | st.sampled_from([*SORTS, "", "a/0", "zzz"])


@dataclass
class Fact:
    """What the model knows of a row."""

    data: Mapping[str, Any]
    version: int
    expires: int | None


class TableMachine(RuleBasedStateMachine):
    """Rules write to both and compare what is refused; the invariant compares all that can be read."""

    @initialize()
    def open(self):
        self.directory = tempfile.TemporaryDirectory()
        self.now = 1000
        self.database = Database(Path(self.directory.name) / "rows.sqlite", lambda: self.now + 0.25)
        self.table = SqliteTable(self.database)
        self.model: dict[Key, Fact] = {}

    def teardown(self):
        if hasattr(self, "database"):
            self.database.close()
            self.directory.cleanup()

    @rule(data=st.data(), wanted=st.lists(keys, min_size=1, max_size=4, unique=True))
    def commit(self, data, wanted):
        writes = [data.draw(self.writes(key)) for key in wanted]
        after, refused = dict(self.model), None
        for write in writes:
            refused = refused or self.done(after, write)
        if refused:
            with pytest.raises(refused):
                self.table.commit(writes)
        else:
            self.table.commit(writes)
            self.model = after

    def writes(self, key):
        expires = st.none() | st.integers(self.now - 1, self.now + 3)
        amounts = st.dictionaries(st.sampled_from(["n", "m"]), st.integers(-3, 3), min_size=1)
        return st.one_of(
            st.builds(Put, st.just(key), datas, expectations, expires), st.builds(Delete, st.just(key), expectations),
            st.builds(Check, st.just(key), versions), st.builds(Add, st.just(key), amounts, st.none() | st.integers(-2, 2)),
        )

    def done(self, model, write):
        """Do the write to the model; returns the error that it should raise instead, if any."""
        fact = model.get(write.key)
        if isinstance(write, Add):
            return self.counted(model, write, fact)
        if write.expect is not ANY and write.expect != (fact.version if fact else ABSENT):
            return RowConflict
        if isinstance(write, Delete):
            model.pop(write.key, None)
        if isinstance(write, Put):
            model[write.key] = Fact(write.data, fact.version + 1 if fact else 1, write.expires)
            self.expire(model)
        return None

    def counted(self, model, write, fact):
        data = dict(fact.data) if fact else {}
        for name, amount in write.amounts.items():
            if type(data.get(name, 0)) is not int:
                return ValueError
            data[name] = data.get(name, 0) + amount
        if write.floor is not None and any(data[name] < write.floor for name in write.amounts):
            return RowConflict
        model[write.key] = Fact(data, fact.version + 1 if fact else 1, fact.expires if fact else None)
        return None

    @rule(seconds=st.integers(1, 3))
    def wait(self, seconds):
        self.now += seconds
        self.expire(self.model)

    def expire(self, model):
        for key in [key for key, fact in model.items() if fact.expires is not None and fact.expires <= self.now]:
            del model[key]

    @rule(limit=st.integers(1, 3))
    def purge(self, limit):
        assert self.table.purge(limit) <= limit

    @rule(partition=st.sampled_from(PARTITIONS), prefix=st.sampled_from(["", "a", "a/", "\U0010ffff", "\ud7ff"]),
          bounds=st.tuples(bounds, bounds), limit=st.integers(1, 5), newest_first=st.booleans())
    def query(self, partition, prefix, bounds, limit, newest_first):
        after, until = bounds
        expected = [
            sort for sort in sorted(SORTS, reverse=newest_first)
            if Key(partition, sort) in self.model and sort.startswith(prefix) and (until is None or sort <= until)
            and (after is None or (sort < after if newest_first else sort > after))
        ]
        page = self.table.query(partition, prefix, after=after, until=until, limit=limit, newest_first=newest_first)
        assert [row.key.sort for row in page.rows] == expected[:limit]
        assert page.cursor == (expected[limit - 1] if len(expected) > limit else None)

    @invariant()
    def rows_are_those_of_the_model(self):
        if hasattr(self, "table"):
            found = self.table.get([Key(partition, sort) for partition in PARTITIONS for sort in SORTS])
            assert found == {key: Row(key, fact.data, fact.version, fact.expires) for key, fact in self.model.items()}


TestTableMachine = TableMachine.TestCase
TestTableMachine.settings = settings(
    max_examples=60, stateful_step_count=25, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
