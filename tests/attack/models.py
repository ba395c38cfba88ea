"""Model directories that are broken, made wrongly, or changed while they are read: each ends the start
with one line that names the file, and exit status 1; none with a signal."""

import contextlib
import json
import os
import pathlib
import shutil
import struct
import tempfile
import threading
import time
import zipfile

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


def change(path, **fields):
    """Sets fields of a JSON file; those that are `...` go."""
    content = json.loads(path.read_text())
    for name, value in fields.items():
        if value is ...:
            content.pop(name, None)
        else:
            content[name] = value
    path.write_text(json.dumps(content))


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


def set_number(path, tensor, index, bits):
    """Writes 4 bytes over an element of an F32 tensor of a safetensors file."""
    data = bytearray(path.read_bytes())
    (size,) = struct.unpack_from("<Q", data)
    begin = json.loads(data[8 : 8 + size])[tensor]["data_offsets"][0]
    struct.pack_into("<I", data, 8 + size + begin + 4 * index, bits)
    path.write_bytes(data)


@attack("not finite", issue=12)
def numbers_that_are_not_finite():
    tensor = "model.decoder.layers.1.fc1.weight"
    for bits, shown in ((0x7FC00000, "nan"), (0x7F800000, "inf"), (0xFF800000, "-inf")):
        with directory() as model:
            set_number(model / "model.safetensors", tensor, 37, bits)
            refusal(model, "model.safetensors", f"tensor '{tensor}' holds {shown} at [1, 5]")
    return Outcome("3 starts refused by tensor and index")


@attack("git lfs pointers", issue=12)
def pointers_in_place_of_files():
    names = ("model.safetensors", "source.spm", "target.spm", "vocab.json", "config.json",
             "generation_config.json", "tokenizer_config.json")
    for name in names:
        with directory() as model:
            (model / name).write_text(LFS)
            refusal(model, f"{name}: a Git LFS pointer of {len(LFS)} bytes")
    return Outcome(f"{len(names)} starts refused by file")


@attack("cannot translate", issue=12)
def models_that_cannot_translate():
    vocabulary = len(json.loads((TINY / "vocab.json").read_text()))
    spm = (TINY / "source.spm").read_bytes()
    generation, config, tokenizer = "generation_config.json", "config.json", "tokenizer_config.json"
    cases = (
        (generation, dict(max_length=2), "field 'max_length' is 2"),
        (generation, dict(max_new_tokens=1), "field 'max_new_tokens' is 1"),
        (generation, dict(num_beams=0), "field 'num_beams' is 0"),
        (generation, dict(decoder_start_token_id=vocabulary), "field 'decoder_start_token_id' is"),
        (generation, dict(eos_token_id=[]), "field 'eos_token_id' is []"),
        (generation, dict(eos_token_id=vocabulary), "field 'eos_token_id' is"),
        (generation, dict(min_length=64), "field 'min_length' is 64"),
        (generation, dict(suppress_tokens=list(range(1, vocabulary))), "every one is banned"),
        (generation, dict(bad_words_ids=[[i] for i in range(vocabulary)]), "every one is banned"),
        (config, dict(max_position_embeddings=1), "field 'max_position_embeddings' is 1"),
        (config, dict(architectures=["BartModel"]), 'field \'architectures\' is ["BartModel"]'),
        (config, dict(activation_function="prelu"), "field 'activation_function' is \"prelu\""),
        (tokenizer, dict(model_max_length=1), "field 'model_max_length' is 1"),
        (tokenizer, dict(eos_token="[end]"), "vocab.json: the special token '[end]' is not in it"),
    )
    for name, fields, words in cases:
        with directory() as model:
            change(model / name, **fields)
            refusal(model, *(words if isinstance(words, tuple) else (words,)))
    with directory() as model:
        # A second trainer_spec wins over the first: field 2, in it model_type, field 3.
        (model / "source.spm").write_bytes(spm + bytes((0x12, 2, 0x18, 5)))
        refusal(model, "source.spm", "model_type is 5")
    return Outcome(f"{len(cases) + 1} starts refused by file and field")


@attack("broken shards", issue=12)
def shards_that_do_not_fit():
    whole = "model.safetensors"
    index = "model.safetensors.index.json"
    tensors = json.loads((TINY / whole).read_bytes()[8:].split(b"}}", 1)[0] + b"}}")
    cases = (
        ("x-1.safetensors", "x-1.safetensors: cannot be opened"),
        ("../x.safetensors", "expected the name of a file here that ends in .safetensors"),
        (None, "x.safetensors: tensor 'no.such' is missing"),
    )
    for shard, words in cases:
        with directory() as model:
            (model / whole).rename(model / "x.safetensors")
            names = {name: "x.safetensors" for name in tensors if name != "__metadata__"}
            names["no.such"] = "x.safetensors"
            if shard is not None:
                names["final_logits_bias"] = shard
            (model / index).write_text(json.dumps({"weight_map": names}))
            refusal(model, words)
    return Outcome(f"{len(cases)} starts refused by file and tensor")


@attack("marian files", issue=17)
def marian_files_that_are_none():
    base = ROOT / "tests/data/models/marian-firefox"
    name, vocabulary = "model.deen.intgemm.alphas.bin", "vocab.deen.spm"
    other = (TINY / "source.spm").read_bytes()
    options = "special:model.yml: field"
    # What is written over in the model's file, each by as many bytes.
    for old, new, words in (
        (b"type: transformer", b"type: transformed", f"{options} 'type' is 'transformed'"),
        (b"dec-cell: ssru", b"dec-cell: lstm", f"{options} 'dec-cell' is 'lstm'"),
        (b"dim-emb: 64", b"dim-emb: 48", "tensor 'Wemb' has shape [240, 64], expected [vocabulary, 48]"),
        (b"dec-depth: 2", b"dec-depth: 1", "tensor 'decoder_l2_"),
        (b"dec-depth: 2", b"dec-depth: 3", "tensor 'decoder_l3_"),
        (b"enc-depth: 1", b"enc-depth: x", f"{options} 'enc-depth' is 'x'"),
        (b"enc-depth: 1", b"enc-depth- 1", "special:model.yml: line"),
        (b"transformer-heads: 4", b"transformer-heads: 5", f"{options} 'transformer-heads' is '5'"),
        (b"transformer-postprocess: dan", b"transformer-postprocess: dar", "'transformer-postprocess' is 'dar'"),
        (b"encoder_l1_self_Wq\0", b"encoder_l1_self_Wx\0", "'encoder_l1_self_Wx' [64, 64] has no place"),
        (struct.pack("<Q", 1), struct.pack("<Q", 2), "is version 2, an encrypted model"),
        (struct.pack("<Q", 0x4101), struct.pack("<Q", 0x1801), "is of type 0x1801, supported"),
    ):
        with directory(base) as model:
            data = (model / name).read_bytes()
            check(old in data and len(old) == len(new), f"cannot write {new} over {old}")
            (model / name).write_bytes(data.replace(old, new, 1))
            refusal(model, name, words)
    files = (
        (name, lambda data: data[: len(data) // 2], f"{name}: is cut short"),
        (name, lambda data: LFS.encode(), f"{name}: a Git LFS pointer of {len(LFS)} bytes"),
        (vocabulary, lambda data: LFS.encode(), f"{vocabulary}: a Git LFS pointer of {len(LFS)} bytes"),
        (vocabulary, lambda data: other, f"{vocabulary}: "),
        ("decoder.yml", lambda data: b"models: [none.npz]\n", "field 'models' names none.npz"),
        ("decoder.yml", lambda data: b"models: {}\n", "decoder.yml: line 1"),
        ("second.npz", lambda data: b"", f"found the models {name} and second.npz"),
    )
    for file, change_of, words in files:
        with directory(base) as model:
            path = model / file
            path.write_bytes(change_of(path.read_bytes() if path.exists() else b""))
            refusal(model, words)
    with directory(base) as model:
        (model / vocabulary).unlink()
        refusal(model, "found no vocabulary")
    return Outcome("20 starts refused by file and field")


@contextlib.contextmanager
def package(changes=(), without=(), beside=(), compress=zipfile.ZIP_DEFLATED):
    """The path of an Argos package: that of the tests with these (name, bytes) in its folder, in place of what has the
    name, or beside the folder."""
    with zipfile.ZipFile(ROOT / "tests/data/models/argos-de-en.argosmodel") as whole:
        files = {name: whole.read(name) for name in whole.namelist() if not name.endswith("/")}
    (folder,) = {name.split("/")[0] for name in files}
    files.update((f"{folder}/{name}", data) for name, data in changes)
    files.update(beside)
    for name in without:
        del files[f"{folder}/{name}"]
    with tempfile.TemporaryDirectory(prefix="attack-model-") as place:
        path = pathlib.Path(place) / "de-en.argosmodel"
        with zipfile.ZipFile(path, "w", compress) as made:
            for name, data in files.items():
                made.writestr(name, data)
        yield path


@attack("argos packages", issue=17)
def packages_that_are_none():
    def metadata(**fields):
        return ("metadata.json", json.dumps({"from_code": "de", "to_code": "en", **fields}).encode())

    cases = (
        (dict(changes=[("metadata.json", b"{")]), "metadata.json"),
        (dict(changes=[metadata(type="sbd")]), "metadata.json: field 'type' is \"sbd\""),
        (dict(changes=[metadata(from_code="german!")]), "metadata.json: field 'from_code' is \"german!\""),
        (dict(changes=[metadata(target_prefix="no such piece")]), "'target_prefix' is 'no such piece'"),
        (dict(without=["metadata.json"]), "found no metadata.json in the archive"),
        (dict(beside=[("other/metadata.json", b"{}")]), "metadata.json' and '"),
        (dict(without=["sentencepiece.model"]), "sentencepiece.model"),
        (dict(without=["sentencepiece.model"], changes=[("bpe.model", b"x")]), "has bpe.model"),
        (dict(without=["model/model.bin"]), "model.bin: there is no such entry"),
        (dict(changes=[("model/model.bin", bytes(512 << 20))]), "model.bin: 536870912 bytes compressed to "),
        (dict(changes=[("model/model.bin", LFS.encode())]), "model.bin: "),
        (dict(beside=[("../../etc/x", b"x")]), "leads out of the archive"),
        (dict(beside=[("/etc/x", b"x")]), "leads out of the archive"),
        (dict(compress=zipfile.ZIP_LZMA), "is compressed by method 14"),
    )
    for wanted, words in cases:
        with package(**wanted) as path:
            refusal(path, words)
    with package() as path:
        whole = path.read_bytes()
        for size in (0, 1, 30, len(whole) // 2, len(whole) - 1):
            path.write_bytes(whole[:size])
            refusal(path, "de-en.argosmodel")
    with package(compress=zipfile.ZIP_STORED) as path:
        path.write_bytes(path.read_bytes().replace(b"TransformerSpec", b"TransformerSpeg"))
        refusal(path, "model.bin: its checksum is wrong")
    return Outcome(f"{len(cases) + 6} starts refused by file and field")


@attack("tokenizers", issue=17)
def tokenizers_that_are_none():
    def bart(file, change_of, words):
        with directory(ROOT / "tests/data/models/tiny-bart") as model:
            (model / file).write_bytes(change_of((model / file).read_bytes()))
            refusal(model, words)

    bart("vocab.json", lambda data: data[: len(data) // 2], "vocab.json: ")
    bart("vocab.json", lambda data: LFS.encode(), f"vocab.json: a Git LFS pointer of {len(LFS)} bytes")
    bart("merges.txt", lambda data: data + b"no such\n", "merges.txt: line ")
    bart("merges.txt", lambda data: LFS.encode(), f"merges.txt: a Git LFS pointer of {len(LFS)} bytes")
    unigram = {
        "model": {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0], ["a", -1.0]]},
        "pre_tokenizer": {"type": "Metaspace", "replacement": "\u2581"},
    }
    files = (
        (b"{", "tokenizer.json: "),
        (b"[" * 100000, "tokenizer.json: "),
        (LFS.encode(), "tokenizer.json: a Git LFS pointer"),
        ({**unigram, "model": {"type": "WordPiece"}}, "field 'model.type' is 'WordPiece'"),
        ({**unigram, "pre_tokenizer": {"type": "ByteLevel"}}, "field 'model' is a Unigram"),
        ({**unigram, "normalizer": {"type": "BertNormalizer"}}, "field 'normalizer.type' is 'BertNormalizer'"),
        ({**unigram, "model": {**unigram["model"], "unk_id": 7}}, "field 'model.unk_id' is 7"),
        ({**unigram, "model": {**unigram["model"], "vocab": [["a", 0], ["a", 0]]}}, "has 'a' twice"),
    )
    for content, words in files:
        with directory(ROOT / "tests/data/models/tiny-t5") as model:
            (model / "spiece.model").unlink()
            data = content if isinstance(content, bytes) else json.dumps(content).encode()
            (model / "tokenizer.json").write_bytes(data)
            refusal(model, words)
    return Outcome(f"{len(files) + 4} starts refused by file and field")


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
