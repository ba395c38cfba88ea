#!/usr/bin/env python3
"""Tokens a second of dragomand and of Marian's engine, on a student of Firefox's shape with random weights.

    marian_engine.py --dragomand BIN --dragoman BIN [--rounds 3] [--texts 388] [--cpu 0] [--client-cpu 1] [--shortlist]

The shape is that of Firefox's tiny models: width 256, feed-forward 1536, 6 encoder layers, 2 of the decoder with SSRU,
32,000 pieces, 8 bits. </s> never comes, so every output has 1.5 times the tokens of its source (in Marian, of the
longest source in its batch); both count the tokens that they return. Beam 1, one thread on one processor each, in turn;
dragomand through gRPC, with its client on another processor. The engine is that of the package bergamot 0.4.5, see
../parity/make_marian_directories.py, in its mode int8shiftAlphaAll and without normalising (skip-cost), as in Firefox, but
without a shortlist; of the sizes of its batches that were tried the best. Before: free processors.

With --shortlist both are measured with a lexical shortlist as well, in turn: 50 words that are always in and 50 for each
source word, drawn from all, so that lists overlap less than real ones. Marian takes those of a batch together. dragomand
then also with one call at a time, and with beam 4.
"""
import argparse
import json
import os
import struct
import subprocess
import sys
import tempfile
import time

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests/parity"))
import make_marian_directories as marian  # noqa: E402

DIM, FFN, PIECES, HEADS, LAYERS = 256, 1536, 32000, 8, (6, 2)
RATIO = 1.5
BATCHES = (512, 1024, 2048, 4096)  # words; 1024 in Firefox's configuration
MODEL, VOCABULARY, SHORTLIST = "model.deen.intgemm.alphas.bin", "vocab.deen.spm", "lex.50.50.deen.s2t.bin"
# 127 over the largest activation, as the students have it for each product.
ACTIVATION_SCALE = np.array([[127 / 4.5]], dtype=np.float32)


def tensors():
    rng = np.random.default_rng(5)
    found = {}

    def product(name, rows, columns, bias=None):
        found[name] = (rng.standard_normal((rows, columns)) * rows**-0.5).astype(np.float32)
        if bias:
            found[bias] = (rng.standard_normal((1, columns)) * 0.1).astype(np.float32)

    def norm(name):
        found[f"{name}_ln_scale"] = np.ones((1, DIM), dtype=np.float32)
        found[f"{name}_ln_bias"] = np.zeros((1, DIM), dtype=np.float32)

    def attention(name):
        for part in "qkvo":
            product(f"{name}_W{part}", DIM, DIM, f"{name}_b{part}")
        norm(f"{name}_Wo")

    for stage, layers in zip(("encoder", "decoder"), LAYERS):
        for layer in range(1, layers + 1):
            name = f"{stage}_l{layer}"
            if stage == "encoder":
                attention(f"{name}_self")
            else:
                product(f"{name}_rnn_W", DIM, DIM)
                product(f"{name}_rnn_Wf", DIM, DIM, f"{name}_rnn_bf")
                norm(f"{name}_rnn_ffn")
                attention(f"{name}_context")
            product(f"{name}_ffn_W1", DIM, FFN, f"{name}_ffn_b1")
            product(f"{name}_ffn_W2", FFN, DIM, f"{name}_ffn_b2")
            norm(f"{name}_ffn_ffn")
    found["Wemb"] = (rng.standard_normal((PIECES, DIM)) * DIM**-0.5).astype(np.float32)
    found["decoder_ff_logit_out_b"] = np.zeros((1, PIECES), dtype=np.float32)
    found["decoder_ff_logit_out_b"][0, 0] = -50
    for name in [n for n in found if marian.is_product(n)] + ["none"]:
        found[f"{name}_QuantMultA"] = ACTIVATION_SCALE
    return found


def write_vocabulary(path, lines):
    """A small one, and pieces that never come: messages of protobuf may be put one behind the other."""
    marian.train_spm(path, lines, 600)
    with open(path, "ab") as f:
        for number in range(600, PIECES):
            piece = f"\u2581unused{number}".encode()
            entry = b"\x0a" + bytes([len(piece)]) + piece + b"\x15" + struct.pack("<f", -60.0)
            f.write(b"\x0a" + bytes([len(entry)]) + entry)


def write_model(folder, lines):
    spec = dict(tied="all", ssru=True, activation="relu", dim=DIM)
    marian.LAYERS, marian.PIECES, marian.HEADS = LAYERS, PIECES, HEADS
    text = marian.options(spec).replace(f"transformer-dim-ffn: {2 * DIM}", f"transformer-dim-ffn: {FFN}")
    write_vocabulary(os.path.join(folder, VOCABULARY), lines)
    marian.write_bin(os.path.join(folder, MODEL), marian.with_options(tensors(), text), int8=True)
    marian.write_shortlist(os.path.join(folder, SHORTLIST), PIECES, 50, 50)


class MarianSide:
    def __init__(self, engine, folder, lines, shortlist):
        """`engine`: the only one of the process."""
        self.module, self.service, self.lines = engine.module, engine.service, lines
        marian.FACTOR = RATIO

        def loaded(words):
            def changed(config):
                config = config.replace("mini-batch-words: 16384", f"mini-batch-words: {words}")
                return self.service.modelFromConfig(
                    config.replace("skip-cost: false", "skip-cost: true").replace("alignment: soft\n", ""))
            engine.service = type("", (), dict(modelFromConfig=staticmethod(changed)))
            try:
                return engine.load(os.path.join(folder, MODEL), (os.path.join(folder, VOCABULARY),) * 2, 1,
                                   "int8shiftAlphaAll", os.path.join(folder, SHORTLIST) if shortlist else None)
            finally:
                engine.service = self.service

        self.models = {words: loaded(words) for words in BATCHES}

    def best(self):
        """The batch size to measure with."""
        tried = {words: self.measure(words) for words in BATCHES for _ in range(2)}
        print("Marian by mini-batch-words, tokens/s:", {w: round(t) for w, t in tried.items()})
        return max(tried, key=tried.get)

    def measure(self, words):
        module, started = self.module, time.monotonic()
        found = self.service.translate(self.models[words], module.VectorString(self.lines), module.ResponseOptions())
        seconds = time.monotonic() - started
        return sum(r.target.numWords(i) for r in found for i in range(r.target.numSentences())) / seconds


class DragomanSide:
    def __init__(self, arguments, scratch, folder, lines, shortlist):
        self.arguments, self.count, self.input = arguments, len(lines), os.path.join(scratch, "lines.txt")
        self.server = f"127.0.0.1:{50962 if shortlist else 50961}"
        with open(self.input, "w", encoding="utf-8") as f:
            f.writelines(line + "\n" for line in lines)
        self.log = open(os.path.join(scratch, f"log{shortlist}"), "w+", encoding="utf-8")
        self.daemon = subprocess.Popen(
            ["taskset", "-c", str(arguments.cpu), arguments.dragomand, "--model", f"tiny={folder}", "--device", "cpu",
             "--compute-type", "int8", "--cpu-workers", "1", "--threads-per-worker", "1",
             "--lexical-shortlist", "on" if shortlist else "off", "--listen", self.server, "--metrics", "off", "--http", "off"],
            stdout=subprocess.PIPE, stderr=self.log, text=True)
        if "listening" not in self.daemon.stdout.readline():
            self.log.seek(0)
            sys.exit(self.log.read())

    def measure(self, concurrency=256, beam=1):
        run = subprocess.run(
            ["taskset", "-c", str(self.arguments.client_cpu), self.arguments.dragoman, "load", "--json", "--server",
             self.server, "--input", self.input, "--concurrency", str(concurrency), "--requests", str(self.count),
             "--duration", "600", "--beam-size", str(beam), "--max-length-ratio", str(RATIO), "--max-length-extra", "0"],
            check=True, capture_output=True, text=True)
        return json.loads(run.stdout)["target_tokens_per_second"]

    def close(self):
        self.daemon.terminate()
        self.daemon.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dragomand", required=True)
    parser.add_argument("--dragoman", required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--texts", type=int, default=388)
    parser.add_argument("--cpu", type=int, default=0)
    parser.add_argument("--client-cpu", type=int, default=1)
    parser.add_argument("--shortlist", action="store_true")
    arguments = parser.parse_args()
    with open(os.path.join(ROOT, "tests/data/german.txt"), encoding="utf-8") as f:
        german = f.read().split("\n")[:-1]
    lines = [line for line in german if any(c.isalpha() for c in line)]
    lines = (lines * (arguments.texts // len(lines) + 1))[: arguments.texts]
    with tempfile.TemporaryDirectory() as scratch:
        folder = os.path.join(scratch, "model")
        os.mkdir(folder)
        write_model(folder, german)
        dragomans = [DragomanSide(arguments, scratch, folder, lines, False)]
        try:
            if arguments.shortlist:
                dragomans.append(DragomanSide(arguments, scratch, folder, lines, True))
            os.sched_setaffinity(0, {arguments.cpu})  # its threads are of the same
            engine = marian.Engine()
            marians = [MarianSide(engine, folder, lines, False)]
            if arguments.shortlist:
                marians.append(MarianSide(engine, folder, lines, True))
            compare([(f"Marian{note}", peer, peer.best()) for note, peer in zip(NOTES, marians)],
                    list(zip(NOTES, dragomans)), arguments.rounds)
        finally:
            for dragoman in dragomans:
                dragoman.close()


NOTES = ("", " with a shortlist")


def compare(marians, dragomans, rounds):
    for _, dragoman in dragomans:
        dragoman.measure()
    for _ in range(rounds):
        found = [(name, peer.measure(words)) for name, peer, words in marians]
        found += [(f"dragomand{note}", dragoman.measure()) for note, dragoman in dragomans]
        if len(dragomans) > 1:
            for what, settings in (("one call at a time", dict(concurrency=1)), ("beam 4", dict(beam=4))):
                found += [(f"dragomand{note}, {what}", dragoman.measure(**settings)) for note, dragoman in dragomans]
        print("; ".join(f"{name} {tokens:.0f} tokens/s" for name, tokens in found),
              f"({found[len(marians)][1] / found[0][1]:.2f} x)")


if __name__ == "__main__":
    main()
