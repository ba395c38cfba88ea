#!/usr/bin/env python3
"""A directory of NLLB-200's kind with noise for weights and a vocabulary of the real size, 256,206 words.

    nllb_shape.py OUT [--width 1024] [--ffn 4096] [--layers 12] [--heads 16] [--dtype F32|BF16] [--shards N]
                      [--ctranslate2 TYPE ...]

The defaults are NLLB-200-distilled-600M's: 615 M parameters, 2.5 GB in F32. NLLB-200-3.3B is --width 2048 --ffn 8192
--layers 24. The tokenizer is trained on tests/data/german.txt; behind its pieces come others that no text has, up to
256,000, then NLLB's 202 languages. Weights as noise_checkpoint.py makes them: the same bytes every time, most outputs
repeat a token. --ctranslate2 also writes OUT-ctranslate2-TYPE, what CTranslate2's own converter makes of it.

Needs sentencepiece; --ctranslate2 also ctranslate2, transformers and torch, and memory for two copies of the weights.
"""
import argparse
import json
import os
import shutil
import struct
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests/attack"))
import noise_checkpoint  # noqa: E402

SPM = "sentencepiece.bpe.model"
WORDS, PIECES, TRAINED = 256_206, 256_000, 4_000
PERIOD = 1_000_003  # of the noise: rows of the embedding that are equal are as far apart
LANGUAGES_FILE = os.path.join(ROOT, "engine/model/tokenizers/fairseq_languages.h")


def languages():
    """NLLB's codes in the order of their ids."""
    with open(LANGUAGES_FILE, encoding="utf-8") as f:
        text = f.read()
    return [word for word in text[text.index("kNllbLanguages"):].split(";")[0].split('"') if "_" in word]


def write_spm(path):
    import sentencepiece

    with tempfile.TemporaryDirectory() as folder:
        prefix = os.path.join(folder, "m")
        sentencepiece.SentencePieceTrainer.train(
            input=os.path.join(ROOT, "tests/data/german.txt"), model_prefix=prefix, model_type="bpe", vocab_size=TRAINED,
            character_coverage=1.0, num_threads=1, minloglevel=2, unk_id=0, bos_id=1, eos_id=2)
        shutil.copyfile(prefix + ".model", path)
    with open(path, "ab") as f:  # messages of protobuf may be put one behind the other
        for number in range(TRAINED, PIECES):
            piece = f"\u2581~{number}".encode()
            entry = b"\x0a" + bytes([len(piece)]) + piece + b"\x15" + struct.pack("<f", -number)
            f.write(b"\x0a" + bytes([len(entry)]) + entry)


def write_json(path, value):
    with open(path, "w", encoding="utf-8") as f:
        json.dump(value, f, indent=1)


def make(folder, width=1024, ffn=4096, layers=12, heads=16, dtype="F32", shards=1):
    os.makedirs(folder, exist_ok=True)
    codes = languages()
    write_spm(os.path.join(folder, SPM))
    write_json(os.path.join(folder, "config.json"), dict(
        architectures=["M2M100ForConditionalGeneration"], model_type="m2m_100", vocab_size=WORDS, d_model=width,
        encoder_layers=layers, decoder_layers=layers, encoder_attention_heads=heads, decoder_attention_heads=heads,
        encoder_ffn_dim=ffn, decoder_ffn_dim=ffn, max_position_embeddings=1024, scale_embedding=True,
        activation_function="relu", bos_token_id=0, pad_token_id=1, eos_token_id=2, decoder_start_token_id=2,
        is_encoder_decoder=True, torch_dtype="float32" if dtype == "F32" else "bfloat16"))
    write_json(os.path.join(folder, "generation_config.json"), dict(
        bos_token_id=0, decoder_start_token_id=2, eos_token_id=2, pad_token_id=1, max_length=200, num_beams=4))
    write_json(os.path.join(folder, "tokenizer_config.json"), dict(
        tokenizer_class="NllbTokenizer", model_max_length=1024, legacy_behaviour=False, bos_token="<s>", eos_token="</s>",
        pad_token="<pad>", unk_token="<unk>", mask_token="<mask>", additional_special_tokens=codes))
    tensors = noise_checkpoint.shapes(width, ffn, layers, WORDS, final_norms=True)
    noise_checkpoint.write(folder, tensors, (1 / width**0.5, 2 / width**0.5), {}, dtype, PERIOD, shards)


def convert(folder, quantization):
    import ctranslate2

    converter = ctranslate2.converters.TransformersConverter(folder, copy_files=[SPM, "tokenizer_config.json"])
    converter.convert(f"{folder}-ctranslate2-{quantization}", quantization=quantization, force=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--width", type=int, default=1024)
    parser.add_argument("--ffn", type=int, default=4096)
    parser.add_argument("--layers", type=int, default=12, help="of the encoder, and of the decoder")
    parser.add_argument("--heads", type=int, default=16)
    parser.add_argument("--dtype", choices=sorted(noise_checkpoint.TYPES), default="F32")
    parser.add_argument("--shards", type=int, default=1)
    parser.add_argument("--ctranslate2", nargs="*", default=[], metavar="TYPE", help="float32, int8, ...")
    a = parser.parse_args()
    out = os.path.normpath(a.out)
    make(out, a.width, a.ffn, a.layers, a.heads, a.dtype, a.shards)
    for quantization in a.ctranslate2:
        convert(out, quantization)


if __name__ == "__main__":
    main()
