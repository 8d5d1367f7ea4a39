"""The Chalice application whose every reply wears the envelope, also those that Chalice makes by itself."""

import json
from typing import Any

from chalice.app import Chalice

from chalicelib.faces.replies import templated


class Application(Chalice):
    """Chalice, with its own refusals (405, 500) templated and CORS on every status."""

    def __call__(self, event: Any, context: Any) -> dict[str, Any]:
        """The reply of a route, or of Chalice itself in our envelope."""
        response: dict[str, Any] = super().__call__(event, context)
        body = parsed(response.get("body"))
        if response["statusCode"] >= 400 and not (isinstance(body, dict) and "code" in body):  # noqa: PLR2004 -- errors
            response["body"] = json.dumps(templated(response["statusCode"], body), ensure_ascii=False)
            response["headers"]["Content-Type"] = "application/json; charset=utf-8"
        response["headers"].setdefault("Access-Control-Allow-Origin", "*")
        return response


def parsed(body: Any) -> Any:
    """The JSON in a body, None for what is none."""
    try:
        return json.loads(body)
    except (TypeError, ValueError):
        return None
