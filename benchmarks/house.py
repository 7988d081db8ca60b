"""Figures of the code itself: its size, its names, and how far a question travels. `make check` prints them.

They are a report, not a gate: a line of this table that grows is a reason to look. `--journey` also asks a question and
counts what it passes through.
"""

from __future__ import annotations

import ast
import asyncio
import re
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import httpx

from benchmarks.harness import HOME, ROOT, load_sample_course

APART = ("tests", "benchmarks", "data", "docs")
ADDRESS = "http://127.0.0.1"
BACKEND = "core/llm/offline.py"
PRODUCT = tuple(f"{path.parent}/" for path in ROOT.glob("*/__init__.py") if path.parent.name not in APART)
VAGUE_NAMES = frozenset({"one", "found"})
SHORT_COMPREHENSION = 3
"""Lines up to which a comprehension may call its variable `one`."""
IRREGULAR_PARTICIPLES = re.compile(
    r"born|brought|built|bought|caught|chosen|done|drawn|fed|felt|found|given|gone|grown|heard|held|kept|known|laid|led|"
    r"left|lost|made|meant|met|paid|seen|sent|shown|sold|spent|spoken|taken|taught|thought|told|understood|won|worn|"
    r"written"
)
REGULAR_PARTICIPLES = re.compile(r"(?!embed$|exceed$|feed$|need$|proceed$|seed$|shed$|speed$|succeed$)[a-z]{2,}ed")
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(frozen=True)
class Module:
    """A source file, parsed."""

    path: Path
    lines: int
    tree: ast.Module


def modules() -> list[Module]:
    """All Python files of the product."""
    paths = sorted(path for package in PRODUCT for path in Path(package).rglob("*.py"))
    texts = ((path, path.read_text(encoding="utf-8")) for path in paths)
    return [Module(path, text.count("\n"), ast.parse(text)) for path, text in texts]


def import_lines(module: Module) -> int:
    """Lines that import statements take."""
    imports = (node for node in ast.walk(module.tree) if isinstance(node, ast.Import | ast.ImportFrom))
    return sum((node.end_lineno or node.lineno) - node.lineno + 1 for node in imports)


def docstring_words(module: Module) -> int:
    """Words in the docstrings of the module, its classes and functions."""
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    nodes = (node for node in ast.walk(module.tree) if isinstance(node, kinds))
    return sum(len((ast.get_docstring(node) or "").split()) for node in nodes)


def variables(module: Module) -> Iterator[tuple[str, bool]]:
    """Each name that is assigned to, and whether that is in a short comprehension."""
    short: set[int] = set()
    for node in ast.walk(module.tree):
        if isinstance(node, COMPREHENSIONS) and _length(node) <= SHORT_COMPREHENSION:
            short |= {id(name) for part in node.generators for name in ast.walk(part.target)}
        elif isinstance(node, ast.Lambda) and _length(node) <= SHORT_COMPREHENSION:
            short |= {id(argument) for argument in node.args.args}
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, id(node) in short
        elif isinstance(node, ast.arg):
            yield node.arg, id(node) in short


def functions(module: Module) -> Iterator[str]:
    """Names of functions and methods, without those that Python gives."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("__"):
            yield node.name


def is_participle(name: str) -> bool:
    """True if a function's name begins with a participle, or is one."""
    word = name.strip("_").split("_")[0]
    return bool(IRREGULAR_PARTICIPLES.fullmatch(word) or REGULAR_PARTICIPLES.fullmatch(word))


def classes(module: Module) -> Iterator[str]:
    """Names of the classes at the top of a module that others can use."""
    return (node.name for node in module.tree.body if isinstance(node, ast.ClassDef) and node.name[0] != "_")


def figures(house: list[Module]) -> dict[str, str]:
    """Each figure by its name, as text."""
    lines = sum(module.lines for module in house)
    names = [name for module in house for name in variables(module)]
    vague = sum(name in VAGUE_NAMES and not is_short for name, is_short in names)
    verbs = [name for module in house for name in functions(module)]
    class_names = Counter(name for module in house for name in classes(module))
    twice = sorted(name for name, count in class_names.items() if count > 1)
    files = Counter(module.path.name for module in house if module.path.name != "__init__.py")
    often = ", ".join(f"{name} {count}" for name, count in files.most_common(4))
    return {
        "lines of Python": f"{lines:,} in {len(house)} files",
        "lines of imports": f"{sum(map(import_lines, house)) / lines:.1%}",
        "words of docstrings in 1,000 lines": f"{sum(map(docstring_words, house)) / lines * 1000:.0f}",
        "variables named one or found": f"{vague} of {len(names):,}",
        "functions named by a participle": f"{sum(map(is_participle, verbs)) / len(verbs):.1%} of {len(verbs):,}",
        "class names that stand twice": f"{len(twice)}: {', '.join(twice)}" if twice else "0",
        "file names that stand most often": often,
    }


@dataclass
class Journey:
    """The files of the product that a request enters, and the frames below its model call."""

    files: set[str]
    frames: int = 0

    def __call__(self, frame: FrameType, event: str, argument: object) -> None:
        path = frame.f_code.co_filename
        if event != "call" or not path.startswith(PRODUCT):
            return
        self.files.add(path)
        if path.endswith(BACKEND) and frame.f_code.co_name == "run":
            self.frames = max(self.frames, _depth(frame))


def _depth(frame: FrameType) -> int:
    """The product's own frames from this one to the event loop's."""
    depth = 0
    outer: FrameType | None = frame
    while outer is not None and not outer.f_code.co_filename.endswith("asyncio/events.py"):
        depth += outer.f_code.co_filename.startswith(PRODUCT)
        outer = outer.f_back
    return depth


async def journey(home: Path) -> Journey:
    """What one question enters on its way, the second time that it is asked."""
    from app.main import create_app
    from core.settings import Settings

    app = create_app(Settings.model_validate({"home": home}))
    transport = httpx.ASGITransport(app, client=("127.0.0.1", 1))
    question = {"course": "ds101", "question": {"body": "When is homework 3 due, and can I hand it in late?"}}
    trip = Journey(set())
    async with app.router.lifespan_context(app), httpx.AsyncClient(transport=transport, base_url=ADDRESS) as client:
        await client.post("/answer?pipeline=fc", json=question)
        threading.setprofile(trip)
        sys.setprofile(trip)
        reply = await client.post("/answer?pipeline=fc", json=question)
        sys.setprofile(None)
        reply.raise_for_status()
    return trip


def _length(node: ast.expr) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def main() -> int:
    table = figures(modules())
    if "--journey" in sys.argv[1:]:
        load_sample_course()
        trip = asyncio.run(journey(HOME))
        table |= {
            "files that POST /answer enters": str(len(trip.files)),
            "frames from route to model": str(trip.frames),
        }
    for name, figure in table.items():
        sys.stdout.write(f"{name:40} {figure}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
