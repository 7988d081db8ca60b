"""Takes out of an answer what would make a reader's browser ask a host that no cited passage names."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from safeguards.rendered import LinkTarget, prose_and_code, targets

MAX_ROUNDS = 8
"""Times that what is left is parsed again; an answer that hides links better is dropped."""

_MAY_LEAD = re.compile(r"\]\(|\]:|<|//|www\.|&\S|\w:\S|\.\w+/|\\[:/.]|(?:href|src)\s*=")
"""What a text has in which a target may be written, and which is worth parsing."""
_TARGET = (
    r"\(\s*(?:<(?P<angled>[^<>\n]*)>|(?P<target>(?:[^\s()\\]|\\.|\((?:[^\s()\\]|\\.)*\))*))"
    r"(?P<title>\s+(?:\"[^\"]*\"|'[^']*'|\([^()]*\)))?\s*\)"
)
_TEXT = r"(?<!\\)\[(?P<text>(?:[^\[\]\\]|\\.|\[(?:[^\[\]\\]|\\.)*\])*)\]"
_IMAGE = re.compile(rf"!{_TEXT}{_TARGET}", re.DOTALL)
_LINK = re.compile(rf"{_TEXT}{_TARGET}", re.DOTALL)
_IMAGE_REFERENCE = re.compile(r"!\[(?P<text>[^\[\]]*)\](?:\[(?P<label>[^\[\]]*)\])?(?!\()")
_DEFINITION = re.compile(
    r"^[ >\t]*\[(?P<label>(?!\^)[^\[\]]+)\]:[ \t]*\n?[ >\t]*(?:<(?P<angled>[^<>\n]*)>|(?P<target>\S+))"
    r"(?P<title>[ \t]*\n?[ >\t]*(?:\"[^\"]*\"|'[^']*'|\([^()]*\)))?[ \t]*$\n?",
    re.MULTILINE,
)
_AUTOLINK = re.compile(r"<(?P<target>[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*|[\w.+-]+@[\w-]+(?:\.[\w-]+)+)>")
_TAG = re.compile(r"</?(?P<name>[A-Za-z][A-Za-z0-9-]*)(?P<attributes>(?:\s|/)(?:\"[^\"]*\"|'[^']*'|[^\"'<>])*)?>")
_END_OF_LINK = re.compile(r"</a\s*>", re.IGNORECASE)
_ATTRIBUTE = re.compile(
    r"(?:href|src|srcset|action|formaction|data|poster|background|style|cite|ping|content|on\w+)\s*=\s*"
    r"(?:\"(?P<double>[^\"]*)\"|'(?P<single>[^']*)'|(?P<bare>[^\s\"'>]+))",
    re.IGNORECASE,
)
_BARE = re.compile(
    r"(?:(?:https?|ftp|wss?)://|(?<![\w@/.-])www\."
    r"|(?<![\w@/.-])(?:[a-z0-9-]+\.)+(?:com|org|net|edu|gov|io|dev|app|info|ai|biz|xyz|pro|site|online|shop|co)/)"
    r"[^\s<>\"'`\])}]*(?:\([^\s<>\"'`()]*\)[^\s<>\"'`\])}]*)*"
    r"|(?:href|src)\s*=\s*[\"'`]?//[^\s<>\"'`]+"
    r"|(?<!\w)(?:javascript|data|mailto|vbscript):[^\s<>\"'`\])]+",
    re.IGNORECASE,
)
_HOST = re.compile(
    r"(?:https?://(?:[^\s/?#@<>]*@)?|(?<=[(<\"'])//|mailto:[\w.+-]+@|<[\w.+-]+@|(?<![\w@/.-])(?=www\.))"
    r"(?P<host>\w[\w.-]*\w|\w)",
    re.IGNORECASE,
)
"""A host in a URL, or in an address in angle brackets; a dotted word alone may be a file or a name of a program."""
_URL_LIKE = re.compile(r"[:/\\.?@&%\s]")
_LEADS_AWAY = re.compile(r":|//|\\")
_MAILTO = re.compile(r"^mailto:(?=.)", re.IGNORECASE)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_ODD = re.compile(r"[\s\\@\x00-\x20]")


@dataclass
class Removed:
    """What was taken out: hosts, each once, other targets, and images."""

    hosts: dict[str, None] = field(default_factory=dict)
    others: int = 0
    images: int = 0

    def __bool__(self) -> bool:
        return bool(self.hosts or self.others or self.images)


def without_links(markdown: str, cited: Sequence[str]) -> tuple[str, Removed]:
    """The answer with those links and images alone whose host, or whose target as it is, stands in a cited text.

    Of another link its text stays; an image, a bare URL and a reference definition go. Code is left as it is.
    """
    if not _MAY_LEAD.search(markdown):
        return markdown, Removed()
    links = _Links(cited)
    text = "".join(piece if is_code else links.without(piece) for piece, is_code in prose_and_code(markdown))
    return links.without_rendered(text), links.removed


class _Links:
    """The rules for the links of one answer, and what they removed."""

    def __init__(self, cited: Sequence[str]) -> None:
        self.removed = Removed()
        self._cited = cited
        self._hosts = {match["host"].lower() for text in cited for match in _HOST.finditer(text)}

    def without(self, prose: str) -> str:
        labels = {match["label"].strip().lower() for match in _DEFINITION.finditer(prose) if not self._is_kept(match)}
        prose = _DEFINITION.sub(self._unless_kept(lambda match: ""), prose)
        prose = _IMAGE.sub(self._unless_kept(self._image), prose)
        prose = _IMAGE_REFERENCE.sub(lambda match: self._referenced(match, labels), prose)
        prose = _LINK.sub(self._link, prose)
        untagged = _TAG.sub(self._tag, prose)
        prose = prose if untagged == prose else _END_OF_LINK.sub("", untagged)
        prose = _AUTOLINK.sub(self._unless_kept(lambda match: ""), prose)
        return self._without_bare(prose)

    def without_rendered(self, markdown: str) -> str:
        """The text without what a parser finds that leads elsewhere; definitions first, as links may be theirs."""
        for _ in range(MAX_ROUNDS):
            foreign = [one for one in targets(markdown) if self._is_foreign(one)]
            if not foreign:
                return markdown
            definitions = [one for one in foreign if one.kind == "definition"]
            lines = markdown.split("\n")
            for one in definitions or foreign:
                _take_out(one, lines)
            markdown = "\n".join(lines)
        return ""

    def _is_foreign(self, target: LinkTarget) -> bool:
        if target.kind == "text":
            return self._without_bare(target.url) != target.url
        return not self._allows(target.url, may_be_text=target.kind in {"link", "definition"})

    def _without_bare(self, text: str) -> str:
        """The text without URLs that stand there as they are; the full stop behind one is no part of it."""

        def keep(match: re.Match[str]) -> str:
            url = match[0].rstrip(".,;:!?*_")
            if not _SCHEME.match(url) and any(url in text for text in self._cited):
                return match[0]
            return match[0] if self._allows(url, "" if _SCHEME.match(url) else "//") else match[0][len(url) :]

        return _BARE.sub(keep, text)

    def _link(self, match: re.Match[str]) -> str:
        """The link, or its text; an expression such as `f[i](x.T)` is shown as it is."""
        target = html.unescape(match["angled"] or match["target"] or "")
        is_expression = re.match(r"[\w)\]]", match.string[max(match.start() - 1, 0) : match.start()])
        if is_expression and _URL_LIKE.search(target) and not _LEADS_AWAY.search(target):
            return match[0] if self._stands(target) else f"\\{match[0]}"
        return match[0] if self._allows(target, may_be_text=True) else match["text"]

    def _unless_kept(self, replace: Callable[[re.Match[str]], str]) -> Callable[[re.Match[str]], str]:
        return lambda match: match[0] if self._is_kept(match) else replace(match)

    def _is_kept(self, match: re.Match[str]) -> bool:
        found = match.groupdict()
        return self._allows(found.get("angled") or found["target"] or "", may_be_text=match.re is _DEFINITION)

    def _image(self, match: re.Match[str]) -> str:
        self.removed.images += 1
        return ""

    def _referenced(self, match: re.Match[str], labels: set[str]) -> str:
        label = (match["label"] or match["text"]).strip().lower()
        return self._image(match) if label in labels else match[0]

    def _tag(self, match: re.Match[str]) -> str:
        found = _ATTRIBUTE.findall(match["attributes"] or "")
        if all(self._allows(next(filter(None, values), "")) for values in found):
            return match[0]
        return self._image(match) if match["name"].lower() == "img" else ""

    def _stands(self, target: str) -> bool:
        return any(target in text for text in self._cited)

    def _allows(self, target: str, before: str = "", *, may_be_text: bool = False) -> bool:
        """True where a cited text has the target's host, or the target if it has none. What is not, counts as removed.

        `before` makes a target without a scheme one that names a host. What may be text, such as `[i](j)`, or leads
        to a part of the page, is allowed.
        """
        target = html.unescape(target).strip()
        if may_be_text and (target.startswith("#") or not _URL_LIKE.search(target)):
            return True
        host = _host(before + target)
        if host in self._hosts or (not host and target and self._stands(_MAILTO.sub("", target))):
            return True
        if host:
            self.removed.hosts[host] = None
        else:
            self.removed.others += 1
        return False


def _take_out(target: LinkTarget, lines: list[str]) -> None:
    """Empties the lines that hold the target; of a link that can be told by its source, the target alone."""
    source = re.compile(rf"\]\(\s*<?{re.escape(target.url)}>?\s*\)")
    with_url = [number for number in target.lines if target.url in lines[number]]
    for number in with_url if target.kind in {"link", "html"} and with_url else target.lines:
        lines[number] = source.sub("]", lines[number]) if target.kind == "link" and source.search(lines[number]) else ""


def _host(target: str) -> str:
    """The host that a browser would ask, in small letters; empty where that is in doubt, or where there is none."""
    if _ODD.search(target):
        return ""
    try:
        parts = urlsplit(target)
        return (parts.hostname or "") if parts.scheme.lower() in {"", "http", "https"} else ""
    except ValueError:
        return ""
