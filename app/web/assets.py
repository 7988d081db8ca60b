"""The stylesheet and the script of all pages, with addresses that change with their content."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from app.web.code import stylesheet as code_styles

_FOLDER = files("app.web") / "static"
_SHARES = "\n".join(f".v{n} {{ --v: {n}%; }}" for n in range(101))
"""A class for each percentage: the pages' policy allows no style attributes."""


@dataclass(frozen=True)
class Asset:
    name: str
    text: str

    @property
    def address(self) -> str:
        return f"/assets/{self.name}?{hashlib.sha256(self.text.encode()).hexdigest()[:12]}"


@cache
def stylesheet() -> Asset:
    """What all pages look like."""
    own = "\n".join((_FOLDER / name).read_text(encoding="utf-8") for name in ("style.css", "workbench.css"))
    return Asset("style.css", f"{own}\n{_SHARES}\n{code_styles()}\n")


@cache
def script() -> Asset:
    """Keys, live differences and steps, for browsers that run scripts."""
    parts = ((_FOLDER / name).read_text(encoding="utf-8") for name in ("app.js", "workbench.js", "keys.js"))
    return Asset("app.js", "\n".join(parts))
