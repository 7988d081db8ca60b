"""Words in file names that say what a file is, by language; a new language is a line in each table."""

from __future__ import annotations

from unicodedata import normalize

_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "ø": "oe", "å": "aa"})
_STROKES = str.maketrans("øłđı", "oldi")


def plain(text: str) -> str:
    """The text in lower case without accents, character for character as long as it is composed."""
    return "".join(normalize("NFKD", char)[0] for char in normalize("NFC", text).lower()).translate(_STROKES)


def _words(*lines: str) -> frozenset[str]:
    words = {word for line in lines for word in line.split()}
    return frozenset(plain(form) for word in words for form in (word, word.translate(_UMLAUTS)))


SOLUTIONS = _words(
    "solution solutions soln solns slns answers answer answerkey",
    "lösung lösungen lösungs musterlösung musterlösungen lösungsvorschlag lösungsvorschläge lösungsskizze",
    "antwort antworten musterantwort musterantworten beispiellösung erwartungshorizont",
    "solución soluciones solucion solucionario respuesta respuestas resuelto resueltos resuelta resueltas",
    "corrigé corrigés corrige corriges réponse réponses solutionnaire",
    "soluzione soluzioni risposta risposte svolgimento svolgimenti svolto svolti",
    "solução soluções gabarito gabaritos resposta respostas resolvido resolvidos",
    "uitwerking uitwerkingen antwoord antwoorden antwoordmodel oplossing oplossingen",
    "løsning løsninger løsningsforslag lösning lösningar lösningsförslag facit svar ratkaisu ratkaisut vastaukset",
    "rozwiązanie rozwiązania odpowiedzi řešení megoldás megoldások çözüm çözümler cevap cevaplar rezolvare rezolvari",
    "решение решения ответ ответы розв'язок відповіді λύση λύσεις απαντήσεις الحل حلول الإجابة jawaban",
    "solucions respostes פתרון פתרונות תשובות پاسخ",
)
"""They say by themselves that a file holds solutions."""

SHORT_SOLUTIONS = _words(
    "sol sols sln ans key keys worked solved complete completed filled exemplar walkthrough correction",
    "clave claves pauta correzione correzioni correção",
    "korrektur korrekturen korrigiert lsg",
)
"""They do beside the words for a sheet; each is also a word of other meanings."""

CJK_SOLUTIONS = ("答案", "解答", "题解", "題解", "정답", "풀이", "해답", "答え", "모범답안")
"""Found within a name: these scripts leave no space between words."""

STAFF = _words(
    "rubric rubrics autograder autograders markscheme markschemes gradingscheme rubrica rubricas barème",
    "bewertungsschema bewertungsraster korrekturhinweise korrekturschema beoordelingsmodel correctievoorschrift",
    "nakijkmodel rättningsmall sensorveiledning",
)
"""They say that a file of an assignment is for those who grade it."""

SHORT_STAFF = _words(
    "staff ta tas instructor instructors teacher teachers tutor tutors grader graders grading marking marker markers",
    "hidden private secret dozent dozenten lehrende profesor profesores docente docentes enseignant",
    "bewertung calificación korrektor",
)
"""They do beside the words for a sheet."""

GRADED = _words(
    "homework homeworks hw hws hmwk assignment assignments assign assn asgn asst pset psets ps exam exams examen",
    "examination midterm midterms mt final finals quiz quizzes test tests prelim pa problemset worksheet ws",
    "hausaufgabe hausaufgaben klausur klausuren klausur klausuraufgaben übungsblatt übungsblätter blatt testat prüfung",
    "tarea tareas examen exámenes parcial parciales prueba pruebas entrega control deber deberes",
    "devoir devoirs partiel contrôle dm ds interro rattrapage",
    "compito compiti esame esami prova provas exame tarefa tarefas tentamen tentamens huiswerk",
    "作业 作業 考试 試験 期中 期末 宿題 과제 시험 домашнее экзамен контрольная",
)
"""Words for what students hand in."""

SHEETS = GRADED | _words(
    "problem problems set sets sheet sheets question questions exercise exercises ex lab labs project projects proj",
    "discussion discussions disc section recitation rec week wk lecture lec day part unit module mod chapter ch",
    "tutorial tut activity practice practise workshop study task tasks milestone challenge handout notebook nb",
    "q p hand in",
    "aufgabe aufgaben übung übungen übungs serie praktikum woche kapitel teil",
    "ejercicio ejercicios problema problemas práctica prácticas taller guía hoja semana tema unidad laboratorio",
    "exercice exercices td tp feuille série semaine chapitre",
    "esercizio esercizi esercitazione foglio lista listas exercício exercícios trabalho folha aula",
    "opgave opgaven oefening oefeningen werkcollege øving øvelse uppgift övning tehtävä zadanie zadania úloha feladat",
    "задача задачи лист 练习 練習 問題 课 第",
)
"""Words for what solutions are of, graded or not."""

FILLERS = _words(
    "final v version ver copy draft new old updated update rev revised annotated full partial short",
    "only notes note guide guides guidance manual sheet scheme pdf ipynb md html tex docx nb print printable web scan",
    "fa fall sp spring su summer wi winter sem semester term year w s f ss ws sose wise the a an and und et y e of to",
    "for zu zur zum der die das de del la le les du des al with mit part online official sample suggested model",
    "reference possible expected proposed course class all both muster vorschlag skizze hinweise skript modelo modele",
    "corrected fixed posted release released edition box block panel my",
)
"""They say nothing about what a file is."""

FORMAT_WORDS = _words("pdf html htm tex ipynb rmd md web print printable copy")
"""They say in which form a file is."""

MIN_GLUED = 4

COPIES = _words("only version copy edition note notes guide manual")
"""Of what is written for those who grade, as in "TAonly"."""

TESTS = _words("test tests testcase testcases")
UNANNOUNCED = _words("pop surprise unannounced")
QUIZZES = _words("quiz quizzes")

BEFORE_OTHERWISE = _words("no non not without before pre un ohne sans sin senza sem zonder your blank")
"""In front of a word for solutions: there are none, or students write them."""

AFTER_OTHERWISE = _words(
    "template templates blank blanks guidelines guideline instructions instruction format formats form forms policy",
    "policies request requests survey checker checklist choice choices option options count submission",
    "vorlage plantilla modèle",
)
"""Behind it: what students write theirs in, or rules for it."""

STARTERS = _words("starter skeleton stub student students handout")
"""Names of what students begin with."""

SUBJECTS = _words(
    "numeric numerical analytic analytical exact approximate find finding weak strong series general particular buffer",
    "aqueous ideal solid saline software cloud business unique stable optimal feasible steady homogeneous closed nash",
    "trivial",
)
"""Before "solutions", what makes them a subject of the course."""

LINKS = _words("of to for zu zur zum der de del di")


GLUED = frozenset(word for word in SHEETS if len(word) >= MIN_GLUED or word in GRADED) | {"lab", "with", "final"}
"""Sheets whose word may stand without a border beside a short one ("labkey")."""
