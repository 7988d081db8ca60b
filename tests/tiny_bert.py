"""Writes a sentence-transformers model of random weights: it reads letters and gives vectors without sense."""

from __future__ import annotations

import json
from pathlib import Path

WORDS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789.,?!:#>äöüßñéèçабвгд数据科学"
MAX_TOKENS = 64


def write_tiny_bert(folder: Path, *, width: int = 32, seed: int = 7, prompts: dict[str, str] | None = None) -> Path:
    """Save the model to `folder`, with prompts as a model's files name them."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    from transformers import BertConfig, BertModel, BertTokenizerFast

    torch.manual_seed(seed)
    plain = folder / "plain"
    plain.mkdir(parents=True)
    vocabulary = [*WORDS, *LETTERS, *(f"##{letter}" for letter in LETTERS)]
    (plain / "vocab.txt").write_text("\n".join(vocabulary), encoding="utf-8")
    config = BertConfig(
        vocab_size=len(vocabulary), hidden_size=width, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=2 * width, max_position_embeddings=MAX_TOKENS,
    )  # fmt: skip
    BertModel(config).save_pretrained(plain)
    BertTokenizerFast(vocab=str(plain / "vocab.txt")).save_pretrained(plain)
    transformer = Transformer(str(plain), max_seq_length=MAX_TOKENS)
    model = SentenceTransformer(modules=[transformer, Pooling(width)], prompts=prompts)
    model.save(str(folder / "model"))
    assert json.loads((folder / "model" / "modules.json").read_text(encoding="utf-8"))
    return folder / "model"
