"""Scenario files of both dialects, small enough to be read at a glance."""

from __future__ import annotations

from pathlib import Path

OLD = """\
globals: {concurrency: 4, recursion_limit: 6, memory: {path: out}}
models:
  one: {type: openai, api_key: k, api_base: "URL", model: m, kargs: {temperature: 0.3, max_tokens: 50}}
agents:
  teacher:
    model: one
    prompt: [{role: system, content: "Teach {topic} {unknown}"}, {role: user, content: "About {topic}"}]
    memory: {keep_turns: 1}
  student: {model: one, prompt: [{role: system, content: "Learn {topic}"}]}
directions:
  - START -> teacher
  - teacher -> router:any_keyword_route(keywords=["<end>", "Bye"], exists_to=END, else_to="student")
  - student -> teacher
tasks:
  start_prompt: {role: user, content: "Explain {topic}"}
  mode: union
  content: {topic: [joins, 3, true, null]}
evaluation:
  name: joins_m
  model: one
  prompt: [{role: user, content: "{task.topic}: {messages.as_dialog()} as {\\"json\\": 1}"}]
  format:
    - {field: accuracy, type: int, description: how right, max: 5}
    - {field: guidance, type: dict, description: how guided, items: [
        {field: score, type: float, description: s}, {field: reason, type: str, description: why}]}
  format_mode: tool
"""
NEW = """\
globals: {output_dir: out, recursion_limit: 6}
models:
  one: {type: openai, api_key: k, base_url: "URL", model: m, kargs: {temperature: 0.3}}
agents:
  teacher: {model: one, system_prompt: "Teach {topic} in {{braces}} {topic.__class__}"}
  student: {model: one, system_prompt: "Learn {topic}"}
directions:
  - START -> teacher
  - teacher -> router:any_keyword_router(keywords=["bye"], exists_to=END, else_to="student")
  - student -> router:any_keyword_router(keywords=["give up"], exists_to=END, else_to="teacher")
tasks:
  start_prompt: "Explain {topic}"
  mode: iter
  content: [{topic: joins}, {topic: joins}]
evaluation:
  name: lessons
  judge_model: one
  target: m
  fields: [{name: accuracy, rubric: "Is it right?", reason: true}, {name: pace, rubric: "Is it slow?"}]
"""

COURSE = """\
globals: {}
agents:
  assistant: {type: edumod, course: small, pipeline: fc, retriever: bm25}
directions: [START -> assistant, assistant -> END]
tasks:
  start_prompt: {role: user, content: "{question}"}
  mode: iter
  content: [{question: "How do I select some rows of a table?"}, {question: "How can two tables be merged?"}]
"""


def written(folder: Path, text: str, url: str = "http://127.0.0.1:9/v1", name: str = "lesson.yaml") -> Path:
    """The file, whose models are at `url`."""
    path = folder / name
    path.write_text(text.replace("URL", url), encoding="utf-8")
    return path
