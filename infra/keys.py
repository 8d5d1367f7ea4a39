"""Keys on the command line: make, list, revoke; and the first key, which the server makes for itself.

    bash infra/keys create --project NAME [--kind KIND] [--user ID] [--body NAMESPACE/NAME] [--home DIR]
    bash infra/keys list [--project NAME] [--home DIR]
    bash infra/keys revoke ID [--home DIR]

It writes to the same file as the server, which sees the change with the next request.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

from chalicelib.errors import Malformed, Unauthenticated
from chalicelib.faces.requests import MOST_NAME_BYTES, identifier
from chalicelib.mind.access import Credential, CredentialKind
from chalicelib.wiring import World
from infra.homes import over

PROJECT = "default"
MOST_PROJECT = 128
"""Bytes of a project's name, as it is kept: with names and ids of the longest it fits the stores' keys."""


def created(here: World, credential: Credential) -> str:
    """Make a key; returns its token, which can't be had again."""
    return here.credentials.create(credential, here.secret())


def new_id(here: World) -> str:
    """The id of a new key."""
    return here.ids().lower()


def host_key(here: World, file: Path) -> str:
    """The token kept in the file, if it opens something still; else that of a new host key, now kept there."""
    if file.exists():
        kept = file.read_text(errors="replace").strip()
        try:
            here.credentials.opened(kept)
        except Unauthenticated:
            print(f"the key in {file} opens nothing any more; making another", file=sys.stderr)
        else:
            return kept
    token = created(here, Credential(new_id(here), PROJECT, "host", ""))
    keep(token, file)
    return token


def keep(token: str, file: Path) -> None:
    """Write the token where only this user reads it; the file is whole or not there."""
    draft = file.with_suffix(".new")
    draft.unlink(missing_ok=True)
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as text:
        text.write(f"{token}\n")
        text.flush()
        os.fsync(text.fileno())
    draft.replace(file)


def held_in(home: Path) -> bool:
    """Whether anything is kept in a home yet."""
    return (home / "reverie.sqlite").exists()


def create(here: World, options: argparse.Namespace) -> None:
    """Make a key and print its token, this once."""
    identifier("--project", options.project, MOST_PROJECT)
    if options.user:
        identifier("--user", options.user)
    namespace, slash, name = options.body.partition("/")
    if options.body and not (namespace and slash and name):
        raise Malformed("--body", "is NAMESPACE/NAME")
    for part in filter(None, (namespace, name)):
        identifier("--body", part, MOST_NAME_BYTES)
    if not held_in(here.settings.home):
        here.settings.home.mkdir(mode=0o700, parents=True, exist_ok=True)
        print(f"a new home: {here.settings.home}", file=sys.stderr)
    made = Credential(new_id(here), options.project, options.kind, "", options.user, namespace, name)
    print(f"REVERIE_API_KEY={created(here, made)}")


def show(here: World, options: argparse.Namespace) -> None:
    """Print the keys of a project, oldest first, without their secrets."""
    found = sorted(here.credentials.of_project(options.project), key=lambda credential: credential.key_id)
    if not found:
        print(f"project {options.project} has no keys", file=sys.stderr)
    for known in found:
        bound = known.user or (f"{known.namespace}/{known.name}" if known.name else "-")
        print(f"{known.key_id}  {known.kind:7}  {'revoked' if known.revoked else 'in force':8}  {bound}")


def revoke(here: World, options: argparse.Namespace) -> None:
    """Let a key open nothing from now on."""
    here.credentials.revoke(options.id)
    print(f"revoked {options.id}")


def parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line. Exits with status 2 and the usage where it is wrong."""
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--home", type=Path, default=Path(".reverie"), metavar="DIR", help="default: %(default)s")
    parser = argparse.ArgumentParser(prog="infra/keys", description="Make, list and revoke keys.")
    commands = parser.add_subparsers(required=True)
    making = commands.add_parser("create", parents=[shared], help="make a key and print it once")
    making.add_argument("--project", required=True, metavar="NAME")
    making.add_argument("--kind", choices=get_args(CredentialKind), default="host", help="default: %(default)s")
    making.add_argument("--user", default="", metavar="ID", help="whose key a bound one is")
    making.add_argument("--body", default="", metavar="NAMESPACE/NAME", help="whose key a mind's is")
    making.set_defaults(act=create)
    listing = commands.add_parser("list", parents=[shared], help="print the keys of a project")
    listing.add_argument("--project", default=PROJECT, metavar="NAME", help="default: %(default)s")
    listing.set_defaults(act=show)
    revoking = commands.add_parser("revoke", parents=[shared], help="let a key open nothing from now on")
    revoking.add_argument("id", metavar="ID", help="as `list` prints it")
    revoking.set_defaults(act=revoke)
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Do one thing with keys. Returns the exit code."""
    options = parsed(arguments)
    home = options.home.expanduser().resolve()
    if options.act is not create and not held_in(home):
        print(f"error: home {home} holds no keys; --home says where to look", file=sys.stderr)
        return 1
    return over(home, lambda here: options.act(here, options))


if __name__ == "__main__":
    sys.exit(main())
