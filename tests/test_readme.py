"""The README says what is there, all of it, and what it says can be done works."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from app import app
from chalicelib.settings import Settings, name_of

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
COMMANDS = {file.name for file in (ROOT / "infra").iterdir() if file.is_file() and os.access(file, os.X_OK)}
SECONDS = 120

pytestmark = pytest.mark.serial


def blocks(kind):
    return [text for name, text in BLOCKS if name == kind]


def in_code():
    """What stands in code: spans and blocks."""
    return re.findall(r"`([^`\n]+)`", TEXT) + [text for _, text in BLOCKS]


def shell(script, **environment):
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script], cwd=ROOT, env=os.environ | environment, capture_output=True,
        text=True, check=True, timeout=SECONDS,
    ).stdout


def test_every_route_is_in_the_readme_and_no_other():
    routes = {f"{method} {path}" for path, methods in app.routes.items() for method in methods}
    named = re.findall(r"`((?:GET|POST|PUT|PATCH|DELETE) /[^`]*)`", TEXT)
    assert set(named) == routes
    assert len(named) == len(routes)


def test_every_setting_is_in_the_readme_and_no_other():
    settings = {name_of(field) for field in Settings.model_fields}
    table = TEXT.split("## Settings")[1].split("\n## ")[0]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    named = [name for row in rows for name in re.findall(r"`([A-Z_]+)`", row)]
    assert set(named) == settings
    assert len(named) == len(settings)


def test_the_defaults_in_the_readme_are_the_defaults():
    table = TEXT.split("## Settings")[1].split("\n## ")[0]
    rows = [line.split("|")[1:3] for line in table.splitlines() if line.startswith("| `")]
    said = {}
    for names, defaults in rows:
        values = re.findall(r"`([^`]+)`", defaults)
        said |= dict(zip(re.findall(r"`([A-Z_]+)`", names), values, strict=True)) if values else {}
    fields = {name_of(name): field for name, field in Settings.model_fields.items()}
    assert said
    for name, value in said.items():
        default = fields[name].default
        assert value == (",".join(map(str, default)) if isinstance(default, tuple) else str(default))


def test_every_command_is_in_the_readme_and_no_other():
    named = {name for text in in_code() for name in re.findall(r"\binfra/([a-z_]+)(?![\w./])", text)}
    assert named == COMMANDS


def test_every_file_that_the_readme_names_exists():
    named = {path for text in in_code() for path in re.findall(r"\b(?:chalicelib|tests|infra)/[\w./]*", text)}
    assert not {path for path in named if not (ROOT / path).exists()}
    linked = re.findall(r"\]\((?!http)([^)#]+)\)", TEXT)
    assert not {path for path in linked if not (ROOT / path).exists()}


def test_every_bench_that_the_readme_names_exists():
    named = {name for text in in_code() for name in re.findall(r"infra/bench (\w+)", text)}
    assert named
    assert not {name for name in named if not (ROOT / "tests" / "bench" / f"{name}.py").exists()}


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("readme") / "home"


@pytest.fixture(scope="module")
def server(start_server, home):
    return start_server(home)


def test_the_commands_that_remember_and_recall_work_as_they_stand(server):
    [script] = blocks("sh")
    said = shell(script, REVERIE_URL=server.url, REVERIE_API_KEY=server.key)
    assert said.count('"code":"0"') == script.count("curl")
    assert "User's sister Nora lives in Lisbon" in said.rpartition('"code":"0"')[2]


def test_the_program_works_as_it_stands(server):
    [program] = blocks("python")
    done = subprocess.run(
        [sys.executable, "-c", program], env=os.environ | {"REVERIE_URL": server.url, "REVERIE_API_KEY": server.key},
        capture_output=True, text=True, check=True, timeout=SECONDS,
    )
    assert "Porto" in done.stdout


def test_the_command_that_makes_a_key_works_on_the_server_it_is_made_for(server, home):
    [script] = [text for text in blocks("bash") if "infra/keys" in text]
    said = shell(f"{script.rstrip()} --home {home}")
    key = re.search(r"REVERIE_API_KEY=(\S+)", said)[1]
    status, reply = server.ask("GET", "/v1/memory-bodies", key=key)
    assert (status, reply["data"]["list"]) == (200, [])


@pytest.mark.parametrize("name", sorted(COMMANDS - {"test"}))
def test_every_command_says_how_it_is_used(name):
    arguments = "speed --help" if name == "bench" else "--help"
    assert "usage" in shell(f"bash infra/{name} {arguments}").lower()
