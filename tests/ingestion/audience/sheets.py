"""A sheet and its solution, whose name does not say so."""

QUESTIONS = (
    "Which planet of the solar system has the largest mass, and which has the smallest of them all?",
    "Explain in your own words why the seasons are not caused by the distance from the sun.",
    "Compute how long light takes from the sun to the earth, and state the assumptions you make.",
)
ANSWERS = (
    "Jupiter is by far heaviest, with more than twice what everything else together weighs; Mercury is lightest.",
    "Our axis leans by a fixed angle, so either hemisphere receives steeper rays during one half of every year.",
    "Dividing one astronomical unit by c gives roughly five hundred seconds, taking that orbit as circular.",
)
SHEET = "# Homework 3\n\n" + "\n\n".join(f"## Question {n}\n\n{q}" for n, q in enumerate(QUESTIONS, 1))
WORKED = "# Homework 3\n\n" + "\n\n".join(
    f"## Question {n}\n\n{question}\n\n{answer}"
    for n, (question, answer) in enumerate(zip(QUESTIONS, ANSWERS, strict=True), 1)
)
ANSWERED = "\n\n".join(f"## Question {n}\n\n{answer}" for n, answer in enumerate(ANSWERS, 1))
"""Answers alone."""
