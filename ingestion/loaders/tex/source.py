"""LaTeX sources, without the files they include and without comments."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.errors import EmptyDocument
from ingestion.document import Line, LoadedDocument
from ingestion.loaders.decoding import decode, title_from
from ingestion.loaders.tex.blocks import BlockWriter, theorem_names
from ingestion.loaders.tex.inline import braces, plain

_CODE = r"verbatim|Verbatim|lstlisting|minted|alltt|pycode|python|Rcode|Schunk|Sinput|Soutput|listing"
_BEGIN_CODE = re.compile(rf"\\begin\{{(?P<name>{_CODE})\*?\}}(?:\[[^\]\n]*\])?(?:\{{[^{{}}\n]*\}})?")
_BEGIN_DROPPED = re.compile(r"\\begin\{(?P<name>comment|filecontents\*?|tikzpicture|pspicture)\}")
_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%.*")
_INCLUDED = re.compile(r"\\(?:input|include|subfile|lstinputlisting)\s*(?:\[[^\]\n]*\])?\{([^{}\n]{1,200})\}")
_TITLE = re.compile(r"\\title\s*(?:\[[^\]\n]{0,200}\])?\s*(?=\{)")


def load(name: str, data: bytes) -> LoadedDocument:
    """Raises `UnreadableDocument` for binary data, `EmptyDocument` where nothing is left to read."""
    decoded = decode(name, data)
    preamble, body = _parts(decoded.text)
    writer = BlockWriter(theorem_names(preamble))
    for is_code, text in _pieces(body):
        writer.code(text) if is_code else writer.prose(text)
    lines = tuple(_without_blank_ends(writer.lines))
    if not lines:
        raise EmptyDocument(f"{name}: there is no text in it, only commands or comments.")
    heading = next((line.text for line in lines if line.level), None)
    included = tuple(dict.fromkeys(match[1] for match in _INCLUDED.finditer(_COMMENT.sub(r"\1", body))))
    files = f"{name}: it includes {', '.join(included)}; ingest those files too." if included else ""
    return LoadedDocument(
        title_from(name, _title(decoded.text), heading),
        lines,
        warnings=(*decoded.warnings, *((files,) if files else ())),
    )


def _parts(text: str) -> tuple[str, str]:
    start, mark, body = text.partition("\\begin{document}")
    return (start, body.partition("\\end{document}")[0]) if mark else (start, start)


def _title(text: str) -> str | None:
    match = _TITLE.search(text)
    end = braces(text).get(match.end()) if match else None
    return " ".join(plain(text[match.end() + 1 : end]).replace("**", "").split()) if match and end else None


def _pieces(body: str) -> Iterator[tuple[bool, str]]:
    prose: list[str] = []
    code: list[str] = []
    inside = dropped = ""
    for line in body.split("\n"):
        if inside or dropped:
            end = line.find(f"\\end{{{inside or dropped}")
            if inside and (end < 0 or line[:end].strip()):
                code.append(line if end < 0 else line[:end])
            if end >= 0:
                yield from ((True, "\n".join(code)),) if inside else ()
                prose, code, inside, dropped = [line[line.find("}", end) + 1 :]], [], "", ""
            continue
        match = _BEGIN_CODE.search(line) or _BEGIN_DROPPED.search(line)
        if match and "%" not in line[: match.start()]:
            yield False, "\n".join([*prose, line[: match.start()]])
            is_code = match.re is _BEGIN_CODE
            inside, dropped = (match["name"], "") if is_code else ("", match["name"])
            prose = []
            rest = line[match.end() :]
            if (end := rest.find(f"\\end{{{inside or dropped}")) >= 0:
                yield from ((True, rest[:end]),) if inside else ()
                prose, inside, dropped = [rest[rest.find("}", end) + 1 :]], "", ""
        else:
            stripped = _COMMENT.sub(r"\1", line)
            # A line that is a comment as a whole does not end a paragraph.
            if stripped.strip() or not line.strip():
                prose.append(stripped)
    yield from ((True, "\n".join(code)),) if inside else ((False, "\n".join(prose)),)


def _without_blank_ends(lines: list[Line]) -> list[Line]:
    filled = [number for number, line in enumerate(lines) if line.text.strip()]
    return lines[filled[0] : filled[-1] + 1] if filled else []
