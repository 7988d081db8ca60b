"""Turns the packaged MiniLM weights into an ONNX file. A program of its own, so that no server ever loads torch.

Usage: python onnx_export.py MODEL_FOLDER TARGET_FILE

The graph takes token ids, int64 of shape (1, length), and gives the sentence embedding, float32 (1, d): the mean of the
token vectors, scaled to length 1, as in the model's own pooling. Its weights are 8-bit integers, which today's CPUs
multiply more than twice as fast (decision 0008).
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

OPSET = 17


def export(model_folder: str, target: str) -> None:
    """Write the ONNX file. Takes about ten seconds."""
    with tempfile.TemporaryDirectory() as folder:
        exact = str(Path(folder) / "exact.onnx")
        export_exact(model_folder, exact)
        quantize(exact, target)


def export_exact(model_folder: str, target: str) -> None:
    """The graph with 32-bit weights."""
    import torch
    from sentence_transformers import SentenceTransformer

    class SentenceEmbedding(torch.nn.Module):
        def __init__(self, bert: torch.nn.Module) -> None:
            super().__init__()
            self.bert = bert

        def forward(self, ids: torch.Tensor) -> torch.Tensor:
            mean = self.bert(input_ids=ids).last_hidden_state.mean(dim=1)
            return torch.nn.functional.normalize(mean, dim=1)

    transformer: Any = SentenceTransformer(model_folder, device="cpu")[0]
    bert = transformer.auto_model
    # Fused attention has no equivalent in this opset; the plain form is fused again by onnxruntime.
    bert.config._attn_implementation = "eager"
    example = transformer.tokenizer(["an example"], return_tensors="pt")["input_ids"]
    torch.onnx.export(
        SentenceEmbedding(bert).eval(),
        (example,),
        target,
        input_names=["ids"],
        output_names=["embedding"],
        dynamic_axes={"ids": {1: "length"}},
        opset_version=OPSET,
        dynamo=False,
    )


def quantize(exact: str, target: str) -> None:
    """The same graph with the weights of its linear layers as 8-bit integers, one scale per output channel.

    Seven of the eight bits are used: with all, the sums inside the instructions of CPUs before VNNI would overflow.
    """
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic

    graph = onnx.load(exact).graph
    weights = {weight.name for weight in graph.initializer}
    linear = [node.name for node in graph.node if node.op_type == "MatMul" and node.input[1] in weights]
    quantize_dynamic(
        exact, target, weight_type=QuantType.QInt8, per_channel=True, reduce_range=True, nodes_to_quantize=linear
    )


if __name__ == "__main__":
    export(*sys.argv[1:])
