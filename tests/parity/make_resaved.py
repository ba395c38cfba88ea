#!/usr/bin/env python3
"""Saves every family again with the transformers that runs this, and writes what its generate() gives for the saved
directories: fixtures/resaved-MAJOR.jsonl.gz.

    make_resaved.py [--keep DIR] [FAMILY ...]    two minutes; run it once with transformers 4 and once with 5

A line is a family saved in one way: the files other than the weights, the tensors by their names in the model of
tests/data/models that they come from, and n-best lists at beams 1 and 4, and where the settings matter at the own beam. Files with the
same content are stored once, in the first line. A case is kept if float32 and float64 find the same lists with scores
that are at most 2e-5 apart.
"""
import argparse
import gzip
import hashlib
import json
import os
import shutil
import sys
import tempfile
import warnings

import torch
import transformers
from safetensors.torch import load_file
from transformers import (AutoModelForSeq2SeqLM, AutoTokenizer, FSMTConfig, FSMTForConditionalGeneration, GenerationConfig,
                          T5Tokenizer)

from fixture_file import write_jsonl

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MODELS = os.path.join(ROOT, "tests/data/models")
MAJOR = int(transformers.__version__.split(".")[0])

# The languages that a request names, and what the text is told by.
FAMILIES = {
    "tiny-a": dict(),
    "tiny-multi": dict(to="fr", prompt=">>fra<< "),
    "tiny-m2m": dict(languages=("de", "fr")),
    "tiny-nllb": dict(languages=("deu_Latn", "fra_Latn")),
    "tiny-mbart": dict(languages=("de_DE", "fr_XX")),
    "tiny-mbart25": dict(languages=("de_DE", "ro_RO"), starts=True),
    "tiny-bart": dict(),
    "tiny-pegasus": dict(),
    "tiny-fsmt": dict(),
    "tiny-t5": dict(of="en", to="de", prompt="translate English to German: "),
    "tiny-flan": dict(),
    "tiny-mt5": dict(),
    "tiny-umt5": dict(),
    "tiny-madlad": dict(to="de", prompt="<2de> "),
}
TEXTS = 2
LENGTH = 48  # the longest output where no file says one, which a server takes otherwise than generate()


class Fsmt(FSMTForConditionalGeneration):
    """For version 4: with the whole output as the decoder's input, by which its tokens have their positions (make_fsmt.py)."""

    def prepare_inputs_for_generation(self, input_ids, **more):
        return {**super().prepare_inputs_for_generation(input_ids, **more), "decoder_input_ids": input_ids}


Fsmt.__name__ = FSMTForConditionalGeneration.__name__  # which config.json gets


def load(folder, dtype=torch.float32):
    if json.load(open(os.path.join(folder, "config.json")))["model_type"] == "fsmt":
        # Without from_pretrained, which computes no tables for a file that has none.
        model = (Fsmt if MAJOR == 4 else FSMTForConditionalGeneration)(FSMTConfig.from_pretrained(folder)).eval()
        state = {}
        for file in os.listdir(folder):
            if file.endswith(".safetensors"):
                state.update(load_file(os.path.join(folder, file)))
        missing, unexpected = model.load_state_dict(state, strict=False)
        # Version 4 stores the target's embedding as the output projection, which is the same tensor in it.
        known = ("embed_positions", "output_projection", "decoder.embed_tokens")
        assert not unexpected and all(any(part in name for part in known) for name in missing), missing
        decoder = model.model.decoder
        assert not ("model.decoder.embed_tokens.weight" in missing and MAJOR > 4)
        if "model.decoder.output_projection.weight" in missing:  # version 5 does not tie it
            decoder.output_projection.weight = decoder.embed_tokens.weight
        path = os.path.join(folder, "generation_config.json")
        if os.path.exists(path):
            model.generation_config = GenerationConfig.from_pretrained(folder)
        elif MAJOR > 4:
            model.generation_config = GenerationConfig.from_pretrained(folder, config_file_name="config.json", _from_model_config=True)
        return model.to(dtype)
    return AutoModelForSeq2SeqLM.from_pretrained(folder, dtype=dtype).eval()


def write_json(path, value):
    with open(path, "w", encoding="utf-8") as out:
        json.dump(value, out, ensure_ascii=False, indent=1)


def change(folder, file, fields):
    path = os.path.join(folder, file)
    value = json.load(open(path))
    value.update(fields)
    write_json(path, {k: v for k, v in value.items() if v is not None})


def tokenizer_of(folder, **how):
    # Version 5 has no class for an UMT5 that has spiece.model alone.
    is_umt5 = MAJOR > 4 and json.load(open(os.path.join(folder, "config.json")))["model_type"] == "umt5"
    return (T5Tokenizer if is_umt5 else AutoTokenizer).from_pretrained(folder, **how)


def states_length(folder):
    """Whether a file says how long an output may be."""
    for file in ("generation_config.json", "config.json"):
        path = os.path.join(folder, file)
        if os.path.exists(path):
            fields = json.load(open(path))
            if any(fields.get(name) is not None for name in ("max_length", "max_new_tokens")):
                return True
    return False


# Ways of saving. Each gets a copy of the base and writes into `to`.
def plain(base, to, name):
    load(base).save_pretrained(to)
    tokenizer_of(base).save_pretrained(to)


def slow(base, to, name):
    load(base).save_pretrained(to)
    tokenizer_of(base, use_fast=False).save_pretrained(to)


def tokenizer_json_alone(base, to, name):
    tokenizer = tokenizer_of(base)
    if not tokenizer.is_fast:
        return False
    load(base).save_pretrained(to)
    tokenizer.save_pretrained(to)
    for file in os.listdir(to):
        if file in ("spiece.model", "sentencepiece.bpe.model", "vocab.json", "merges.txt", "added_tokens.json", "special_tokens_map.json"):
            os.remove(os.path.join(to, file))


def sharded(base, to, name):
    if name == "tiny-fsmt":
        return False  # the index would name tables that are left out here because they are computed
    load(base, torch.bfloat16).save_pretrained(to, max_shard_size="60KB")
    tokenizer_of(base).save_pretrained(to)


def resize(model, size):
    """The new rows are the first ones once more, with another bias, or smaller where there is none: no two are equal."""
    rows = model.get_input_embeddings().weight.shape[0]
    more = size - rows
    model.resize_token_embeddings(size, mean_resizing=False)
    factor = 1.0 if hasattr(model, "final_logits_bias") else 0.5
    with torch.no_grad():
        for matrix in {id(m.weight): m.weight for m in (model.get_input_embeddings(), model.get_output_embeddings())}.values():
            matrix[rows:] = matrix[:more] * factor
        if hasattr(model, "final_logits_bias"):
            model.final_logits_bias[0, rows:] = model.final_logits_bias[0, :more] - 1


def padded(base, to, name):
    if name == "tiny-fsmt":
        return False  # its classes cannot be resized
    model = load(base)
    size = model.get_input_embeddings().weight.shape[0]
    resize(model, size + 64 - size % 64)
    model.save_pretrained(to)
    tokenizer_of(base).save_pretrained(to)


def tuned(base, to, name):
    """As a trainer does it: a token more, its rows, and settings of the search."""
    model, tokenizer = load(base), tokenizer_of(base)
    if name not in ("tiny-fsmt", "tiny-pegasus"):
        tokenizer.add_tokens(["Neuwort"])
        rows = model.get_input_embeddings().weight.shape[0]
        if len(tokenizer) > rows:
            resize(model, len(tokenizer))
    model.generation_config.num_beams = 3
    model.generation_config.length_penalty = 0.7
    model.generation_config._from_model_config = False
    model.save_pretrained(to)
    tokenizer.save_pretrained(to)


def without_generation(base):
    """The settings of the search in config.json alone, as in files of 2020."""
    path = os.path.join(base, "generation_config.json")
    fields = json.load(open(path)) if os.path.exists(path) else {}
    if os.path.exists(path):
        os.remove(path)
    fields.pop("transformers_version", None)
    change(base, "config.json", {**fields, "max_length": 37, "num_beams": 5})


def legacy(base, to, name):
    without_generation(base)
    plain(base, to, name)


def config_alone(base, to, name):
    plain(base, to, name)
    os.remove(os.path.join(to, "generation_config.json"))


WAYS = {"saved": plain, "slow tokenizer": slow, "tokenizer.json alone": tokenizer_json_alone, "sharded, bfloat16": sharded, "padded": padded, "fine-tuned": tuned,
        "settings from config.json": legacy, "config.json alone": config_alone}


# Those whose own beam is asked for too.
SETTINGS = ("fine-tuned", "settings from config.json", "config.json alone")


def search(model, ids, told, beams):
    more = {} if beams is None else dict(num_beams=beams, num_return_sequences=beams)
    beams = beams or told.get("num_beams") or model.generation_config.num_beams or 1
    with torch.no_grad():
        out = model.generate(input_ids=torch.tensor([ids]), return_dict_in_generate=True, output_scores=True, **told, **more)
    scores = out.sequences_scores.tolist() if beams > 1 else [None] * len(out.sequences)
    end = model.generation_config.eos_token_id
    pad = model.generation_config.pad_token_id
    found = []
    for row, score in zip(out.sequences.tolist(), scores):
        row = row[1:]
        found.append((row[: row.index(end)] if end in row else [t for t in row if t != pad], score))
    return found


def texts():
    lines = [line.strip() for line in open(os.path.join(ROOT, "tests/data/german.txt"), encoding="utf-8")]
    lines = [line for line in lines if 25 <= len(line) <= 70]
    return lines[:: len(lines) // TEXTS][:TEXTS]


def cases_of(folder, spec, way):
    tokenizer = tokenizer_of(folder, use_fast=False) if way == "slow tokenizer" else tokenizer_of(folder)
    models = [load(folder), load(folder).double()]
    cases, dropped = [], 0
    told, more = ({} if states_length(folder) else dict(max_length=LENGTH)), {}
    if "languages" in spec:
        source, target = spec["languages"]
        tokenizer.src_lang = source
        piece = f"__{target}__" if "M2M100" in type(tokenizer).__name__ else target
        first = tokenizer.convert_tokens_to_ids(piece)
        more = {"start_token" if spec.get("starts") else "first_token": first}
        told["decoder_start_token_id" if spec.get("starts") else "forced_bos_token_id"] = first
    # A server searches as the translation tasks of a T5 say, as a pipeline does.
    tasks = json.load(open(os.path.join(folder, "config.json"))).get("task_specific_params") or {}
    task = next((fields for name, fields in tasks.items() if name.startswith("translation_")), {})
    told.update({name: task[name] for name in ("max_length", "early_stopping") if name in task})
    for text in texts():
        ids = tokenizer(spec.get("prompt", "") + text)["input_ids"]
        case = dict(text=text, source_ids=ids, **more, searched=[])
        for beams in (1, 4, None) if way in SETTINGS else (1, 4):
            own = {"num_beams": task["num_beams"]} if beams is None and "num_beams" in task else {}
            single, double = (search(model, ids, {**told, **own}, beams) for model in models)
            if [t for t, _ in single] != [t for t, _ in double] or any(
                    a is not None and abs(a - b) > 2e-5 for (_, a), (_, b) in zip(single, double)):
                dropped += 1
                continue
            case["searched"].append(dict(num_beams=beams, tokens=[t for t, _ in double], scores=[s for _, s in double]))
        cases.append(case)
    return cases, dropped


def same(a, b):
    return a.shape == b.shape and torch.equal(a, b)


def weights_of(folder, base):
    """By file and tensor: the base's tensor, its rows and the factor of the new ones where it has more, its type."""
    known = {}
    for file in os.listdir(base):
        path = os.path.join(base, file)
        if file.endswith(".safetensors"):
            known.update(load_file(path))
        elif file.endswith(".bin"):
            known.update(torch.load(path, weights_only=True))
    found = {}
    for file in sorted(os.listdir(folder)):
        if not file.endswith(".safetensors"):
            continue
        found[file] = {}
        for name, tensor in sorted(load_file(os.path.join(folder, file)).items()):
            if "embed_positions" in name and name not in known:
                continue  # computed
            for candidate in [name] + sorted(known):
                if candidate not in known:
                    continue
                old = known[candidate].to(tensor.dtype)
                if same(old, tensor):
                    found[file][name] = [candidate]
                    break
                if old.dim() == 2 and old.dim() == tensor.dim():
                    is_bias = old.shape[0] == 1
                    a, b = (old.T, tensor.T) if is_bias else (old, tensor)
                    rows, more = a.shape[0], b.shape[0] - a.shape[0]
                    if more <= 0 or a.shape[1] != b.shape[1] or not same(a, b[:rows]):
                        continue
                    factor = 1.0 if is_bias or same(a[:more], b[rows:]) else 0.5
                    if same(a[:more] * factor - (1 if is_bias else 0), b[rows:]):
                        found[file][name] = [candidate, b.shape[0], factor]
                        break
            else:
                raise SystemExit(f"{folder}: {name} is none of the base's")
            found[file][name].append({torch.float32: "F32", torch.bfloat16: "BF16"}[tensor.dtype])
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("families", nargs="*")
    parser.add_argument("--keep")
    parser.add_argument("--only-save", action="store_true")
    parser.add_argument("--out", default=os.path.join(ROOT, "tests/parity/fixtures"))
    args = parser.parse_args()
    torch.set_num_threads(1)
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    warnings.simplefilter("ignore")
    path = os.path.join(args.out, f"resaved-{MAJOR}.jsonl.gz")
    contents, rows, failed = {}, [], []
    if os.path.exists(path) and args.families:
        header, *rows = [json.loads(line) for line in gzip.open(path, "rt", encoding="utf-8")]
        contents, failed = header["contents"], [f for f in header["failed"] if f["family"] not in args.families]
        rows = [row for row in rows if row["family"] not in args.families]
    for name, spec in FAMILIES.items():
        if args.families and name not in args.families:
            continue
        for way, save in WAYS.items():
            with tempfile.TemporaryDirectory() as at:
                base, to = os.path.join(at, "base"), os.path.join(args.keep or at, f"{name}-{MAJOR}-{list(WAYS).index(way)}")
                shutil.copytree(os.path.join(MODELS, name), base)
                os.chmod(base, 0o755)
                for file in os.listdir(base):
                    os.chmod(os.path.join(base, file), 0o644)
                shutil.rmtree(to, ignore_errors=True)
                os.makedirs(to)
                try:
                    if way == "slow tokenizer" and MAJOR > 4 or save(base, to, name) is False:
                        shutil.rmtree(to)
                        continue
                    cases, dropped = ([], 0) if args.only_save else cases_of(to, spec, way)
                    files = {}
                    for file in sorted(os.listdir(to)):
                        if file.endswith(".safetensors"):
                            continue
                        data = open(os.path.join(to, file), "rb").read()
                        old = os.path.join(MODELS, name, file)
                        if os.path.exists(old) and open(old, "rb").read() == data:
                            files[file] = ""  # the base's
                            continue
                        key = hashlib.sha256(data).hexdigest()[:12]
                        contents[key] = data.decode("utf-8")
                        files[file] = key
                    rows.append(dict(family=name, way=way, dropped=dropped, max_length=None if states_length(to) else LENGTH, source_lang=spec.get("languages", [spec.get("of", "")])[0],
                                     target_lang=spec.get("languages", ["", spec.get("to", "")])[1], files=files, weights=weights_of(to, base), cases=cases))
                    print(name, way, sum(len(c["searched"]) for c in cases), "lists,", dropped, "dropped")
                except Exception as error:  # a fault of this version
                    failed.append(dict(family=name, way=way, error=f"{type(error).__name__}: {error}"[:300]))
                    print(name, way, "FAILED", type(error).__name__, str(error)[:600].replace("\n", " "))
                sys.stdout.flush()
        write(path, contents, rows, failed)


def write(path, contents, rows, failed):
    rows.sort(key=lambda row: list(FAMILIES).index(row["family"]))
    used = {key for row in rows for key in row["files"].values()}
    header = dict(transformers=transformers.__version__, torch=torch.__version__, kept=len(rows), failed=failed,
                  contents={key: text for key, text in sorted(contents.items()) if key in used})
    write_jsonl(path, [header] + rows)


if __name__ == "__main__":
    main()
