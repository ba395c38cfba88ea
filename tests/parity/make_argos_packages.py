#!/usr/bin/env python3
"""Makes two packages as Argos Translate has them, and writes what its calls of CTranslate2 and SentencePiece give.

    make_argos_packages.py [--models tests/data/models] [--out tests/parity/fixtures]

tests/data/models/argos-NAME.argosmodel: a zip archive of a converted model of opennmt_model.py, its tokenizer and
metadata.json. argos.jsonl.gz: for each line of text the pieces that go in, the n-best lists that come out and their
texts, by the calls of argostranslate 1.11 (translate.py, apply_packaged_translation; tokenizer.py), in float32 and one
sentence at a time. Of its texts the one step is left out that makes spaces of underscores. A second run with the same
pins writes the same bytes.
"""
import argparse
import json
import os
import tempfile
import zipfile

import ctranslate2
import sentencepiece

import opennmt_model
from fixture_file import write_jsonl
from hf_model import FIXTURES, ROOT, prepare
from make_ct2_directories import OPENNMT_SPM, read_vocabularies

# The model, its type, the languages, a piece that every output begins with, how files are compressed.
PACKAGES = {
    "argos-de-en": ("onmt", "int8", "de", "en", "", zipfile.ZIP_DEFLATED),
    "argos-zt-pb": ("onmt-apart", "float32", "zt", "pb", opennmt_model.LANGUAGE, zipfile.ZIP_STORED),
}
TIME = (2024, 1, 1, 0, 0, 0)
HYPOTHESES = 4
SENTENCES = 40


def pack(path, name, model, spm, metadata, compression):
    """Names sorted, times fixed: the bytes are always the same (with the same zlib)."""
    files = {f"{name}/metadata.json": json.dumps(metadata, indent=4).encode(),
             f"{name}/sentencepiece.model": open(spm, "rb").read(),
             f"{name}/README.md": b"Made by make_argos_packages.py\n"}
    for file in sorted(os.listdir(model)):
        with open(os.path.join(model, file), "rb") as f:
            files[f"{name}/model/{file}"] = f.read()
    with zipfile.ZipFile(path, "w") as archive:
        for file, data in sorted(files.items()):
            archive.writestr(zipfile.ZipInfo(file, TIME), data, compression)


def cases_of(package, folder, spm, prefix, german):
    tokenizer = sentencepiece.SentencePieceProcessor(model_file=spm)
    source_ids, target_ids = ({piece: i for i, piece in enumerate(pieces)} for pieces in read_vocabularies(folder))
    translator = ctranslate2.Translator(folder, device="cpu", compute_type="float32", inter_threads=1, intra_threads=1)
    # Not argostranslate's: CTranslate2 refuses the end behind a prefix to all but the best beam, so here to all.
    limits = dict(min_decoding_length=2) if prefix else {}
    for index, text in enumerate(german[:SENTENCES]):
        pieces = tokenizer.encode(text, out_type=str)
        found = translator.translate_batch(
            [pieces], target_prefix=[[prefix]] if prefix else None, replace_unknowns=True, max_batch_size=32,
            batch_type="tokens", beam_size=4, num_hypotheses=HYPOTHESES, length_penalty=0.2, return_scores=True,
            **limits)[0]
        texts = []
        for hypothesis in found.hypotheses:
            value = tokenizer.decode_pieces(hypothesis).replace("\u2581", " ")
            if prefix and value.startswith(prefix):
                value = value[len(prefix):]
            texts.append(value.removeprefix(" "))
        scores = found.scores
        gap = min([a - b for a, b in zip(scores, scores[1:])], default=1.0)
        yield dict(model=package, id=f"{package}/{index}", text=text, gap=float(f"{gap:.3g}"),
                   source_ids=[source_ids.get(p, source_ids["<unk>"]) for p in pieces],
                   nbest=[dict(tokens=[target_ids[p] for p in h], score=round(s, 6))
                          for h, s in zip(found.hypotheses, scores)], texts=texts)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", default=os.path.join(ROOT, "tests/data/models"))
    parser.add_argument("--out", default=FIXTURES)
    arguments = parser.parse_args()
    german = prepare()
    rows = []
    for package, (name, quantization, source, target, prefix, compression) in PACKAGES.items():
        metadata = {"package_version": "1.0", "argos_version": "1.5", "from_code": source, "from_name": source,
                    "to_code": target, "to_name": target}
        if prefix:
            metadata["target_prefix"] = prefix
        with tempfile.TemporaryDirectory() as folder:
            opennmt_model.convert(name, OPENNMT_SPM, folder, None if quantization == "float32" else quantization)
            pack(os.path.join(arguments.models, package + ".argosmodel"), f"translate-{source}_{target}-1_0", folder,
                 OPENNMT_SPM, metadata, compression)
            rows += cases_of(package, folder, OPENNMT_SPM, prefix, german)
    header = dict(header=True, models={p: f"tests/data/models/{p}.argosmodel" for p in PACKAGES}, kept=len(rows),
                  versions=dict(ctranslate2=ctranslate2.__version__, sentencepiece=sentencepiece.__version__))
    write_jsonl(os.path.join(arguments.out, "argos.jsonl.gz"), [header] + rows)
    print(json.dumps(header))


if __name__ == "__main__":
    main()
