"""Credentials: made once, found by their key id, never stored in the clear."""

import re
from dataclasses import dataclass, replace

from chalicelib.errors import NotFound, Unauthenticated
from chalicelib.mind.access import Credential, checked, hashed
from chalicelib.mind.rows import ABSENT, Put
from chalicelib.ports import Table
from chalicelib.records import keys
from chalicelib.records.codec import packed, unpacked

TOKEN = re.compile(r"rv_([0-9a-z]{8,32})_([A-Za-z0-9-]{40,64})")


def token(key_id: str, secret: str) -> str:
    """What the caller sends."""
    return f"rv_{key_id}_{secret}"


@dataclass(frozen=True, slots=True)
class Credentials:
    """All credentials, of all projects."""

    table: Table

    def create(self, credential: Credential, secret: str) -> str:
        """Keep a credential with the hash of its secret; returns the token, which can't be had again."""
        kept = packed(replace(checked(credential), secret_hash=hashed(secret)))
        listed = keys.project_credential(credential.project, credential.key_id)
        self.table.commit([Put(keys.credential(credential.key_id), kept, ABSENT), Put(listed, {}, ABSENT)])
        return token(credential.key_id, secret)

    def opened(self, presented: str) -> Credential:
        """The credential of a token. Raises Unauthenticated alike for what is malformed, unknown, wrong or revoked."""
        found = TOKEN.fullmatch(presented)
        credential = self.find(found[1]) if found else None
        if found is None or credential is None or not credential.opens(found[2]):
            raise Unauthenticated("the key is missing, unknown or revoked")
        return credential

    def find(self, key_id: str) -> Credential | None:
        """The credential with this id."""
        key = keys.credential(key_id)
        row = self.table.get([key]).get(key)
        return unpacked(Credential, row.data) if row else None

    def of_project(self, project: str) -> list[Credential]:
        """All credentials of a project, revoked ones too."""
        found: list[Credential] = []
        after = None
        while True:
            page = self.table.query(keys.project(project), "credential/", after=after, limit=100)
            rows = self.table.get([keys.credential(row.key.sort.removeprefix("credential/")) for row in page.rows])
            found += [unpacked(Credential, row.data) for row in rows.values()]
            if page.cursor is None:
                return found
            after = page.cursor

    def revoke(self, key_id: str) -> None:
        """From now on the key opens nothing. Raises NotFound."""
        credential = self.find(key_id)
        if credential is None:
            raise NotFound(f"no key {key_id}")
        self.table.commit([Put(keys.credential(key_id), packed(replace(credential, revoked=True)))])
