"""Which question a sentence of each kind gives, as it stands in a text."""

from __future__ import annotations

import pytest

from teaching.teacher import candidates


def _asked(text: str) -> list[str]:
    return [one.question for one in candidates(text)]


@pytest.mark.parametrize(
    ("sentence", "question"),
    [
        ("A glacier is the slow, dense ice that a cold valley holds.", "What is a glacier?"),
        ("Grey water is water that has washed dishes.", "What is grey water?"),
        ("A fathom is the length at which a rope marks six feet.", "What is a fathom?"),
        ("A light year (ly) is the distance that light goes in a year.", "What is a light year?"),
        ("A tariff is any tax on imported goods.", "What is a tariff?"),
        ("Spores are small cells through which a fern spreads.", "What are spores?"),
        ("The Thirty Years War was a conflict that ruined Germany.", "What was the Thirty Years War?"),
        ("An estuary, by contrast, is a mouth in which salt and fresh water mix.", "What is an estuary?"),
        ("However, an estuary is a mouth in which salt and fresh water mix.", "What is an estuary?"),
        ("GPS stands for Global Positioning System.", "What does GPS stand for?"),
        ("The law of inertia states that a body keeps its speed.", "What does the law of inertia state?"),
        ("A sieve is used to part sand from stones.", "What is a sieve used for?"),
        ("Humidity is measured in grams of water per cubic metre.", "How is humidity measured?"),
        ("A bond is called junk if its issuer is weak.", "When is a bond called junk?"),
        ("The function of the kidneys is to clean the blood.", "What is the function of the kidneys?"),
    ],
)
def test_what_is_defined_is_asked_for(sentence: str, question: str) -> None:
    assert _asked(sentence) == [question]


@pytest.mark.parametrize(
    ("sentence", "question"),
    [
        ("The Baltic states are Estonia, Latvia, and Lithuania.", "What are the Baltic states?"),
        ("The three layers of the skin are epidermis, dermis, and fat.", "What are the three layers of the skin?"),
        ("Respiration consists of two steps: glycolysis and oxidation.", "What does respiration consist of?"),
        ("A fire requires three things: heat, fuel, and air.", "What three things does a fire require?"),
        ("Two forces shape a dune: wind and gravity.", "Which two forces shape a dune?"),
        (
            "There are four seasons in the year: spring and three more, cold or warm.",
            "What are the four seasons in the year?",
        ),
        ("There are several ways to store heat: salt, water, and stone.", "What are some ways to store heat?"),
        (
            "Soils are sorted by their grain into three groups: clay, silt, and sand.",
            "What three groups are soils sorted by their grain into?",
        ),
        ("Linnaeus divided nature into stones, plants, and animals.", "What did Linnaeus divide nature into?"),
        (
            "The charter splits power among two houses: a senate and a diet.",
            "What two houses does the charter split power among?",
        ),
        ("There are about 90 known moons in the outer system.", "How many known moons are there in the outer system?"),
    ],
)
def test_what_is_enumerated_or_counted_is_asked_for(sentence: str, question: str) -> None:
    assert _asked(sentence) == [question]


@pytest.mark.parametrize(
    ("sentence", "question"),
    [
        ("The tides are caused by the pull of the Moon.", "What causes the tides?"),
        ("Frost may be caused by a clear night.", "What may cause frost?"),
        ("Rust results from oxygen and water.", "What does rust result from?"),
        ("Floods do not come every spring because dams hold the water.", "Why do floods not come every spring?"),
        ("Rents fell after the fire because tenants had left.", "Why did rents fall after the fire?"),
        (
            "The right lung is larger than the left lung because the heart lies left.",
            "Why is the right lung larger than the left lung?",
        ),
        ("Snow melts slowly in forests, since trees give shade.", "Why does snow melt slowly in forests?"),
        ("Because ice floats, the lakes keep their fish in winter.", "Why do the lakes keep their fish in winter?"),
        ("Bridges expand in summer due to the heat.", "Why do bridges expand in summer?"),
        ("Thunder occurs when air expands suddenly.", "When does thunder occur?"),
        ("When a river slows down, its mud sinks to the ground.", "What happens when a river slows down?"),
        ("Noise increases the risk of deafness.", "What does noise increase the risk of?"),
    ],
)
def test_what_is_explained_is_asked_for(sentence: str, question: str) -> None:
    assert _asked(sentence) == [question]


@pytest.mark.parametrize(
    ("sentence", "question"),
    [
        ("Inner planets are small, whereas outer moons are icy.", "How do inner planets differ from outer moons?"),
        ("Roots carry water up, whereas leaves carry sugar down.", "How do roots differ from leaves?"),
        ("A comet is a ball of ice; an asteroid is a lump of rock.", "How does a comet differ from an asteroid?"),
        ("Whereas ducks are good swimmers, hens sink at once.", "How do ducks differ from hens?"),
        ("Sharks, unlike whales, have gills.", "How do sharks differ from whales?"),
        ("A fjord, in contrast to a bay, was cut by ice.", "How does a fjord differ from a bay?"),
        ("Copper wires are cheaper than silver wires.", "How do copper wires compare with silver wires?"),
        (
            "Unlike Ptolemy, Kepler's ideas about planets have stood the test.",
            "How do Kepler's ideas about planets differ from Ptolemy?",
        ),
        ("The difference between frogs and toads is the skin.", "What is the difference between frogs and toads?"),
    ],
)
def test_what_is_compared_is_asked_for(sentence: str, question: str) -> None:
    assert _asked(sentence) == [question]


@pytest.mark.parametrize(
    ("sentence", "question"),
    [
        ("The thyroid regulates how fast the body burns energy.", "What does the thyroid regulate?"),
        ("Anemia is characterized by a lack of red cells.", "What is anemia characterized by?"),
        ("The pancreas is located behind the stomach.", "Where is the pancreas located?"),
        ("Bats find insects by listening to echoes.", "How do bats find insects?"),
        ("Glands secrete hormones into the blood.", "What do glands secrete?"),
        ("Chronic noise has been linked to poor sleep.", "What has chronic noise been linked to?"),
        ("In adults, the thymus is located above the heart.", "Where is the thymus located?"),
        ("One cause of erosion is the felling of trees.", "What is one cause of erosion?"),
        ("The largest producer of tin is China.", "What is the largest producer of tin?"),
        ("Some symptoms of scurvy are pale skin and sore gums.", "What are some symptoms of scurvy?"),
    ],
)
def test_what_something_does_and_how_is_asked_for(sentence: str, question: str) -> None:
    assert _asked(sentence) == [question]


@pytest.mark.parametrize(
    "sentence",
    [
        "Smoke is a problem for pilots.",
        "Contract law is a difficult subject.",
        "Red onions are an example of a bulb.",
        "Whales are often called fish, but they are not fish at all.",
        "A leap year is longer because a day is added.",
        "Spiders are insects, and not so rare.",
        "Numerous studies have found a weak link.",
        "Imaging studies reveal that the tissue is dense.",
        "Ada is glad because her son has learned to read.",
        "The bell stops when you leave the room.",
        "The suspects drove away when the police came.",
        "If the guests knew the plan, they would stay.",
        "The three indices are Speed, Span, and Sense.",
        "Ten years after the war: United in grief, divided over money.",
        "Conditioning is based on the work of B.",
        "Seconds are saved, because the message is short.",
        "These kinds of doubt are known as fear, which involve pain and loss.",
        "An airline is one firm that uses lists.",
        "Visions in dry lands is a sign that the mind lacks water.",
        "Withdrawal includes a range of ills felt when a drug is stopped.",
        "Social researchers study towns in order to know them.",
        "Poor roads are related to a number of accidents.",
        "Adoption studies clearly prove that the genes count.",
        "Safety concerns also lead to limits for pilots.",
        "Several types of rope are used to climb, tow, and moor.",
        "The resulting data provide norms for later years.",
        "Road noise is a complex issue and each of the cures has its price.",
        "The highest need is the need for a whole life.",
        "The theory states that the fittest will survive.",
        "When children are in a group, it is wise to match them.",
        "When the parent returns, the children are calm.",
        "The average score for pilots is the mean of five marks.",
        "Truth is what makes the difference between the two.",
        "Resulting gaps in the wall cause a loss of heat.",
        "A number of factors are associated with poor sleep in towns.",
        "When the hearing problem is treated, the speech returns.",
        "When participants enter the study, they fill in a form.",
        "An advertisement is usually not an offer.",
    ],
)
def test_what_would_make_a_bad_question_makes_none(sentence: str) -> None:
    assert _asked(sentence) == []


def test_a_country_keeps_its_capital() -> None:
    assert _asked("Iceland is a country with many volcanoes.") == ["What is Iceland?"]


def test_a_thing_that_was_named_just_before_is_not_asked_for() -> None:
    assert _asked("A comet has a tail of gas. The tail points outward because light pushes it.") == []
    assert _asked("A strong magnetic field is set up. The magnetic field causes the atoms to turn.") == []
    assert _asked("A comet is bright. The tail points outward because light pushes it.") == [
        "Why does the tail point outward?"
    ]


def test_the_title_of_a_reference_is_no_statement() -> None:
    assert _asked("Miller, G. A. (1956). Naps promote memory in young infants. Science, 3.") == []


def test_items_of_a_list_are_sentences_of_their_own() -> None:
    azimuth, altitude = "*Azimuth* is measured in degrees from north.", "*Altitude* is measured in degrees upward."
    text = f"Two angles are used:\n\n- {azimuth}\n- {altitude}\n"
    assert _asked(text) == ["How is azimuth measured?", "How is altitude measured?"]
    assert next(one.quote for one in candidates(text)) == azimuth
