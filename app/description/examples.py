"""Requests and responses as the API's description shows them."""

from __future__ import annotations

from typing import Any

ANSWER_REQUESTS: dict[str, Any] = {
    "question": {
        "summary": "A question",
        "value": {"course": "ds101", "question": {"body": "When is homework 3 due and can I hand it in late?"}},
    },
    "forum_post": {
        "summary": "A forum post with its thread",
        "value": {
            "course": "ds101",
            "question": {
                "title": "hw3 2b",
                "body": "<p>My variance is <code>nan</code>. Why?</p>",
                "body_format": "html",
                "category": "Homework 3",
            },
            "thread": [{"role": "ta", "body": "Which line fails?", "endorsed": False}],
            "author": {"pseudonym": "student-17", "role": "student", "consent": True},
            "code": "df['x'].var()",
            "language": "en",
        },
    },
}

FEEDBACK_REQUESTS: dict[str, Any] = {
    "submission": {
        "summary": "A submission as text",
        "value": {
            "course": "homework",
            "assignment": "Physics 1",
            "question": "1",
            "submission": "v = v_0 + at = 4 + 0.5*6 = 8 m/s",
        },
    },
    "file": {
        "summary": "A submission as a file",
        "value": {
            "course": "homework",
            "assignment": "Physics 1",
            "question": "1",
            "submission": {"name": "work.md", "data": "diA9IDQgKyAwLjUqNiA9IDcgbS9z"},
            "author": {"pseudonym": "student-17"},
        },
    },
}

_USAGE = {
    "calls": 2,
    "cached_calls": 0,
    "prompt_tokens": 1840,
    "completion_tokens": 92,
    "cost_usd": 0.0009,
    "model_ms": 1210.5,
}
_ARGUMENTS = {"query": "homework 3 due date"}

ANSWERS: dict[str, Any] = {
    "answered": {
        "summary": "An answer with a citation",
        "value": {
            "status": "answered",
            "answer": "Homework 3 is due on Thursday, February 19, 23:59 [1].",
            "confidence": 0.9,
            "citations": [
                {
                    "number": 1,
                    "block_id": "5c1b0d",
                    "document": "logistics/syllabus.md",
                    "title": "Syllabus",
                    "source": "logistics",
                    "visibility": "student",
                    "heading_path": ["Syllabus", "Homework due dates"],
                    "page": 2,
                    "quote": "Homework 3 | Probability | Thursday, February 19, 23:59",
                    "verified": True,
                }
            ],
            "function_calls": [{"id": "call_1", "name": "logistics_retrieval", "arguments": _ARGUMENTS}],
            "usage": _USAGE,
            "configuration": {
                "pipeline": "fc",
                "retriever": "tree",
                "retrievers": {"logistics": "tree"},
                "model": "gpt-4.1-mini",
                "top_k": 5,
                "temperature": 0.2,
                "seed": 7,
                "prompts": {"ChooseFunctions": "3", "WriteAnswer": "3"},
                "hash": "9f2c41d07a3e",
            },
            "draft_id": "0f0c2b5d6a7e4c1b9d8e7f6a5b4c3d2e",
            "trace_id": "7d1e2f3a4b5c6d7e8f9a0b1c2d3e4f5a",
            "trace": [
                {
                    "kind": "search",
                    "started_ms": 640.2,
                    "ms": 4.1,
                    "function": "logistics_retrieval",
                    "arguments": _ARGUMENTS,
                    "retriever": "tree",
                }
            ],
            "warnings": [],
            "reviewed": True,
        },
    }
}
