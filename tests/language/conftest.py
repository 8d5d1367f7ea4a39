"""The embedder for the tests: built once for this user, where the product itself keeps it."""

import os
from pathlib import Path

import pytest

from chalicelib.language.e5.build import built
from chalicelib.language.e5.model import E5


@pytest.fixture(scope="session")
def model_directory() -> Path:
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return built(cache / "reverie" / "e5")


@pytest.fixture(scope="session")
def e5(model_directory) -> E5:
    return E5(model_directory)
