"""What tests of records share: the real table in a file of its own."""

from contextlib import closing

import pytest

from chalicelib.mind.scopes import Body, Scope
from chalicelib.stores.sqlite.connection import Database
from chalicelib.stores.sqlite.table import SqliteTable


@pytest.fixture
def table(tmp_path, clock):
    with closing(Database(tmp_path / "rows.sqlite", clock)) as database:
        yield SqliteTable(database)


@pytest.fixture
def scope():
    return Scope(Body("p", "default", "ada"), "user", "a/b%2F记")
