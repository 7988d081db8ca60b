"""Runs llama.cpp's server in a process of its own: `llama_process.py OPTIONS`, the fields of `Serve` as JSON."""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import dataclass

import xllamacpp


@dataclass(frozen=True)
class Serve:
    """What is served. `context` is for all `slots` together; a reply has at most `reply` tokens."""

    path: str
    port: int
    api_key: str
    model: str
    context: int
    slots: int = 4
    reply: int = 2048
    embeds: bool = False


def serve(wanted: Serve) -> None:
    """Serve until the process that started this one ends, however it ends."""
    params = xllamacpp.CommonParams()
    params.model.path = wanted.path
    params.model_alias = {wanted.model}
    params.hostnames = ["127.0.0.1"]
    params.port = wanted.port
    params.api_keys = [wanted.api_key]
    params.n_ctx = wanted.context
    params.n_parallel = wanted.slots
    # Random text may go on for long; a stop by length is better than a slow test.
    params.n_predict = wanted.reply
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.n_threads_http = 16
    params.n_gpu_layers = 0
    if wanted.embeds:
        params.embedding = True
        params.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
    params.use_jinja = True
    params.warmup = params.ui = False
    parent = os.getppid()
    server = xllamacpp.Server(params)
    while server and os.getppid() == parent:
        time.sleep(1)
    # The server's own threads would keep an ordinary exit waiting.
    os._exit(0)


if __name__ == "__main__":
    serve(Serve(**json.loads(sys.argv[1])))
