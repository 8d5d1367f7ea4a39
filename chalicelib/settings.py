"""All settings: environment variables, read once, checked, unknown names refused."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from chalicelib.errors import Malformed

PREFIX = "REVERIE_"
FOREIGN = ("OPENSEARCH_URL", "GREMLIN_URL", "AWS_ENDPOINT_URL", "OPENAI_BASE_URL", "OPENAI_API_KEY")
"""Names that others have coined and that we read as they are."""


CLIENTS = frozenset({"REVERIE_URL", "REVERIE_API_KEY"})
"""Names that clients of a server read: not settings, and no mistake in the shell that starts the next server."""


def limits(value: Any) -> Any:
    """Five comma-separated numbers, or 0 for none."""
    return tuple(part.strip() for part in value.split(",")) if isinstance(value, str) else value


class Settings(BaseModel):
    """One field for each setting of the README; `REVERIE_HOME` is `home`, and so on."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    home: Path = Path(".reverie")
    stores: Literal["embedded", "aws"] = "embedded"
    table: str = "reverie"
    queue_url: str = ""
    opensearch_url: str = ""
    gremlin_url: str = ""
    aws_endpoint_url: str = ""
    embedder: Literal["e5", "openai"] = "e5"
    embedding_model: str = ""
    openai_base_url: str = ""
    openai_api_key: str = Field(default="", repr=False)
    model: str = ""
    heat_window_seconds: int = Field(default=60, ge=1, le=86_400)
    heat_limits: Annotated[tuple[int, ...], BeforeValidator(limits)] = (600, 1200, 2400, 4800, 9600)
    level: int = Field(default=5, ge=1, le=5)
    enforce_points: bool = False
    auto_think_cap: int = Field(default=3, ge=0)
    auto_dream_cap: int = Field(default=3, ge=0)
    schedule_seconds: int = Field(default=60, ge=1)
    extraction_mode: Literal["strict", "standard", "relaxed"] = "standard"
    forgotten_days: int = Field(default=30, ge=0)
    registration_project: str = ""
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"

    @model_validator(mode="after")
    def whole(self) -> "Settings":
        """Refuse settings that need one another and miss it."""
        if self.embedder == "openai" and not self.embedding_model:
            raise ValueError("REVERIE_EMBEDDER=openai needs REVERIE_EMBEDDING_MODEL")
        if len(self.heat_limits) != 5 and self.heat_limits != (0,):  # noqa: PLR2004 -- one for each level
            raise ValueError("REVERIE_HEAT_LIMITS takes five numbers, or 0 for none")
        return self


def name_of(field: str) -> str:
    """The environment variable behind a field."""
    return field.upper() if field.upper() in FOREIGN else PREFIX + field.upper()


def read(environ: Mapping[str, str]) -> Settings:
    """The settings that these variables say. Raises Malformed, naming the variable; empty ones count as unset."""
    names = {name_of(field): field for field in Settings.model_fields}
    if unknown := sorted(name for name in environ.keys() - names.keys() - CLIENTS if name.startswith(PREFIX)):
        raise Malformed(unknown[0], "there is no such setting; the README lists them")
    if "AWS_LAMBDA_FUNCTION_NAME" in environ and not environ.get("REVERIE_STORES"):
        raise Malformed("REVERIE_STORES", "must be set in a deployed function; there is no default")
    given = {names[name]: value for name, value in environ.items() if name in names and value}
    try:
        return Settings.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        field = name_of(str(first["loc"][0])) if first["loc"] else "settings"
        raise Malformed(field, first["msg"]) from error
