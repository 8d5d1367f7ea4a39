"""Credentials: the secret is nowhere, and whatever does not open is refused alike."""

from dataclasses import replace

import pytest

from chalicelib.errors import Missing, NotFound, Unauthenticated
from chalicelib.mind.access import Credential
from chalicelib.mind.rows import RowConflict
from chalicelib.records.credentials import Credentials

SECRET = "5ec1e7" * 10 + "0123"
MADE = Credential("01arz3ndek", "p", "bound", "", user="ada")


@pytest.fixture
def credentials(table):
    return Credentials(table)


def test_a_token_opens_its_credential(credentials):
    opened = credentials.opened(credentials.create(MADE, SECRET))
    assert replace(opened, secret_hash="") == MADE


def test_the_secret_is_in_no_file_of_the_store(credentials, tmp_path):
    token = credentials.create(MADE, SECRET)
    stored = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert MADE.key_id.encode() in stored
    assert SECRET.encode() not in stored
    assert token.encode() not in stored


def test_what_does_not_open_is_refused_alike(credentials):
    token = credentials.create(MADE, SECRET)
    revoked = credentials.create(replace(MADE, key_id="revoked01"), SECRET)
    credentials.revoke("revoked01")
    wrong = ["", "rv_", token[:-1], token + "0", token + "\n", token[:-1] + "x", token.upper(), token.replace("01arz", "01arx"), f"{token} ", "rv_01arz3ndek_" + "é" * 64, revoked, "\ud800"]
    said = set()
    for presented in wrong:
        with pytest.raises(Unauthenticated) as caught:
            credentials.opened(presented)
        said.add(str(caught.value))
    assert len(said) == 1
    assert credentials.opened(token).user == "ada"


def test_a_key_id_is_given_once(credentials):
    credentials.create(MADE, SECRET)
    with pytest.raises(RowConflict):
        credentials.create(replace(MADE, project="q"), SECRET)
    assert credentials.of_project("q") == []


def test_a_key_that_lacks_what_its_kind_needs_is_not_made(credentials):
    with pytest.raises(Missing):
        credentials.create(replace(MADE, user=""), SECRET)
    assert credentials.find(MADE.key_id) is None


def test_a_project_lists_its_keys_revoked_ones_too_and_nobody_elses(credentials):
    for number in range(103):
        credentials.create(replace(MADE, key_id=f"key{number:05}"), SECRET)
    credentials.create(replace(MADE, key_id="foreign1", project="p/q"), SECRET)
    credentials.revoke("key00007")
    listed = credentials.of_project("p")
    assert [credential.key_id for credential in listed] == [f"key{number:05}" for number in range(103)]
    assert [credential.key_id for credential in listed if credential.revoked] == ["key00007"]


def test_an_unknown_key_can_not_be_revoked(credentials):
    with pytest.raises(NotFound):
        credentials.revoke("nobody01")
