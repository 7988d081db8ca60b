"""The fields of a request that a scenario's file sets."""

from __future__ import annotations

from eval.scenarios.models import request_parameters


def test_a_turn_is_asked_for_whole_whatever_the_file_says() -> None:
    assert request_parameters({"stream": True, "top_p": 0.5}) == {"stream": False, "top_p": 0.5}
    assert request_parameters({"extra_body": {"stream": True}})["stream"] is False


def test_what_upstreams_client_keeps_to_itself_is_not_sent() -> None:
    assert request_parameters({"timeout": 5, "max_retries": 1, "max_tokens": 9}) == {"max_completion_tokens": 9}
