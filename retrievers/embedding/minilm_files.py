"""The files of all-MiniLM-L6-v2 that come with EduMod. `retrievers.embedding.export` makes them."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.errors import SetupError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

DATA = Path(__file__).with_name("data")
GRAPH_FILE = "all-MiniLM-L6-v2.onnx"
TOKENIZER_FILE = "tokenizer.json"
GRAPH_SHA256 = "f4074ae7c9c7feeff3a84a34c8f31a8a922a40eafb14a3bd07615b83fb80c9a9"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
DISABLED_OPTIMIZERS = ["SkipLayerNormFusion"]
"""The fused operator adds up number by number, and takes longer than the two that it replaces."""


def load_tokenizer(folder: Path = DATA) -> Tokenizer:
    """The model's tokenizer, neither padding nor truncating. Raises `SetupError` if its file is not the shipped one."""
    from tokenizers import Tokenizer

    content = _checked(folder / TOKENIZER_FILE, TOKENIZER_SHA256)
    tokenizer: Tokenizer = Tokenizer.from_buffer(content)
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def load_session(folder: Path = DATA) -> Any:
    """An onnxruntime session on the model. Raises `SetupError` if its file is not the shipped one."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    # Texts are what is shared out among threads; a single one is too short for that.
    options.intra_op_num_threads = 1
    # Threads that spin while they wait would take the CPU from the web server.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    content = _checked(folder / GRAPH_FILE, GRAPH_SHA256)
    return onnxruntime.InferenceSession(
        content, options, providers=["CPUExecutionProvider"], disabled_optimizers=DISABLED_OPTIMIZERS
    )


def _checked(path: Path, sha256: str) -> bytes:
    """The file's content. Raises `SetupError` if it is missing or not the shipped one."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise SetupError(
            f"The embedding model's file {path} cannot be read: {error.strerror or error}. Install EduMod again."
        ) from error
    if hashlib.sha256(content).hexdigest() != sha256:
        raise SetupError(
            f"The embedding model's file {path} is not the one that EduMod ships (its SHA-256 differs), so it is not "
            "used. Install EduMod again."
        )
    return content
