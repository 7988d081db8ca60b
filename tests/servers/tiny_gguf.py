"""Writes a language model of random weights: a quarter of a megabyte that speaks the protocol and no sense.

A transformer of two layers over a vocabulary of single bytes. Its random logits are bent in four hidden dimensions
that no layer writes to, so that what it says ends soon: dimension 0 is constant and makes some tokens likelier than
others everywhere; dimensions 1 to 3 each make one token likely after another.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import gguf
import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float32]

CONTEXT = 32_768
WIDTH, LAYERS, HEADS, FEED_FORWARD = 64, 2, 4, 128
RESERVED = 4

END, START, STOP = "<|endoftext|>", "<|im_start|>", "<|im_end|>"
CALL, END_CALL = "<tool_call>", "</tool_call>"

MERGES = ("t h", "i n", "e r", "a n", "o n", "r e", "s t", "n o", "y e", "ye s")

TEMPLATE = """
{%- macro turn(role, text) %}<|im_start|>{{ role }}
{{ text }}<|im_end|>
{% endmacro -%}
{%- if tools %}
{{- "<|im_start|>system\n" }}
{{- "# Tools\n\nYou may call one or more functions to assist with the user query.\n\n" }}
{{- "You are provided with function signatures within <tools></tools> XML tags:\n<tools>" }}
{%- for tool in tools %}{{ "\n" + (tool | tojson) }}{% endfor %}
{{- "\n</tools>\n\nFor each function call, return a json object with function name and arguments " }}
{{- "within <tool_call></tool_call> XML tags:\n<tool_call>\n" }}
{{- '{"name": <function-name>, "arguments": <args-json-object>}\n</tool_call><|im_end|>\n' }}
{%- endif %}
{%- for message in messages %}
{%- if message.role == "tool" %}
{{- turn("user", "<tool_response>\n" + message.content + "\n</tool_response>") }}
{%- elif message.tool_calls %}
{{- "<|im_start|>assistant\n" + (message.content or "") }}
{%- for call in message.tool_calls %}
{{- '\n<tool_call>\n{"name": "' + call.function.name + '", "arguments": ' }}
{{- call.function.arguments if call.function.arguments is string else call.function.arguments | tojson }}
{{- "}\n</tool_call>" }}
{%- endfor %}
{{- "<|im_end|>\n" }}
{%- else %}
{{- turn(message.role, message.content) }}
{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{ "<|im_start|>assistant\n" }}{% endif %}
"""
"""The Hermes format, by whose markers llama.cpp knows how this model calls functions."""

TEMPLATE_WITHOUT_TOOLS = """
{%- for message in messages %}
{{- "<|im_start|>" + message.role + "\n" + message.content + "<|im_end|>\n" }}
{%- endfor %}
{%- if add_generation_prompt %}{{ "<|im_start|>assistant\n" }}{% endif %}
"""


@dataclass
class Vocabulary:
    """The 256 bytes, a few pairs, and the markers of the chat format."""

    tokens: list[str] = field(default_factory=lambda: list(_byte_letters()))
    types: list[int] = field(default_factory=lambda: [int(gguf.TokenType.NORMAL)] * 256)

    def __post_init__(self) -> None:
        self._add((merge.replace(" ", "") for merge in MERGES), gguf.TokenType.NORMAL)
        self._add((END, START, STOP), gguf.TokenType.CONTROL)
        self._add((CALL, END_CALL), gguf.TokenType.USER_DEFINED)

    def __len__(self) -> int:
        return len(self.tokens)

    def id(self, token: str) -> int:
        return self.tokens.index(token)

    def _add(self, tokens: Iterable[str], kind: gguf.TokenType) -> None:
        before = len(self.tokens)
        self.tokens += tokens
        self.types += [int(kind)] * (len(self.tokens) - before)


def write_tiny_model(path: Path, *, tools: bool = True, seed: int = 7) -> None:
    """Write the model to `path`; without `tools`, its chat template knows no functions."""
    vocabulary = Vocabulary()
    writer = gguf.GGUFWriter(path, "llama")
    _describe(writer)
    _add_tokenizer(writer, vocabulary)
    writer.add_chat_template(TEMPLATE if tools else TEMPLATE_WITHOUT_TOOLS)
    _add_weights(writer, vocabulary, np.random.default_rng(seed), tools)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _byte_letters() -> list[str]:
    """One printable letter per byte, as GPT-2's tokenizer has it: printable bytes stand for themselves."""
    printable = {*range(33, 127), *range(161, 173), *range(174, 256)}
    spare = iter(range(256, 512))
    return [chr(byte if byte in printable else next(spare)) for byte in range(256)]


def _describe(writer: gguf.GGUFWriter) -> None:
    writer.add_name("tiny-random")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(FEED_FORWARD)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(WIDTH // HEADS)


def _add_tokenizer(writer: gguf.GGUFWriter, vocabulary: Vocabulary) -> None:
    writer.add_vocab_size(len(vocabulary))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(vocabulary.tokens)
    writer.add_token_types(vocabulary.types)
    writer.add_token_merges(list(MERGES))
    writer.add_bos_token_id(vocabulary.id(END))
    writer.add_eos_token_id(vocabulary.id(STOP))
    writer.add_pad_token_id(vocabulary.id(END))
    writer.add_add_bos_token(False)


def _add_weights(writer: gguf.GGUFWriter, vocabulary: Vocabulary, random: np.random.Generator, tools: bool) -> None:
    embedding, output = _bent(vocabulary, random, tools)
    writer.add_tensor("token_embd.weight", embedding)
    writer.add_tensor("output_norm.weight", np.ones(WIDTH, np.float32))
    writer.add_tensor("output.weight", output)
    for layer in range(LAYERS):
        name = f"blk.{layer}."
        for part in ("attn_q", "attn_k", "attn_v"):
            writer.add_tensor(f"{name}{part}.weight", _matrix(random, WIDTH, WIDTH))
        writer.add_tensor(f"{name}attn_output.weight", _writing(random, WIDTH))
        for part in ("ffn_gate", "ffn_up"):
            writer.add_tensor(f"{name}{part}.weight", _matrix(random, FEED_FORWARD, WIDTH))
        writer.add_tensor(f"{name}ffn_down.weight", _writing(random, FEED_FORWARD))
        for part in ("attn_norm", "ffn_norm"):
            writer.add_tensor(f"{name}{part}.weight", np.ones(WIDTH, np.float32))


def _matrix(random: np.random.Generator, rows: int, columns: int) -> Matrix:
    return np.asarray(random.standard_normal((rows, columns)) / np.sqrt(columns), np.float32)


def _writing(random: np.random.Generator, columns: int) -> Matrix:
    """A matrix that adds to the hidden state, leaving the reserved dimensions alone."""
    matrix = _matrix(random, WIDTH, columns)
    matrix[:RESERVED] = 0
    return matrix


def _bent(vocabulary: Vocabulary, random: np.random.Generator, tools: bool) -> tuple[Matrix, Matrix]:
    """Embedding and output matrix, with the likelihoods put into the reserved dimensions."""
    embedding, output = (_matrix(random, len(vocabulary), WIDTH) * np.float32(0.5) for _ in range(2))
    embedding[:, :RESERVED] = output[:, :RESERVED] = 0
    embedding[:, 0] = 4
    output[:, 0] = _likelihood(vocabulary, tools) / 2.5
    # A call starts on a new line; after a closing brace comes another or the call's end; then the turn's end.
    embedding[vocabulary.id(CALL), 1] = 20
    output[ord("\n"), 1] = 2
    embedding[vocabulary.id(END_CALL), 2] = 20
    output[vocabulary.id(STOP), 2] = 2
    embedding[ord("}"), 3] = 20
    output[ord("}"), 3] = 1.5
    output[vocabulary.id(END_CALL), 3] = 2.5
    return embedding, output


def _likelihood(vocabulary: Vocabulary, tools: bool) -> Matrix:
    """What makes each token more or less likely everywhere: readable text, of short strings and short replies."""
    bias = np.full(len(vocabulary), -4.0, np.float32)
    bias[32:127] = 0.0
    bias[256 : 256 + len(MERGES)] = 0.3
    bias[np.frombuffer(b"etaoin shrdlu", np.uint8)] = 0.8
    bias[[ord('"'), ord("}"), ord("]"), ord(",")]] = [2.0, 1.0, 1.0, -2.0]
    special = {END: -8.0, START: -8.0, STOP: 1.0, CALL: 3.5 if tools else -8.0, END_CALL: -6.0}
    for token, value in (special | {"yes": 1.5, "no": 1.0}).items():
        bias[vocabulary.id(token)] = value
    return bias
