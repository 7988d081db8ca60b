"""Turns the packaged MiniLM weights into an ONNX file. A program of its own, so that no server ever loads torch.

Usage: python onnx_export.py MODEL_FOLDER TARGET_FILE

The graph takes token ids and attention mask, both int64 of shape (n, length), and gives the sentence embeddings,
float32 (n, d): mean of the token vectors under the mask, scaled to length 1, as in the model's own pooling.
"""

from __future__ import annotations

import sys
from typing import Any

OPSET = 17


def export(model_folder: str, target: str) -> None:
    """Write the ONNX file. Takes about ten seconds."""
    import torch
    from sentence_transformers import SentenceTransformer

    class SentenceEmbedding(torch.nn.Module):
        def __init__(self, bert: torch.nn.Module) -> None:
            super().__init__()
            self.bert = bert

        def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
            hidden = self.bert(input_ids=ids, attention_mask=mask).last_hidden_state
            weights = mask.unsqueeze(-1).to(hidden.dtype)
            mean = (hidden * weights).sum(dim=1) / weights.sum(dim=1)
            return torch.nn.functional.normalize(mean, dim=1)

    transformer: Any = SentenceTransformer(model_folder, device="cpu")[0]
    bert = transformer.auto_model
    # Fused attention has no equivalent in this opset; the plain form is fused again by onnxruntime.
    bert.config._attn_implementation = "eager"
    example = transformer.tokenizer(["two examples", "of different length"], padding=True, return_tensors="pt")
    torch.onnx.export(
        SentenceEmbedding(bert).eval(),
        (example["input_ids"], example["attention_mask"]),
        target,
        input_names=["ids", "mask"],
        output_names=["embedding"],
        dynamic_axes={"ids": {0: "n", 1: "length"}, "mask": {0: "n", 1: "length"}, "embedding": {0: "n"}},
        opset_version=OPSET,
        dynamo=False,
    )


if __name__ == "__main__":
    export(*sys.argv[1:])
