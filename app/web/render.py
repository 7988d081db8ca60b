"""Renders templates to escaped HTML; libraries are imported after the start, see `app.wiring`."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from app import request_id
from app.edge.headers import nonce
from app.features import FEATURES
from app.people.current import csrf_field, current
from app.traces import duration
from app.web.assets import script, stylesheet
from app.web.figures import age, figure, in_words, level, moment, percent, span, spark
from app.web.markdown import markdown
from app.web.marked import excerpt, mark_quote

if TYPE_CHECKING:
    from jinja2 import Environment


def render(template: str, **values: Any) -> str:
    """A template as HTML, its values escaped."""
    return _environment().get_template(template).render(**values)


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("app.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {
        "nonce": nonce,
        "me": current,
        "csrf_field": csrf_field,
        "links": [link for feature in FEATURES for link in feature.navigation],
        "assets": (stylesheet, script),
        "request_id": request_id.current,
    }
    environment.filters |= {
        "markdown": markdown,
        "duration": duration,
        "level": level,
        "percent": percent,
        "words": in_words,
        "moment": moment,
        "age": age,
        "length_of_time": span,
        "spark": spark,
        "figure": figure,
        "marked": mark_quote,
        "excerpt": excerpt,
    }
    return environment
