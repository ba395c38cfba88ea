"""The process of transformers: generate() text to text, in float32 by all processors or in float16 on a GPU.

Timed is everything from lines of text to lines of text, the tokenizer included; batches are cut from the lines sorted
by length. `forced` counts EOS here, which the model's forced_eos_token_id puts at the end: as many decoding steps as
the others take.
"""
import os
import time

import torch
import transformers

import daemon
from compare_transformers import TextPeer
from peers import worker
from peers.texts import read


class Commands:
    def __init__(self):
        transformers.logging.set_verbosity_error()
        torch.set_num_threads(len(os.sched_getaffinity(0)))
        self.peer = None

    def about(self):
        return dict(version=transformers.__version__, torch=torch.__version__)

    def open(self, model, device):
        self.peer = TextPeer(model, device.split(":")[0])

    def _run(self, lines, batch, beam, forced, keep=None):
        limits = dict(min_new_tokens=forced - 1, max_new_tokens=forced) if forced else dict(max_new_tokens=256)
        return self.peer.run([lines[i : i + batch] for i in range(0, len(lines), batch)], beam, limits, keep)

    def throughput(self, path, batch, beam, forced):
        lines = sorted(read(path), key=len, reverse=True)
        began = time.perf_counter()
        done = self._run(lines, batch, beam, forced)
        return dict(texts=len(lines), seconds=time.perf_counter() - began, target_tokens=done["target_tokens"])

    def lone(self, path, calls, beam, forced):
        """The milliseconds of each call with one line."""
        return [self._run(read(path)[:1], 1, beam, forced)["seconds"] * 1e3 for _ in range(calls)]

    def translations(self, path, batch, beam, forced):
        """In batches of lines as they come."""
        texts = []
        self._run(read(path), batch, beam, forced, texts)
        return texts

    def memory(self):
        return daemon.memory_mib("self")


if __name__ == "__main__":
    worker.serve(Commands())
