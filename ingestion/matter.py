"""What stands between questions and belongs to none of them."""

from __future__ import annotations

import re

MATTER = re.compile(
    r"(?:(?:final )?submission(?: instructions?| guidelines)?|submit(?:ting)?(?: your work| your assignment)?|"
    r"before you (?:submit|start|begin)|how to submit|congratulations|you(?:'|’)?re (?:done|finished)|"
    r"(?:score|grade|point) breakdown|grading(?: scheme| policy)?|collaboration policy|"
    r"academic (?:honesty|integrity)(?: policy)?|honou?r code|due date|deadline|"
    r"abgabe|punkteverteilung|entrega|rendu|提交|提出方法)[\s!.:：]*",
    re.IGNORECASE,
)
"""How to hand in, rules, and how it is graded."""
