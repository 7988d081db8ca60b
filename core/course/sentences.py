"""What students read where there is no answer, in several languages."""

from __future__ import annotations

from core.review import Notice
from core.types import Status

SENTENCES: dict[Status, str] = {
    Status.ABSTAINED: "I could not find an answer in the course material. Please wait for a staff member's response.",
    Status.NEEDS_CLARIFICATION: "Could you add some detail, such as the question number, your code or the error?",
    Status.NO_RESPONSE_NEEDED: "",
    Status.BLOCKED: "This question cannot be answered automatically. Please wait for a staff member's response.",
    Status.CONSENT_REQUIRED: "The student has not agreed to automatic answers. Staff will answer this question.",
}
NOTICES: dict[Notice, str] = {
    Notice.WAITING: "Your question is waiting. A member of staff will look at it before you see an answer.",
    Notice.DISCARDED: "Staff will answer this question.",
}
TRANSLATIONS: dict[str, dict[Status | Notice, str]] = {
    "de": {
        Status.ABSTAINED: "Dazu steht nichts im Kursmaterial. Bitte warte auf eine Antwort der Lehrenden.",
        Status.NEEDS_CLARIFICATION: "Kannst du mehr dazu schreiben, etwa die Nummer der Aufgabe, deinen Code oder die "
        "Fehlermeldung?",
        Status.BLOCKED: "Diese Frage kann nicht automatisch beantwortet werden. Bitte warte auf eine Antwort der Lehrenden.",
        Status.CONSENT_REQUIRED: "Ohne Einwilligung in automatische Antworten beantworten die Lehrenden diese Frage.",
        Notice.WAITING: "Deine Frage ist eingegangen. Jemand aus dem Team sieht sie sich an, bevor du eine Antwort siehst.",
        Notice.DISCARDED: "Die Lehrenden beantworten diese Frage.",
    },
    "es": {
        Status.ABSTAINED: "No he encontrado una respuesta en el material del curso. Espera, por favor, la respuesta del "
        "profesorado.",
        Status.NEEDS_CLARIFICATION: "¿Puedes dar más detalles, como el número del ejercicio, tu código o el mensaje de error?",
        Status.BLOCKED: "Esta pregunta no se puede responder automáticamente. Espera, por favor, la respuesta del "
        "profesorado.",
        Status.CONSENT_REQUIRED: "Sin consentimiento para respuestas automáticas, el profesorado responderá a esta pregunta.",
        Notice.WAITING: "Tu pregunta está pendiente. Alguien del profesorado la revisará antes de que veas una respuesta.",
        Notice.DISCARDED: "El profesorado responderá a esta pregunta.",
    },
    "fr": {
        Status.ABSTAINED: "Je n'ai pas trouvé de réponse dans les documents du cours. L'équipe enseignante te répondra.",
        Status.NEEDS_CLARIFICATION: "Peux-tu préciser, par exemple le numéro de la question, ton code ou le message d'erreur ?",
        Status.BLOCKED: "Cette question ne peut pas recevoir de réponse automatique. L'équipe enseignante te répondra.",
        Status.CONSENT_REQUIRED: "Sans accord pour les réponses automatiques, l'équipe enseignante répondra à cette question.",
        Notice.WAITING: "Ta question est en attente. Un membre de l'équipe la lira avant que tu voies une réponse.",
        Notice.DISCARDED: "L'équipe enseignante répondra à cette question.",
    },
    "nl": {
        Status.ABSTAINED: "Ik vond geen antwoord in het cursusmateriaal. Wacht op een antwoord van de begeleiding.",
        Status.NEEDS_CLARIFICATION: "Kun je meer vertellen, zoals het nummer van de vraag, je code of de foutmelding?",
        Status.BLOCKED: "Deze vraag kan niet automatisch beantwoord worden. Wacht op een antwoord van de begeleiding.",
        Status.CONSENT_REQUIRED: "Zonder toestemming voor automatische antwoorden beantwoordt de begeleiding deze vraag.",
        Notice.WAITING: "Je vraag wacht. Iemand van de begeleiding bekijkt ze voor je een antwoord ziet.",
        Notice.DISCARDED: "De begeleiding beantwoordt deze vraag.",
    },
    "zh": {
        Status.ABSTAINED: "我在课程资料中没有找到答案。请等待教学人员回复。",
        Status.NEEDS_CLARIFICATION: "能补充一些细节吗？例如题号、你的代码或错误信息。",
        Status.BLOCKED: "这个问题不能自动回答。请等待教学人员回复。",
        Status.CONSENT_REQUIRED: "未同意自动回答，教学人员会回答这个问题。",
        Notice.WAITING: "你的问题正在等待处理。教学人员查看之后你才会看到回答。",
        Notice.DISCARDED: "教学人员会回答这个问题。",
    },
}


def base_language(tag: str) -> str:
    """The language of a BCP 47 tag: `de` of `de-AT`."""
    return tag.casefold().replace("_", "-").partition("-")[0]


def sentence_in(status: Status | Notice, language: str) -> str:
    """The sentence in that language (ISO 639-1); empty where there is none."""
    return TRANSLATIONS.get(language, {}).get(status, "")
