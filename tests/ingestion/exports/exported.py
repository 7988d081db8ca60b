"""A cartridge, a Moodle backup and archives, made for tests."""

# ruff: noqa: E501
from __future__ import annotations

import io
import json
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

MODULES = """<organization><item identifier="root">
  <item identifier="m1"><title>Week 1</title>
    <item identifier="i1" identifierref="r_page"><title>Sampling</title></item>
    <item identifier="i2" identifierref="r_hidden"><title>Next term</title></item>
  </item></item></organization>"""
RESOURCES = """<resources>
  <resource identifier="r_page" type="webcontent" href="wiki_content/sampling.html"><file href="wiki_content/sampling.html"/></resource>
  <resource identifier="r_hidden" type="webcontent" href="wiki_content/next.html"><file href="wiki_content/next.html"/></resource>
  <resource identifier="r_hw" type="associatedcontent/imscc_xmlv1p1/learning-application-resource" href="r_hw/hw.html">
    <file href="r_hw/hw.html"/><file href="r_hw/assignment_settings.xml"/></resource>
  <resource identifier="r_quiz" type="imsqti_xmlv1p2/imscc_xmlv1p1/assessment"><file href="r_quiz/quiz.xml"/></resource>
  <resource identifier="r_news" type="imsdt_xmlv1p1"><file href="r_news.xml"/><dependency identifierref="r_meta"/></resource>
  <resource identifier="r_meta" type="associatedcontent/imscc_xmlv1p1/learning-application-resource" href="r_meta.xml">
    <file href="r_meta.xml"/></resource>
  <resource identifier="r_out" type="webcontent" href="../../etc/passwd.txt"><file href="../../etc/passwd.txt"/></resource>
</resources>"""
QUIZ = """<questestinterop><assessment title="Quiz 1"><section><item><presentation>
  <material><mattext texttype="text/html">&lt;p&gt;What is a median?&lt;/p&gt;</mattext></material>
  <response_lid><render_choice>
    <response_label ident="a"><material><mattext>The mean</mattext></material></response_label>
    <response_label ident="b"><material><mattext>The middle value</mattext></material></response_label>
  </render_choice></response_lid></presentation>
  <resprocessing><respcondition><conditionvar><varequal respident="r">b</varequal></conditionvar>
    <setvar action="Set">100</setvar></respcondition></resprocessing></item></section></assessment></questestinterop>"""
CARTRIDGE = {
    "imsmanifest.xml": f'<manifest xmlns="http://www.imsglobal.org/xsd/imsccv1p1/imscp_v1p1">'
    f"<organizations>{MODULES}</organizations>{RESOURCES}</manifest>",
    "course_settings/course_settings.xml": "<course><title>Data 1</title><time_zone>America/Los_Angeles</time_zone></course>",
    "wiki_content/sampling.html": "<html><body><p>A sample is a part of a population.</p></body></html>",
    "wiki_content/next.html": '<html><head><meta name="workflow_state" content="unpublished"/></head><body>Later.</body></html>',
    "r_hw/hw.html": "<html><body><p>Draw two samples.</p></body></html>",
    "r_hw/assignment_settings.xml": "<assignment><title>Homework 1</title><due_at>2026-02-20T07:59:00</due_at>"
    "<unlock_at>2026-02-10T08:00:00</unlock_at><points_possible>10.0</points_possible></assignment>",
    "r_quiz/quiz.xml": QUIZ,
    "r_news.xml": "<topic><title>Room change</title><text>&lt;p&gt;We meet in 101.&lt;/p&gt;</text></topic>",
    "r_meta.xml": "<topicMeta><topic_id>r_news</topic_id><type>announcement</type><posted_at>2026-02-01T17:00:00</posted_at></topicMeta>",
}
MOODLE = {
    "moodle_backup.xml": "<moodle_backup><information><original_course_fullname>Data 1</original_course_fullname><contents>"
    "<activities><activity><moduleid>7</moduleid><sectionid>3</sectionid><modulename>page</modulename><title>Sampling</title>"
    "<directory>activities/page_7</directory></activity>"
    "<activity><moduleid>8</moduleid><sectionid>3</sectionid><modulename>assign</modulename><title>Homework 1</title>"
    "<directory>activities/assign_8</directory></activity></activities>"
    "<sections><section><sectionid>3</sectionid><title>Week 1</title><directory>sections/section_3</directory></section>"
    "</sections></contents></information></moodle_backup>",
    "sections/section_3/section.xml": "<section><name>Week 1</name><visible>1</visible></section>",
    "activities/page_7/page.xml": "<activity><page><intro></intro><content>&lt;p&gt;A sample is a part.&lt;/p&gt;</content></page></activity>",
    "activities/page_7/module.xml": "<module><visible>0</visible></module>",
    "activities/assign_8/assign.xml": "<activity><assign><intro>Draw two samples.</intro><duedate>1771574340</duedate>"
    "<grade>10.00000</grade></assign></activity>",
    "activities/assign_8/module.xml": "<module><visible>1</visible><availability>"
    '{"op":"&amp;","c":[{"type":"date","d":"&gt;=","t":1770710400}]}</availability></module>',
    "activities/assign_8/inforef.xml": "<inforef><fileref><file><id>1</id></file><file><id>2</id></file></fileref></inforef>",
    "files.xml": '<files><file id="1"><contenthash>' + "a" * 40 + "</contenthash><component>mod_assign</component>"
    "<filearea>introattachment</filearea><filename>hw1.md</filename></file>"
    '<file id="2"><contenthash>' + "b" * 40 + "</contenthash><component>assignsubmission_file</component>"
    "<filearea>submission_files</filearea><filename>ann.md</filename></file></files>",
    "files/aa/" + "a" * 40: "# Homework 1\n\n1. Draw a sample.\n",
    "files/bb/" + "b" * 40: "# Ann's work\n",
    "questions.xml": "<question_categories><question_category><name>Bank</name><questions><question>"
    "<questiontext>What is a median?</questiontext><answer><answertext>The middle</answertext><fraction>1.0</fraction></answer>"
    "</question></questions></question_category></question_categories>",
}
ED = [
    {
        "number": 4,
        "title": "Due date?",
        "category": "HW",
        "text": "When is it due?",
        "private": False,
        "user": {"name": "Ann Lee", "email": "ann@example.edu", "role": "student"},
        "answers": [{"text": "On Friday.", "endorsed": True, "user": {"name": "Tom", "role": "admin"}, "comments": []}],
        "comments": [],
    },
    {"number": 5, "title": "My grade", "text": "I failed.", "private": True, "answers": [], "comments": []},
]
PIAZZA = [
    {
        "nr": 9,
        "type": "question",
        "status": "active",
        "folders": ["hw1"],
        "history": [{"subject": "Median?", "content": "<p>How?</p>"}, {"subject": "old", "content": "old"}],
        "children": [
            {"type": "i_answer", "history": [{"content": "<p>Sort first.</p>"}]},
            {"type": "followup", "subject": "for staff", "config": {"ionly": True}},
        ],
    }
]
DISCOURSE = {
    "users": [{"id": 2, "username": "prof", "admin": True}],
    "topics": [
        {
            "id": 90,
            "title": "HW3 q2",
            "posts": [
                {"post_number": 1, "raw": "It hangs.", "user_id": 1, "post_type": 1},
                {"post_number": 2, "raw": "A whisper.", "user_id": 2, "post_type": 4},
                {"post_number": 3, "raw": "Use a loop.", "user_id": 2, "post_type": 1},
            ],
        }
    ],
}


def write_zip(path: Path, files: Mapping[str, str | bytes]) -> Path:
    """A zip of these files."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
        for name, text in files.items():
            package.writestr(name, text)
    return path


def write_tar(path: Path, files: Mapping[str, str]) -> Path:
    """A tar.gz of these files."""
    with tarfile.open(path, "w:gz") as tar:
        for name, text in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text.encode())
            tar.addfile(entry, io.BytesIO(text.encode()))
    return path


def write_json(path: Path, value: object) -> Path:
    """A file of JSON."""
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def cartridge_of(folder: Path, sources: Mapping[str, str], path: Path) -> Path:
    """A cartridge of a folder's files: its folders by names that say what they are."""
    files = {
        f"web_resources/{name}/{file.relative_to(folder / own).as_posix()}": file.read_bytes()
        for own, name in sources.items()
        for file in sorted((folder / own).rglob("*"))
        if file.is_file()
    }
    entries = "".join(
        f'<resource identifier="r{number}" type="webcontent" href="{name}"><file href="{name}"/></resource>'
        for number, name in enumerate(files)
    )
    manifest = f"<manifest><organizations/><resources>{entries}</resources></manifest>"
    return write_zip(path, {"imsmanifest.xml": manifest, **files})
