"""Models that are broken, or changed while they are read: each ends the start with one line that names the file, and
exit status 1; none with a signal. tests/engine/model has every way in which a file can be wrong."""

import contextlib
import json
import os
import pathlib
import shutil
import struct
import tempfile
import threading
import time

from harness import ROOT, Daemon, Outcome, attack, check

TINY = ROOT / "tests/data/models/tiny-a"
LFS = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935\nsize 312087009\n"


@contextlib.contextmanager
def directory(base=TINY):
    """A copy of a model that may be changed."""
    with tempfile.TemporaryDirectory(prefix="attack-model-") as path:
        copy = pathlib.Path(path) / "model"
        shutil.copytree(base, copy)
        yield copy


def refusal(model, *words, seconds=30):
    """The one error line of a daemon that does not start from this directory."""
    with Daemon("--device", "cpu", model=model, wait=0) as daemon:
        status = daemon.wait(seconds)
        lines = [line for line in daemon.log() if line.get("level") == "error"]
        check(status == 1, f"status {status}, expected 1: {words}: {daemon.errors()[-300:]}")
        check(len(lines) == 1, f"{len(lines)} error lines, expected 1: {words}")
        text = json.dumps(lines[0], ensure_ascii=False)
        for word in (str(model), *words):
            check(json.dumps(word)[1:-1] in text, f"'{word}' is not in {text}")
        return lines[0]


def _broken(data):
    """The last tensor of a safetensors file ends in a number that is not one."""
    return data[:-4] + struct.pack("<I", 0x7FC00000)


@attack("broken files", issue=12)
def broken_files():
    """A file of each reader: what it refuses is the one line of the process."""
    pointer = f"a Git LFS pointer of {len(LFS)} bytes"
    cases = (
        ("tiny-a", "model.safetensors", _broken, "holds nan at ["),
        ("tiny-a", "model.safetensors", lambda data: LFS.encode(), f"model.safetensors: {pointer}"),
        ("tiny-a", "model.safetensors.index.json", lambda data: b'{"weight_map": {"a": "x-1.safetensors"}}', "x-1.safetensors: cannot be opened"),
        ("tiny-a", "generation_config.json", lambda data: json.dumps({**json.loads(data), "max_length": 2}).encode(),
         "field 'max_length' is 2"),
        ("tiny-a", "source.spm", lambda data: data + bytes((0x12, 2, 0x18, 5)), "source.spm: trainer_spec.model_type is 5"),
        ("marian-firefox", "model.deen.intgemm.alphas.bin", lambda data: data[: len(data) // 2], "is cut short"),
        ("marian-firefox", "vocab.deen.spm", lambda data: (TINY / "source.spm").read_bytes(), "vocab.deen.spm: "),
        ("marian-firefox", "decoder.yml", lambda data: b"models: {}\n", "decoder.yml: line 1"),
        ("tiny-bart", "merges.txt", lambda data: data + b"no such\n", "merges.txt: line "),
        ("ct2-tiny-nllb-json-int8", "tokenizer.json", lambda data: b"[" * 100000, "tokenizer.json: "),
        ("ct2-tiny-a-int8", "model.bin", lambda data: data[: len(data) // 2], "model.bin: "),
    )
    for model, name, change, words in cases:
        with directory(ROOT / "tests/data/models" / model) as copy:
            file = copy / name
            file.write_bytes(change(file.read_bytes() if file.exists() else b""))
            if name.endswith(".index.json"):
                (copy / "model.safetensors").unlink()
            refusal(copy, words)
    with tempfile.TemporaryDirectory(prefix="attack-model-") as place:
        package = pathlib.Path(place) / "de-en.argosmodel"
        whole = (ROOT / "tests/data/models/argos-de-en.argosmodel").read_bytes()
        package.write_bytes(whole[: len(whole) // 2])
        refusal(package, "de-en.argosmodel")
    return Outcome(f"{len(cases) + 1} starts refused by file")


def large_model(path):
    """A model of 62 million parameters, all 0: the file is sparse."""
    words = 40000
    d, ffn = 768, 1024
    config = json.loads((TINY / "config.json").read_text())
    config.update(d_model=d, encoder_layers=1, decoder_layers=1, encoder_attention_heads=8,
                  decoder_attention_heads=8, encoder_ffn_dim=ffn, decoder_ffn_dim=ffn,
                  vocab_size=words, decoder_vocab_size=words, max_position_embeddings=64)
    pieces = json.loads((TINY / "vocab.json").read_text())
    for i in range(len(pieces), words):
        pieces[f"piece {i}"] = i
    shapes = {"model.shared.weight": [words, d], "other": [words, d]}
    for side, attentions in (("encoder", ["self_attn"]), ("decoder", ["self_attn", "encoder_attn"])):
        layer = f"model.{side}.layers.0."
        linears = {"fc1": (ffn, d), "fc2": (d, ffn)}
        linears.update({f"{a}.{p}_proj": (d, d) for a in attentions for p in ("q", "k", "v", "out")})
        for name, (rows, columns) in linears.items():
            shapes[f"{layer}{name}.weight"] = [rows, columns]
            shapes[f"{layer}{name}.bias"] = [rows]
        for norm in [f"{a}_layer_norm" for a in attentions] + ["final_layer_norm"]:
            shapes[f"{layer}{norm}.weight"] = shapes[f"{layer}{norm}.bias"] = [d]
    header, at = {}, 0
    for name, shape in shapes.items():
        size = 4
        for n in shape:
            size *= n
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header).encode()
    for name in ("source.spm", "target.spm", "tokenizer_config.json", "generation_config.json"):
        shutil.copy(TINY / name, path)
    (path / "config.json").write_text(json.dumps(config))
    (path / "vocab.json").write_text(json.dumps(pieces))
    with open(path / "model.safetensors", "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        file.truncate(8 + len(text) + at)
    return 8 + len(text) + at


def changed_while_loading(harm, expected):
    """Starts daemons from a large file to which `harm` is done ever later, until one is faster."""
    seen, delay, served = {}, 0.0, 0
    with tempfile.TemporaryDirectory(prefix="attack-model-") as folder:
        model = pathlib.Path(folder)
        size = large_model(model)
        file = model / "model.safetensors"
        with open(file, "rb") as whole:
            head = whole.read(1 << 16)
        while served == 0 and delay < 4:
            with open(file, "r+b") as whole:
                whole.write(head)
                whole.truncate(size)
            with Daemon("--device", "cpu", "--max-rows", 8, "--cpu-workers", 1, model=model,
                        wait=0) as daemon:
                stop = threading.Event()
                threading.Timer(delay, lambda: (harm(file, size), stop.set())).start()
                deadline = time.monotonic() + 60
                while daemon.alive() and time.monotonic() < deadline and not daemon.log("serving"):
                    time.sleep(0.02)
                status = daemon.wait(0) if not daemon.alive() else None
                lines = [line for line in daemon.log() if line.get("level") == "error"]
                stop.wait(10)
                if status is None:
                    check(daemon.log("serving"), "neither ended nor serving after 60 s")
                    served += 1
                else:
                    check(status == 1, f"status {status} with the file harmed after {delay:.2f} s, "
                          "expected 1")
                    check(len(lines) == 1, f"{len(lines)} error lines, expected 1")
                    text = lines[0]["error"]
                    known = [words for words in expected if words in text]
                    check("model.safetensors" in text and known, f"unclear: {text}")
                    seen[known[0]] = seen.get(known[0], 0) + 1
            delay += 0.05
    check(any(words in seen for words in expected[:1]), f"never caught in the act: {seen}")
    return Outcome("; ".join(f"{count} x '{words}'" for words, count in seen.items()) +
                   f"; served from {delay - 0.05:.2f} s on")


@attack("truncated while it loads", issue=12, limit=300)
def truncated_while_it_loads():
    def harm(file, size):
        os.truncate(file, size // 3)

    return changed_while_loading(
        harm, ("cut short while it was read", "the file is cut short or its header is wrong",
               "changed while it was read"))


@attack("written over while it loads", issue=12, limit=300)
def written_over_while_it_loads():
    def harm(file, _):
        with open(file, "r+b") as out:
            out.seek(1000)
            out.write(b"x" * 100)

    return changed_while_loading(
        harm, ("changed while it was read", "not valid JSON", "dtype", "shape", "appears twice",
               "tensor"))
