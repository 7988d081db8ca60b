"""Runs llama.cpp's server in a process of its own: `llama_process.py MODEL PORT API_KEY CONTEXT [embeddings]`."""

from __future__ import annotations

import os
import sys
import time

import xllamacpp


def serve(path: str, port: int, api_key: str, context: int, embeds: bool) -> None:
    """Serve until the process that started this one ends, however it ends."""
    params = xllamacpp.CommonParams()
    params.model.path = path
    params.model_alias = {"tiny-random"}
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.api_keys = [api_key]
    params.n_ctx = context
    params.n_parallel = 4
    # Random text may go on for long; a stop by length is better than a slow test.
    params.n_predict = 2048
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.n_threads_http = 16
    params.n_gpu_layers = 0
    if embeds:
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
    serve(sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4]), sys.argv[5:] == ["embeddings"])
