"""What a page does not show is for staff; what readers unfold or choose is for students."""

from __future__ import annotations

import pytest

from ingestion.loaders import load
from ingestion.questions.headers import detect_by_rule
from ingestion.tree import build_tree


def seen(text: str, suffix: str) -> str:
    document = load(f"page{suffix}", text.encode())
    tree = build_tree(document, detect_by_rule(document, questions=False), solutions=False)
    return " ".join(block.text for block in tree.blocks())


@pytest.mark.parametrize("suffix", [".html", ".md"])
@pytest.mark.parametrize(
    "element",
    [
        '<div style="display: none">SECRET</div>', "<p hidden>SECRET</p>", '<p style="visibility:hidden">SECRET</p>',
        '<div class="d-none">SECRET</div>', '<p style="color: white">SECRET</p>', "<template>SECRET</template>",
        '<p style="position:absolute;left:-9999px">SECRET</p>', '<p style="font-size:0">SECRET</p>',
        '<style>.late { display:none }</style><div class="late">SECRET</div>',
        '<style>#x1, p { color: red; display : none !important; }</style><div id="x1"><p>SECRET</p></div>',
    ],
)  # fmt: skip
def test_what_a_page_hides_is_for_staff_in_any_material(element: str, suffix: str) -> None:
    text = seen(f"<p>Before.</p>\n\n{element}\n\n<p>SEEN</p>\n", suffix)
    assert "SECRET" not in text
    assert "SEEN" in text


@pytest.mark.parametrize("suffix", [".html", ".md"])
@pytest.mark.parametrize(
    "element",
    [
        '<div role="tabpanel" hidden>SEEN</div>', '<div class="tab-pane" style="display:none">SEEN</div>',
        '<div class="hidden md:block">SEEN</div>', '<p style="color: white; background: black">SEEN</p>',
        '<style>@media print { .web { display: none } }</style><div class="web">SEEN</div>',
        "<details><summary>Hint</summary>SEEN</details>", '<p style="opacity: 0.8">SEEN</p>',
        '<p style="font-size: 0.9em">SEEN</p>',
    ],
)  # fmt: skip
def test_what_readers_can_see_is_for_students(element: str, suffix: str) -> None:
    assert "SEEN" in seen(f"<p>Before.</p>\n\n{element}\n", suffix)
