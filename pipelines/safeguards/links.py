"""Takes out of an answer what would make a reader's browser ask a host that no cited passage names."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

_CODE = re.compile(
    r"(^[ \t]*(```|~~~).*?(?:^[ \t]*\2[`~]*[ \t]*$|\Z)"
    r"|(?<!`)(`+)(?!`)(?:(?!\n[ \t]*\n).)+?(?<!`)\3(?!`))",
    re.DOTALL | re.MULTILINE,
)
_TARGET = (
    r"\(\s*(?:<(?P<angled>[^<>\n]*)>|(?P<target>(?:[^\s()\\]|\\.|\((?:[^\s()\\]|\\.)*\))*))"
    r"(?P<title>\s+(?:\"[^\"]*\"|'[^']*'|\([^()]*\)))?\s*\)"
)
_TEXT = r"\[(?P<text>(?:[^\[\]\\]|\\.|\[(?:[^\[\]\\]|\\.)*\])*)\]"
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
    r"|(?<![\w@/.-])(?:[a-z0-9-]+\.)+(?:com|org|net|edu|gov|io|dev|app|info|ai)/)"
    r"[^\s<>\"'`\])}]*(?:\([^\s<>\"'`()]*\)[^\s<>\"'`\])}]*)*"
    r"|(?<!\w)(?:javascript|data|mailto|vbscript):[^\s<>\"'`\])]+",
    re.IGNORECASE,
)
_BARE_IN_CODE = re.compile(r"(?:https?|ftp|wss?)://[^\s<>\"'`\])}]+", re.IGNORECASE)
_HOST = re.compile(r"(?:[\w-]+\.)+[\w-]+|(?<=://)[\w-]+", re.UNICODE)
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

    Of another link its text stays; an image, a bare URL and a reference definition go. In code only URLs do.
    """
    links = _Links(cited)
    last, kept = 0, list[str]()
    for code in _CODE.finditer(markdown):
        kept += [links.without(markdown[last : code.start()]), links.without_bare(code[0], _BARE_IN_CODE)]
        last = code.end()
    kept.append(links.without(markdown[last:]))
    return ("".join(kept) if links.removed else markdown), links.removed


class _Links:
    """The rules for the links of one answer, and what they removed."""

    def __init__(self, cited: Sequence[str]) -> None:
        self.removed = Removed()
        self._cited = cited
        self._hosts = {host.lower() for text in cited for host in _HOST.findall(text)}

    def without(self, prose: str) -> str:
        labels = {match["label"].strip().lower() for match in _DEFINITION.finditer(prose) if not self._is_kept(match)}
        prose = _DEFINITION.sub(self._unless_kept(lambda match: ""), prose)
        prose = _IMAGE.sub(self._unless_kept(self._image), prose)
        prose = _IMAGE_REFERENCE.sub(lambda match: self._referenced(match, labels), prose)
        prose = _LINK.sub(self._unless_kept(lambda match: match["text"]), prose)
        untagged = _TAG.sub(self._tag, prose)
        prose = prose if untagged == prose else _END_OF_LINK.sub("", untagged)
        prose = _AUTOLINK.sub(self._unless_kept(lambda match: ""), prose)
        return self.without_bare(prose, _BARE)

    def without_bare(self, text: str, pattern: re.Pattern[str]) -> str:
        """The text without URLs that stand there as they are; the full stop behind one is no part of it."""

        def keep(match: re.Match[str]) -> str:
            url = match[0].rstrip(".,;:!?*_")
            return match[0] if self._allows(url, "" if _SCHEME.match(url) else "//") else match[0][len(url) :]

        return pattern.sub(keep, text)

    def _unless_kept(self, replace: Callable[[re.Match[str]], str]) -> Callable[[re.Match[str]], str]:
        return lambda match: match[0] if self._is_kept(match) else replace(match)

    def _is_kept(self, match: re.Match[str]) -> bool:
        found = match.groupdict()
        return self._allows(found.get("angled") or found["target"] or "")

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

    def _allows(self, target: str, before: str = "") -> bool:
        """True where the target stands in a cited text, or its host does. What is not allowed counts as removed.

        `before` makes a target without a scheme one that names a host.
        """
        target = html.unescape(target).strip()
        host = _host(before + target)
        if host in self._hosts or any(target and target in text for text in self._cited):
            return True
        if host:
            self.removed.hosts[host] = None
        else:
            self.removed.others += 1
        return False


def _host(target: str) -> str:
    """The host that a browser would ask, in small letters; empty where that is in doubt, or where there is none."""
    if _ODD.search(target):
        return ""
    try:
        parts = urlsplit(target)
        return (parts.hostname or "") if parts.scheme.lower() in {"", "http", "https"} else ""
    except ValueError:
        return ""
