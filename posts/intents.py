"""Cue words and example sentences of each kind of question, the features of the offline router.

They do not depend on the subject. Their weights for each function are trained (`eval.fitting.offline_router`).
"""

from __future__ import annotations

import re

from retrievers.names import read_names

_CLOSINGS = (
    r"thanks?|thank you|thx|ty|nvm|never ?mind|got it|works now|(that|it) (worked|helped|works)|(much )?appreciate[d]?|"
    r"good luck|congrat\w*|danke\w*|vielen dank|viel glück|gracias|suerte|merci|obrigad[oa]|grazie"
)
"""Beginnings of messages that give thanks or wish luck."""
_PATTERNS = {
    "deadline": r"\b(due|deadline|late|slip|extension|submit|submission|upload|hand in|turn in|until when|by when|"
    r"abgabe|frist|abgeben|entrega|plazo|entregar)\b|截止|迟交|提交",
    "rules": r"\b(exam|midterm|final|quiz|cheat ?sheet|allowed|permitted|policy|rule|collaborat|partner|tutor|klausur|"
    r"erlaubt|examen|permitid)\w*|考试|允许",
    "grades": r"\b(grade|grading|points|percent|curve|regrade|score|pass|fail|drop|note|punkte|nota|puntos)\w*|"
    r"成绩|分数",
    "people": r"\b(office hour|section|lecture|room|attendance|schedule|staff|contact|email|instructor|zoom|enrol|"
    r"waitlist|sprechstunde|vorlesung|horario|profesor)\w*|老师|教室",
    "trouble": r"\b(error|traceback|exception|kernel|crash|install|import|module|hub|autograder|grader|gradescope|"
    r"hang|stuck|works? on my|failed|fails|failing|timeout|fehler|absturz|stürzt|funktioniert nicht|no funciona)\w*|"
    r"报错|打不开",
    "error": r"\b\w+(Error|Warning|Exception)\b|```|Traceback",
    "task": r"\b(hw|homework|project|proj|problem set|ps|lab|worksheet|hausaufgabe|übungsblatt|tarea)\s*\d*\b|"
    r"\b(q|question|part|problem|task|exercise|aufgabe|teil|ejercicio|problema)\s*\(?\d*[a-z]?\)?\b|\b\d[a-z]\b|"
    r"\([a-z]\)|作业|第.{1,3}题",
    "concept": r"\b(what is|what are|what does|mean|meaning|definition|why (is|does|do|are)|differen|intuition|"
    r"understand|explain|concept|chapter|book|example|formula|when (do|should) (we|i|you) use|warum|bedeutet|"
    r"unterschied|verstehe|por qué|significa|diferencia|entiendo)\b|为什么|什么是|区别|意思",
    "others": r"\b(anyone|somebody|someone|others|other people|has anybody|same (problem|issue)|thread|post(ed)?|"
    r"asked before|already|jemand|alguien|a alguien)\b|有人|同学",
    "own work": r"\b(my (answer|solution|code|plot|result|sentence)|is (this|it|that) (right|correct|ok|enough|fine)|"
    r"do (we|i) (have|need) to|should (we|i)|expected|supposed|hint|stimmt das|richtig|reicht das|está bien|"
    r"correct[oa])\b|对吗|可以吗",
    "chatter": rf"\b({_CLOSINGS}|solved|lol|haha|congrat|found|lost)\b|谢谢",
    "question mark": r"[?？]",
    "time": r"\b(when|where|who|until|monday|tuesday|wednesday|thursday|friday|saturday|sunday|tonight|tomorrow|"
    r"week|\d+ ?pm|wann|wo|wer|montag|freitag|morgen|cuándo|dónde|quién|viernes|mañana)\b|什么时候|几号|哪里",
}
CUES: dict[str, re.Pattern[str]] = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in _PATTERNS.items()}

EXAMPLES: dict[str, tuple[str, ...]] = {
    "past question": (
        "Has anyone else had this problem?",
        "Does somebody know how to fix this?",
        "I get an error message and don't know what it means.",
        "The page does not load, it only shows a blank screen.",
        "The program crashes when I open the file.",
        "It fails the automatic test although it works on my computer.",
        "There was a post about this, where can I find it?",
        "What did the staff say when somebody asked this before?",
        "The upload does not work.",
        "The tool behaves strangely, is that normal?",
    ),
    "concept": (
        "What does this term mean?",
        "What is the difference between these two concepts?",
        "Why does this happen?",
        "I don't understand the idea behind this.",
        "How does this method work in general?",
        "Can someone explain this with an example?",
        "What is the intuition for this formula?",
        "Where in the book is this explained?",
    ),
    "task": (
        "What does part b of question 2 ask for?",
        "Is my answer to problem 3 correct?",
        "I get a different result than expected in the homework.",
        "Do we have to show our steps in this exercise?",
        "Can I write it like this in my answer?",
        "How many examples do they want in this part?",
        "Am I on the right track with this task?",
    ),
    "course": (
        "When is the deadline?",
        "Can I hand it in late?",
        "How much does the exam count?",
        "What is allowed in the exam?",
        "When and where are office hours?",
        "Whom do I write to about my grade?",
        "I am ill and will miss class, what do I do?",
        "May I work together with a friend?",
        "Are we allowed to use an AI tool?",
        "Which room is the lecture in?",
    ),
    "nothing": (
        "Thanks, that solved it.",
        "Good luck everyone!",
        "I lost my jacket in the room.",
        "Does anybody want to form a study group?",
        "That was a great lecture.",
        "Never mind, I found my mistake.",
        "See you on Monday.",
    ),
}

_COURSE_CUES = ("deadline", "rules", "grades", "people")


def is_about_course(text: str) -> bool:
    """True for a text with words about how a course is run: deadlines, rules, grades or people."""
    return any(CUES[name].search(text) for name in _COURSE_CUES)


MAX_CHATTER_WORDS = 25
_CLOSING = re.compile(
    rf"\W*((ok(ay)?|oh|ah|perfect|great|awesome|nice|yay|alright|solved|so)\W+)*({_CLOSINGS}|solved)\b|\W*(谢谢|多谢|加油)",
    re.IGNORECASE,
)
_QUESTION_MARK = re.compile(r"[?？]")
_WANTS = re.compile(
    r"\b(what|which|who|when|where|why|how|can|could|should|does|do (i|we|you)|need|help|stuck|still|but|except|unless|"
    r"however|not|no idea|unsure|wrong|fail\w*|error|confus\w*|in advance|please|pls|explain|define|describe|"
    r"pero|cuándo|dónde|cómo|aber|nicht|wann|wie|wo|mais|pas|quand|comment|onde|quando)\b|n['’]?t\b|[?？]|但|怎么|什么",
    re.IGNORECASE,
)


NOTHING_FROM = 0.6
"""Probability that a message needs no function from which it needs no response, where it has no question mark."""


def wants_nothing(title: str, body: str, nothing: float | None = None) -> bool:
    """True for thanks, wishes and announcements, by their words or the probability that no function is needed."""
    is_likely = nothing is not None and nothing >= NOTHING_FROM
    return _is_closing(title, body) or (is_likely and not _QUESTION_MARK.search(f"{title}\n{body}"))


def _is_closing(title: str, body: str) -> bool:
    """True for a short message that begins with thanks or wishes and has no words that ask for something."""
    text = f"{title}\n{body}"
    if not _CLOSING.match(title or body) or len(text.split()) > MAX_CHATTER_WORDS:
        return False
    return not _WANTS.search(text) and not read_names(text).questions


_ABOUT_WORDING = re.compile(
    r"\b(do (we|i|you) (have|need|want)|does .{0,25} (need|ask|require|want)|"
    r"are (we|you) (supposed|meant|allowed|asked)|am i (supposed|meant|allowed)|"
    r"(what|which)\b.{0,30}\b(ask|asks|asked|require[sd]?|expect(ed|s)?|need(ed|s)?|want(s|ed)?)|supposed to|"
    r"how (many|long)|format|where (do|should) (we|i) (put|write|hand)|count(s)? as|"
    r"is it (enough|ok|okay|fine)|allowed|required)\b",
    re.IGNORECASE,
)
_STUCK = re.compile(
    r"\b(stuck|(an?|any|some|need|want|give me) hints?|can['’]?t figure|what (am i|are we) (doing wrong|missing)|"
    r"(don['’]?t|do not|didn['’]?t) (understand|get) "
    r"(it|this|(this |the )?(question|task|problem|part|exercise)|q?\d+[a-z]?)|"
    r"(no (idea|clue)|(don['’]?t|do not|didn['’]?t|not sure|unsure|confused about) (know |understand |get |see )?)"
    r" ?(how|where|what|which) (to|i|we|you)|(have|having|got|with) no (idea|clue)|totally lost|"
    r"where (do|should|can|would) (i|we|you) (even )?(start|begin)|how (do|should|can|would|could) (i|we|you|one) "
    r"(even )?(start|begin|approach|attack|tackle|solve|go about|get (started|going)|do (this|that|it)))\b",
    re.IGNORECASE,
)
_HOW_TO_DO = re.compile(r"\bhow (do|should|can|would|could) (i|we|you|one) (even )?do\b", re.IGNORECASE)
_HAS_ANSWER = re.compile(
    r"\b(is (this|it|that|my \w+) (right|correct|ok|okay|enough|fine)|am i right|check(ing)? my|"
    r"my (answer|number|result) (for|is|was))\b",
    re.IGNORECASE,
)


def is_about_wording(text: str) -> bool:
    """True for a question on what a task asks for, which the task's own words answer."""
    return bool(_ABOUT_WORDING.search(text))


def is_stuck(text: str) -> bool:
    """True for a text whose author does not know how to go on, so that an idea helps more than the task's words.

    Whoever has an answer and asks whether it is right is not stuck.
    """
    at_a_loss = _STUCK.search(text) or (_HOW_TO_DO.search(text) and read_names(text).questions)
    return bool(at_a_loss) and not _HAS_ANSWER.search(text)
