"""Any sentence-transformers model on this machine: a folder, an installed package, or in Hugging Face's cache."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any

import numpy as np

from core.embedding import Embedding
from core.errors import SetupError
from retrievers.embedding.base import Vectors, checked

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

MODEL_FILES = ("modules.json", "config.json")
"""A folder that has one of them holds a model."""
MAX_TOKENS = 8_192
"""Models without a limit of their own read so much, and no more is put into one chunk or query anyway."""
MIN_TOKENS = 8
BATCH = 16
HASHED = frozenset({".json", ".txt", ".model", ".safetensors", ".bin", ".pt", ".py"})
"""Endings of the files that decide what vectors a model gives."""
PASSAGE_PROMPTS = ("document", "passage", "corpus")
"""Names under which sentence-transformers models keep the prefix of passages, the likeliest first."""
_HUB_NAME = re.compile(r"[\w.-]+(/[\w.-]+)?")


def find_model(name: str) -> Path:
    """The folder of a model. Raises `SetupError` naming what was looked for."""
    folder = Path(name).expanduser()
    found = next(filter(None, (_model_in(folder), _packaged(name), _cached(name))), None)
    if found is not None:
        return found
    if folder.is_dir():
        raise SetupError(
            f"EDUMOD_EMBEDDING: the folder {folder} holds no sentence-transformers model: it has neither of "
            f"{', '.join(MODEL_FILES)}. Name the folder that a model was saved to."
        )
    raise SetupError(
        f"EDUMOD_EMBEDDING: {name!r} is neither `minilm`, nor an embedding model of the models file, nor a folder, nor "
        "an installed sentence-transformers model. Correct the name, or download the model first; nothing is "
        "downloaded on its own."
    )


def _model_in(folder: Path) -> Path | None:
    return folder.resolve() if any((folder / name).is_file() for name in MODEL_FILES) else None


def _packaged(name: str) -> Path | None:
    """In a Python package, which may be written with hyphens, or in its folder `model`."""
    package = name.replace("-", "_")
    found = find_spec(package) if package.isidentifier() else None
    if found is None or found.origin is None:
        return None
    folder = Path(found.origin).parent
    return _model_in(folder) or _model_in(folder / "model")


def _cached(name: str) -> Path | None:
    """In the cache of the Hugging Face hub, which is not asked for anything."""
    if not _HUB_NAME.fullmatch(name):
        return None
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    for repository in (name, f"sentence-transformers/{name}"):
        try:
            return _model_in(Path(snapshot_download(repository, local_files_only=True)))
        except (LocalEntryNotFoundError, HFValidationError):
            continue
    return None


class SentenceTransformerEmbedder:
    """A sentence-transformers model, loaded on first use from the folder that `source` names. Loading takes seconds.

    `threads` are those of torch, which all such models share. Raises `SetupError` where it cannot be loaded.
    """

    def __init__(self, source: str, threads: int = 1) -> None:
        self._source = source
        self._threads = threads
        # Its tokenizer is not safe to use from several threads.
        self._lock = RLock()

    @cached_property
    def embedding(self) -> Embedding:
        with self._lock:
            folder, model = find_model(self._source), self._model
            prompts = {name: prompt or "" for name, prompt in (model.prompts or {}).items()}
            is_folder = Path(self._source).expanduser().is_dir()
            described = Embedding(
                source=str(folder) if is_folder else self._source,
                name=folder.name if is_folder else self._source,
                weights=files_digest(folder),
                dimension=self._encode(["dimension"]).shape[1],
                query_prefix=prompts.get("query", ""),
                passage_prefix=next((prompts[name] for name in PASSAGE_PROMPTS if prompts.get(name)), ""),
                max_tokens=self._max_tokens(),
            )
            checked(self._encode(["check"]), 1, described)
            return described

    def embed(self, texts: Sequence[str]) -> Vectors:
        with self._lock:
            return self._encode([_encodable(text) for text in texts])

    def count_tokens(self, text: str) -> int:
        with self._lock:
            tokenizer: Any = self._model.tokenizer
            return len(tokenizer(_encodable(text), add_special_tokens=False, verbose=False)["input_ids"])

    @cached_property
    def _model(self) -> SentenceTransformer:
        folder = find_model(self._source)
        try:
            import torch
            from sentence_transformers import SentenceTransformer
            from transformers.utils.logging import disable_progress_bar
        except ImportError as error:
            raise SetupError(
                f"EDUMOD_EMBEDDING: the model in {folder} needs packages that are not installed ({error}). Install "
                "them: pip install --constraint constraints.txt sentence-transformers torch"
            ) from error
        disable_progress_bar()  # type: ignore[no-untyped-call]
        torch.set_num_threads(self._threads)
        try:
            return SentenceTransformer(str(folder), local_files_only=True).eval()
        except Exception as error:
            # Of a damaged folder, each of the libraries complains in its own way.
            said = " ".join(str(error).split())[:300]
            raise SetupError(
                f"EDUMOD_EMBEDDING: the model in {folder} cannot be loaded ({type(error).__name__}: {said}). Save or "
                "download it again."
            ) from error

    def _encode(self, texts: Sequence[str]) -> Vectors:
        vectors: Any = self._model.encode(
            # The prefix is part of the text already; without this, a model's default would come on top.
            list(texts),
            prompt="",
            batch_size=BATCH,
            normalize_embeddings=True,
            show_progress_bar=False,
        )
        return np.asarray(vectors, dtype=np.float32).reshape(len(texts), -1)

    def _max_tokens(self) -> int:
        tokenizer: Any = self._model.tokenizer
        longest = min(self._model.max_seq_length or MAX_TOKENS, MAX_TOKENS)
        return max(longest - int(tokenizer.num_special_tokens_to_add()), MIN_TOKENS)


def files_digest(folder: Path) -> str:
    """SHA-256 over names and contents of the files that decide what vectors a model gives."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.suffix in HASHED and path.is_file():
            with path.open("rb") as file:
                content = hashlib.file_digest(file, "sha256").hexdigest()
            digest.update(f"{path.relative_to(folder).as_posix()}\0{content}\n".encode())
    return digest.hexdigest()


def _encodable(text: str) -> str:
    """Half surrogate pairs, which broken files contain, have no UTF-8 form and would raise."""
    return text.encode("utf-8", "replace").decode()
