"""`edumod tree`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Annotated

import typer
from rich.markup import escape
from rich.tree import Tree

from app.cli.output import AsJson, output, print_json, with_services
from app.wiring import Services
from core.costs import cost
from core.errors import UnknownName
from core.store.material import StoredNode
from core.store.tables import DocumentRow, NodeKind
from core.types import Source, Usage, Value

SHOWN_CHARS = 160


class ShownNode(Value):
    """A node of a document's tree, with the blocks below it and the usage of its own summary."""

    kind: NodeKind
    title: str
    summary: str
    blocks: int
    usage: Usage
    children: tuple[ShownNode, ...] = ()


class DocumentTree(Value):
    """A document. `root` is None if nothing of it is indexed; `error` says why."""

    document: str
    source: Source
    error: str | None = None
    root: ShownNode | None = None


class CourseTree(Value):
    """The summary trees of a course down to the requested depth. The totals include deeper levels."""

    course: str
    documents: tuple[DocumentTree, ...]
    blocks: int
    summaries: int
    usage: Usage


def tree(
    course: Annotated[str, typer.Argument(help="Course id.")],
    document: Annotated[str | None, typer.Option("--document", "-d", help="Only the document of this name.")] = None,
    depth: Annotated[
        int | None, typer.Option(min=1, help="Levels to print, from 1 for documents only; default: all.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print the summary trees that hier_gen descends, and the cost of their summaries. Shows staff-only titles too."""

    async def work(services: Services) -> CourseTree:
        await services.store.courses.get(course)
        rows = await services.store.material.documents(course)
        if document is not None and document not in {row.name for row in rows}:
            raise UnknownName("document", document, [row.name for row in rows])
        chosen = [row for row in rows if document in (None, row.name)]
        return course_tree(course, chosen, await services.store.material.tree(course), depth)

    trees = with_services(work)
    print_json(trees) if as_json else _show(trees)


def course_tree(
    course: str, documents: Sequence[DocumentRow], nodes: Sequence[StoredNode], depth: int | None
) -> CourseTree:
    """The trees of these documents, down to `depth` levels."""
    ids = {row.id for row in documents}
    nodes = [node for node in nodes if node.document_id in ids]
    below: dict[str | None, list[StoredNode]] = defaultdict(list)
    roots = {node.document_id: node for node in nodes if node.parent_id is None}
    for node in nodes:
        below[node.parent_id].append(node)
    inner = [node for node in nodes if node.kind is not NodeKind.BLOCK]
    return CourseTree(
        course=course,
        documents=tuple(
            DocumentTree(
                document=row.name,
                source=row.source,
                error=row.error,
                root=_node(roots[row.id], below, depth) if row.id in roots else None,
            )
            for row in documents
        ),
        blocks=len(nodes) - len(inner),
        summaries=len(inner),
        usage=sum((node.usage for node in inner), Usage()),
    )


def _node(node: StoredNode, below: Mapping[str | None, Sequence[StoredNode]], depth: int | None) -> ShownNode:
    children = tuple(_node(child, below, None if depth is None else depth - 1) for child in below.get(node.id, ()))
    return ShownNode(
        kind=node.kind,
        title=node.title,
        summary=node.summary,
        blocks=sum(child.blocks for child in children) if children else int(node.kind is NodeKind.BLOCK),
        usage=node.usage,
        children=children if depth is None or depth > 1 else (),
    )


def _show(trees: CourseTree) -> None:
    for document in trees.documents:
        top = Tree(f"[bold]{escape(document.document)}[/] [dim]{document.source.value}[/]")
        if document.root:
            _add(top, document.root)
        else:
            top.add(f"[yellow]nothing indexed[/] {escape(document.error or '')}")
        output.print(top)
    if not trees.documents:
        output.print(f"The course {escape(trees.course)} has no documents. See: edumod ingest --help")
    counts = (
        _count(len(trees.documents), "document"),
        _count(trees.blocks, "block"),
        _count(trees.summaries, "summary", "summaries"),
    )
    output.print(f"[bold]Total[/] {', '.join(counts)}; {_usage_text(trees.usage)}", highlight=False)


def _add(branch: Tree, node: ShownNode) -> None:
    if node.kind is NodeKind.BLOCK:
        branch.add(escape(node.title), highlight=False)
        return
    summary = " ".join(node.summary.split())
    shortened = summary if len(summary) <= SHOWN_CHARS else f"{summary[:SHOWN_CHARS].rstrip()} …"
    heading = f"[bold]{escape(node.title)}[/] [dim]{_count(node.blocks, 'block')}; {_usage_text(node.usage)}[/]"
    inner = branch.add(f"{heading}\n{escape(shortened)}" if shortened else heading, highlight=False)
    for child in node.children:
        _add(inner, child)


def _usage_text(usage: Usage) -> str:
    calls = _count(usage.calls, "call") + (f" and {usage.cached_calls} from the cache" if usage.cached_calls else "")
    return f"{calls}, {usage.prompt_tokens + usage.completion_tokens} tokens, {cost(usage.cost_usd)}"


def _count(number: int, singular: str, plural: str | None = None) -> str:
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"
