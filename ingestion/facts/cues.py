"""Words that say what a date is of, by language; a new language is a line in each table."""

from __future__ import annotations

import re


def _words(*lines: str) -> str:
    return "|".join(line for line in lines)


def _pattern(*lines: str) -> re.Pattern[str]:
    return re.compile(_words(*lines), re.IGNORECASE)


DUE = _pattern(
    r"(?<!not )\bdue\b(?! to\b)|\bdeadlines?\b|\b(?:hand(?:ed)?|turn(?:ed)?)[ -]in\b|\bsubmi(?:t|ts|tted|ssions?)\b",
    r"\babgabe\w*|\babzugeben\b|\babgeben\b|\b\w*frist\b|\bf[äa]llig\b",
    r"\bentregas?\b|\bentregar\b|\bfecha límite\b|\bplazo\b",
    r"\bà rendre\b|\brendu\b|\bdate limite\b|\béchéance\b",
    r"\binlever\w*|\bin te leveren\b|\binleveren\b|截止|提交",
)
"""What is handed in then."""
RELEASED = _pattern(
    r"\breleased?\b|\bavailable\b|\b(?:handed |given )?out\b|\bposted\b|\bassigned\b|\bopens?\b|\bpublished\b",
    r"\bausgabe\b|\bausgegeben\b|\bveröffentlicht\b|\bdisponible\b|\bpublicad[oa]\b|\bmise? en ligne\b|"
    r"\bbeschikbaar\b|发布",
)
LATE = _pattern(
    r"\blate\b|\bgrace\b|\baccepted until\b|\bcut-?off\b|\bresubmi\w+|\bregrade\w*|\bverspätet\w*|\btarde\b|\bretard\b|"
    r"\bte laat\b|迟交"
)
"""A date behind these is no due date."""
CHANGED = _pattern(
    r"\bextend(?:ed|s)?\b|\bextension\b|\bpostponed\b|\bmoved\b|\bpushed\b|\bnow due\b|\bnew (?:deadline|due date)\b",
    r"\bverlängert\b|\bverschoben\b|\bprórroga\b|\baplazad\w+|\breporté\w*|\buitgesteld\b|\bverlengd\b|延期",
)
EXAM = _pattern(
    r"\b(?:mid-?terms?|finals?|quiz(?:zes)?|tests?|prelims?)\b|\bexam(?:s|ination)?\b",
    r"\b\w*klausur(?:en)?\b|\bprüfung(?:en)?\b|\bparcial(?:es)?\b|\bex[aá]men(?:es)?\b|\bpartiel\b|\btentamen\b|期中|"
    r"期末|考试",
)
NO_EXAM = _pattern(
    r"\breview\w*|\bpractice\b|\bprep\w*|\bgrades?\b|\bsolutions?\b|\brevis\w+|\bproject\b|\bpaper\b|\bessay\b|"
    r"\bcase\b|"
    r"\bdrafts?\b|\bhypothesis\b|\btests? (?:of|for|and|on|a|the)\b|\bwiederholung\b|\brepaso\b|\bpresentations?\b|"
    r"\bcode\b"
)
"""Beside a word for an exam: what is no exam."""
HOLIDAY = _pattern(
    r"\bno (?:class(?:es)?|lectures?|labs?|sections?|school)\b|"
    r"\bholidays?\b|\bvacation\b|(?:^|[:–—-])\W*(?:break|recess)\b(?!-)|"
    r"\b(?:spring|fall|autumn|winter|summer|mid-?(?:term|semester)|semester|term|easter|university|reading|study)[ ]"
    r"(?:break|recess|holidays?|vacation)\b|"
    r"\bthanksgiving\b|\blabor day\b|\bmlk\b|\bmartin luther king\b|\bmemorial day\b|\bveterans'? day\b|\bjuneteenth\b",
    r"\bfeiertag\b|ferien\b|\bvorlesungsfrei\w*|\bfestivo\b|\bvacaciones\b|\bsin clases?\b|\bvacances\b|"
    r"\bpas de cours\b|"
    r"\bvakantie\b|\bgeen les\b|放假|假期|停课",
)
OFFICE_HOURS = _pattern(
    r"\boffice ?hours?\b|\boh\b|\bstudent hours?\b|"
    r"\bhelp (?:hours?|session)\b|\bsprechstunden?\b|\bsprechzeit(?:en)?\b|"
    r"\bhoras? de (?:oficina|consulta|atención)\b|\btutor[ií]as?\b|\bpermanence\b|\bspreekuur\b|答疑|办公时间"
)
ROLE = _pattern(
    r"\b(?:co-?)?instructors?\b|\bprofessors?\b|\bprof\.|\blecturers?\b|\bteaching assistants?\b|\bTAs?\b|\bGSIs?\b|"
    r"\btutors?\b|\bgraders?\b|\bdozent(?:in|en)?\b|\bübungsleit\w+|\bprofesora?\b|\bayudante\b|\benseignante?\b|"
    r"\bdocent\b|"
    r"\b(?:course )?coordinator\b"
)
_COST = (
    r"(?:\d+|one|two|three|half|ein\w*|zwei|un[oa]?|dos|deux|twee)\s*(?:%|percent|per cent|points?|pts|hours?|hrs?|"
    r"days?|grade|letter|"
    r"punkte?|stunden?|tage?|prozent|puntos?|horas?|días?|heures?|jours?|uur|dag\w*|天|分)|no (?:credit|penalty)|zero|"
    r"not (?:be )?accepted|half credit"
)
_LATENESS = r"late(?!r|st|ly)|grace|slip days?|penalt\w+|verspätet\w*|zu spät|tarde|retraso|retard|te laat|迟交"
LATE_RULE = re.compile(rf"\b(?:{_LATENESS})\b.*(?:{_COST})|(?:{_COST}).*\b(?:{_LATENESS})\b", re.IGNORECASE)
NEGATED = re.compile(
    r"\b(?:no|not|nothing|without|kein\w*|nichts|ning[uú]n\w*|pas de|geen)\s+(?:\w+\s+){0,2}$", re.IGNORECASE
)

COLUMNS: dict[str, re.Pattern[str]] = {
    name: re.compile(rf"(?:{words})", re.IGNORECASE)
    for name, words in {
        "late": r".*\blate\b.*",
        "due": r".*\b(?:due|deadlines?|submi\w+|hand.?in)\b.*|abgabe\w*|.*frist.*|entregas?|fecha de entrega|"
        r"à rendre|rendu|"
        r"inlever\w*|截止.*|提交.*|.*deadline.*|dueon|due_?date|enddate|end_date",
        "released": r".*\b(?:assigned|released?|out|available|posted|handed.out|opens?)\b.*|ausgabe|release_?date|"
        r"发布.*",
        "week": r"(?:week|wk|woche|semana|semaine|kw|周)\b.*",
        "date": r"(?:.*\b)?(?:dates?|days?|when|dtstart|starts?|begin|day/date|datum|tag|fecha|día|jour|dag|"
        r"日期)\b.*|start_?date",
        "end": r"(?:ends?|until|dtend|ende|fin|einde)\b.*",
        "time": r"times?|hours?|uhrzeit|zeit|hora|heure|tijd|时间",
        "place": r".*\b(?:room|place|location|where|venue|building|raum|ort|aula|lugar|salle|lieu|zaal|plaats)\b.*|"
        r"地点|教室",
        "points": r".*\b(?:points?|pts|weight|worth|percent\w*|percentage|punkte|puntos|score)\b.*|%.*|分值",
        "hours": r".*\b(?:office hours?|oh|student hours?|sprechstunde|sprechzeit)\b.*",
        "person": r".*\b(?:name|instructor|person|staff|tas?|teaching assistant|dozent|who)\b.*|姓名",
        "role": r".*\b(?:role|position|rolle|cargo)\b.*",
        "contact": r".*\b(?:e-?mail|contact|mail)\b.*",
        "work": r".*\b(?:assignments?|homeworks?|hw|work|task|deliverables?|project|lab|title|name|summary|what|"
        r"item|event|"
        r"aufgabe|blatt|tarea|devoir|opdracht|activity|assessment|milestone)\b.*|作业|summary",
        "topic": r".*\b(?:topics?|lectures?|subjects?|themes?|content|class|session|description|thema|inhalt|tema|"
        r"sujet|"
        r"onderwerp|title|module|unit)\b.*|主题|内容",
    }.items()
}
"""What a table's column is, by its heading; the first that fits counts."""


def column_of(heading: str) -> str:
    """The kind of a column; empty for an unknown one."""
    words = re.sub(r"[*_`#:]+", " ", heading).strip()
    return next((name for name, pattern in COLUMNS.items() if pattern.fullmatch(words)), "") if words else ""
