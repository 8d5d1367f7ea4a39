"""Settings: read from the environment once, checked, and none that nobody knows."""

from pathlib import Path

import pytest

from chalicelib.errors import Malformed
from chalicelib.settings import Settings, name_of, read

WRONG = {
    "REVERIE_STORES": "cloud", "REVERIE_EMBEDDER": "none", "REVERIE_HEAT_WINDOW_SECONDS": "0", "REVERIE_HEAT_LIMITS": "1,2,x,4,5",
    "REVERIE_LEVEL": "6", "REVERIE_ENFORCE_POINTS": "maybe", "REVERIE_AUTO_THINK_CAP": "-1", "REVERIE_AUTO_DREAM_CAP": "many",
    "REVERIE_SCHEDULE_SECONDS": "0", "REVERIE_EXTRACTION_MODE": "loose", "REVERIE_FORGOTTEN_DAYS": "-1", "REVERIE_LOG_LEVEL": "LOUD",
}


def test_without_any_variable_everything_has_its_default():
    assert read({"PATH": "/bin"}) == Settings()


def test_each_variable_sets_its_field():
    found = read({
        "REVERIE_HOME": "/data", "OPENSEARCH_URL": "http://127.0.0.1:9200", "REVERIE_HEAT_LIMITS": "1, 2,3,4,5",
        "REVERIE_ENFORCE_POINTS": "true", "REVERIE_SCHEDULE_SECONDS": "5",
    })
    assert (found.home, found.opensearch_url, found.heat_limits) == (Path("/data"), "http://127.0.0.1:9200", (1, 2, 3, 4, 5))
    assert (found.enforce_points, found.schedule_seconds) == (True, 5)


def test_heat_may_have_no_limits():
    assert read({"REVERIE_HEAT_LIMITS": "0"}).heat_limits == (0,)


def test_an_empty_variable_counts_as_unset():
    assert read({"REVERIE_LEVEL": "", "REVERIE_STORES": ""}) == Settings()


def test_a_name_that_nobody_knows_is_refused_by_name():
    with pytest.raises(Malformed, match="REVERIE_EMBEDER"):
        read({"REVERIE_EMBEDER": "openai"})


def test_what_clients_read_is_no_mistake_in_the_shell_that_starts_a_server():
    assert read({"REVERIE_URL": "http://127.0.0.1:8000", "REVERIE_API_KEY": "rv_x"}) == Settings()


@pytest.mark.parametrize(("name", "value"), WRONG.items())
def test_a_value_that_can_not_be_is_refused_naming_the_variable(name, value):
    with pytest.raises(Malformed) as refused:
        read({name: value})
    assert refused.value.field == name


def test_a_heat_limit_for_some_levels_only_is_refused():
    with pytest.raises(Malformed, match="five numbers"):
        read({"REVERIE_HEAT_LIMITS": "1,2"})


def test_an_endpoint_needs_the_name_of_its_model():
    with pytest.raises(Malformed, match="REVERIE_EMBEDDING_MODEL"):
        read({"REVERIE_EMBEDDER": "openai"})


def test_a_deployed_function_must_say_where_its_stores_are():
    with pytest.raises(Malformed, match="REVERIE_STORES"):
        read({"AWS_LAMBDA_FUNCTION_NAME": "api"})
    assert read({"AWS_LAMBDA_FUNCTION_NAME": "api", "REVERIE_STORES": "aws"}).stores == "aws"


def test_a_key_is_never_shown():
    assert "sk-secret" not in repr(read({"OPENAI_API_KEY": "sk-secret"}))


def test_names_that_others_have_coined_stay_as_they_are():
    assert {name_of("openai_api_key"), name_of("home")} == {"OPENAI_API_KEY", "REVERIE_HOME"}
