#!/usr/bin/env python3
"""Dragoman against generate() of Hugging Face `transformers`, in float16 on one GPU, in one run.

    compare_transformers.py --json FILE [--dragomand FILE --dragoman FILE] [--throughput FILE] [--device cuda|cpu] [--limit N]

Two comparisons; each peer has the batch size that suits it best, looked for among --batches.

`bundled`: text to text with the bundled model, beam 4, FIRST_K, length penalty 1. The texts are 1-4 lines of --input joined by a
fixed seed. transformers has them sorted by length in its process; Dragoman gets them in a random order through gRPC, the server
and the client on this machine. A batch size is tried on batches from everywhere among the lengths, the best one then on all texts.
`ratio` compares texts a second with the time in generate() alone, `ratio_text_to_text` with its tokenizer too.

`base`: ids to ids with the shape of OPUS-MT base - 6 + 6 layers, d 512, V 58,101 - and random weights, 30 source tokens,
30 target tokens by force: what gpu_bench measures as `throughput`, whose JSON --throughput names (without: no ratio).

Tokens are those of the best hypotheses without EOS. On a CPU everything is float32 and smaller: to try the script.
Needs torch, transformers and sentencepiece; where they are missing it says so, and skips.
"""
import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time

try:
    import torch
    import transformers
    from transformers import GenerationConfig, MarianConfig, MarianMTModel, MarianTokenizer
except ImportError as error:
    print(f"skipped transformers: {error}\n0 passed, 0 failed")
    sys.exit(0)

BEAM = 4
TOKENS = 30  # of source and target in `base`


def make_texts(path, count):
    """Shortest first. peers/texts.py makes them of the same lines."""
    with open(path, encoding="utf-8") as f:
        lines = [line.strip() for line in f if re.search(r"\w", line)]
    rng = random.Random(1)
    return sorted((" ".join(rng.sample(lines, rng.randint(1, 4))) for _ in range(count)), key=len)


class Peer:
    """generate() with one model. Times are of calls that have ended on the device."""

    def __init__(self, model, device):
        self.device = device
        self.model = model.to(device, torch.float16 if device == "cuda" else torch.float32).eval()
        self.pad = model.config.pad_token_id

    def generate(self, ids, mask, **options):
        """(ids on the host, seconds)"""
        began = time.perf_counter()
        with torch.no_grad():
            out = self.model.generate(input_ids=ids.to(self.device), attention_mask=mask.to(self.device),
                                      do_sample=False, length_penalty=1.0, **options).cpu()
        return out[:, 1:], time.perf_counter() - began

    def tokens(self, ids):
        return int(((ids != self.pad) & (ids != self.model.config.eos_token_id)).sum())


class TextPeer(Peer):
    def __init__(self, path, device):
        super().__init__(MarianMTModel.from_pretrained(path, dtype=torch.float32), device)
        self.tokenizer = MarianTokenizer.from_pretrained(path)

    def run(self, batches, beam=BEAM, limits=None, keep=None):
        """Totals over batches of texts. `limits`: generate()'s, else Dragoman's; `keep`: a list for the translations."""
        texts = tokens = 0
        inside, began = 0.0, time.perf_counter()
        for batch in batches:
            source = self.tokenizer(batch, return_tensors="pt", padding=True)
            ids, seconds = self.generate(source.input_ids, source.attention_mask, num_beams=beam, early_stopping=beam > 1,
                                         **(limits or dict(max_new_tokens=3 * source.input_ids.shape[1] + 20)))
            translations = self.tokenizer.batch_decode(ids, skip_special_tokens=True)
            if keep is not None:
                keep += translations
            texts, tokens, inside = texts + len(batch), tokens + self.tokens(ids), inside + seconds
        return dict(texts=texts, target_tokens=tokens, seconds=time.perf_counter() - began, generate_seconds=inside,
                    texts_per_second=texts / inside, tokens_per_second=tokens / inside)


def sweep(sizes, measure):
    """What measure(size) gives for each size until memory runs out, and the best of it."""
    found = []
    for size in sizes:
        try:
            found.append(dict(batch=size, **measure(size)))
        except torch.cuda.OutOfMemoryError:
            print(f"batch {size}: out of memory")
            torch.cuda.empty_cache()
            break
        print(json.dumps(found[-1]), flush=True)
    return found, max(found, key=lambda row: row["tokens_per_second"])


def evenly(items, count):
    return [items[(2 * i + 1) * len(items) // (2 * count)] for i in range(count)]


def bundled(a, texts):
    peer = TextPeer(a.model, a.device)

    def cut(size):
        return [texts[i : i + size] for i in range(0, len(texts), size)]

    def measure(size):
        batches = [batch for batch in cut(size) if len(batch) == size]
        first = peer.run([batches[len(batches) // 2]])  # the first use allocates
        return peer.run(evenly(batches, min(len(batches), max(1, int(a.seconds / first["seconds"])))))

    found, best = sweep([size for size in a.batches if size <= len(texts)], measure)
    best = dict(batch=best["batch"], **peer.run(cut(best["batch"])))
    print(f"transformers, all texts: {json.dumps(best)}", flush=True)
    return dict(sweep=found, best=best)


def ours(a, texts, folder):
    """What 'dragoman load' says of the daemon."""
    path, log = os.path.join(folder, "texts"), os.path.join(folder, "dragomand.log")
    with open(path, "w", encoding="utf-8") as f:
        f.writelines(text + "\n" for text in random.Random(2).sample(texts, len(texts)))
    with open(log, "w", encoding="utf-8") as f:
        daemon = subprocess.Popen([a.dragomand, "--model", a.model, "--device", "cuda:0" if a.device == "cuda" else "cpu",
                                   "--listen", "127.0.0.1:0", "--metrics", "off", "--http", "off", "--log-level", "warn",
                                   "--max-queue-tokens", "1000000", "--max-queue-segments", "100000"],
                                  stdout=subprocess.PIPE, stderr=f, text=True)
    try:
        serving = re.search(r"grpc=(\S+)", daemon.stdout.readline())
        if serving is None:
            with open(log, encoding="utf-8") as f:
                sys.exit(f"dragomand did not start: {f.read()}")
        measured = ["--requests", str(-(-len(texts) // 16))] if a.limit else ["--duration", "10", "--warmup", "3"]
        out = subprocess.run(
            [a.dragoman, "load", "--server", serving[1], "--input", path, "--concurrency", "256", "--batch", "16",
             "--connections", "16", *measured, "--beam", str(BEAM), "--stop-rule", "first_k", "--length-penalty", "1",
             "--split", "none", "--json"], stdout=subprocess.PIPE, text=True, check=True)
    finally:
        daemon.terminate()
        daemon.wait()
    report = json.loads(out.stdout)
    if report["errors"] or report["item_errors"]:
        sys.exit(f"not every call came back: {out.stdout}")
    return dict(texts=report["sentences"], target_tokens=report["target_tokens"], seconds=report["seconds"],
                texts_per_second=report["sentences_per_second"], tokens_per_second=report["target_tokens_per_second"])


def base_peer(device, layers):
    pad = 58100
    config = MarianConfig(vocab_size=pad + 1, decoder_vocab_size=pad + 1, d_model=512, encoder_layers=layers,
                          decoder_layers=layers, encoder_ffn_dim=2048, decoder_ffn_dim=2048, encoder_attention_heads=8,
                          decoder_attention_heads=8, activation_function="swish", scale_embedding=True,
                          max_position_embeddings=512, pad_token_id=pad, eos_token_id=0, bos_token_id=0,
                          decoder_start_token_id=pad, forced_eos_token_id=0)
    torch.manual_seed(1)
    model = MarianMTModel(config)
    with torch.no_grad():
        for name, p in model.named_parameters():
            # As base_model.cc: sums of products stay near 1. Normalisation and positions are what they are.
            if "norm" not in name and "embed_positions" not in name:
                bound = (3 / (p.shape[1] if p.dim() > 1 else 512)) ** 0.5
                p.uniform_(-bound, bound)
    return Peer(model, device)


def base(a):
    small = a.device == "cpu"
    peer = base_peer(a.device, 1 if small else 6)
    generator = torch.Generator().manual_seed(1)
    result = {}
    for beam in (BEAM, 1):
        options = GenerationConfig(
            num_beams=beam, early_stopping=beam > 1, min_new_tokens=TOKENS, max_new_tokens=TOKENS + 1, do_sample=False,
            bad_words_ids=[[peer.pad]], eos_token_id=0, forced_eos_token_id=0, bos_token_id=0, pad_token_id=peer.pad,
            decoder_start_token_id=peer.pad)

        def measure(size):
            ids = torch.randint(1, peer.pad, (size, TOKENS), generator=generator)
            ids[:, -1] = 0
            peer.generate(ids, torch.ones_like(ids), generation_config=options)
            tokens, seconds, runs = 0, 0.0, 0
            while runs == 0 or (seconds < a.seconds and runs < 5):
                out, took = peer.generate(ids, torch.ones_like(ids), generation_config=options)
                tokens, seconds, runs = tokens + peer.tokens(out), seconds + took, runs + 1
            if tokens != runs * size * TOKENS:
                sys.exit(f"{tokens} tokens of {runs} x {size} translations, expected {TOKENS} of each")
            return dict(rows=size * beam, seconds=seconds, texts=runs * size, texts_per_second=runs * size / seconds,
                        tokens_per_second=tokens / seconds)

        found, best = sweep((2, 4) if small else a.batches, measure)
        result[f"beam_{beam}"] = dict(sweep=found, best=best)
        if a.throughput:
            with open(a.throughput, encoding="utf-8") as f:
                rows = [row for row in json.load(f)["float16"] if row["beam"] == beam]
            dragoman = max(rows, key=lambda row: row["tokens_per_second"])
            result[f"beam_{beam}"].update(
                dragoman=dragoman, ratio=dragoman["tokens_per_second"] / best["tokens_per_second"])
    return result


def write(path, result):
    with open(path, "w", encoding="utf-8") as f:
        json.dump(result, f, indent=1)
        f.write("\n")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--json", required=True, help="where the result goes")
    p.add_argument("--dragomand", default="bin/dragomand")
    p.add_argument("--dragoman", default="bin/dragoman")
    p.add_argument("--model", default="deploy/models/de-en")
    p.add_argument("--input", default="tests/data/german.txt", help="source lines")
    p.add_argument("--throughput", help="JSON of gpu_bench throughput, from the same run")
    p.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
    p.add_argument("--texts", type=int, default=16384)
    p.add_argument("--limit", type=int, help="no more texts than these, and Dragoman translates them once")
    p.add_argument("--batches", type=int, nargs="+", default=[64, 128, 256, 512, 1024, 2048, 4096])
    p.add_argument("--seconds", type=float, default=3, help="for each batch size that is tried")
    a = p.parse_args()
    if a.device == "cuda" and not torch.cuda.is_available():
        print("skipped transformers: torch sees no GPU\n0 passed, 0 failed")
        return
    transformers.logging.set_verbosity_error()
    texts = make_texts(a.input, min(a.texts, a.limit or a.texts))
    result = dict(transformers=transformers.__version__, torch=torch.__version__,
                  device=torch.cuda.get_device_name() if a.device == "cuda" else "cpu", beam=BEAM)
    with tempfile.TemporaryDirectory() as folder:
        dragoman = ours(a, texts, folder)  # first: it takes most of the memory, and gives it back
    print(f"Dragoman: {json.dumps(dragoman)}", flush=True)
    peer = bundled(a, texts)
    speed, best = dragoman["texts_per_second"], peer["best"]
    result["bundled"] = dict(peer, dragoman=dragoman, ratio=speed / best["texts_per_second"],
                             ratio_text_to_text=speed * best["seconds"] / best["texts"],
                             tokens_per_text=[r["target_tokens"] / r["texts"] for r in (dragoman, best)])
    mine, theirs = result["bundled"]["tokens_per_text"]
    if abs(mine / theirs - 1) > 0.03:
        sys.exit(f"the work is not the same: {mine:.2f} and {theirs:.2f} target tokens a text")
    if a.device == "cuda":
        torch.cuda.empty_cache()
    write(a.json, result)  # what there is, should time run out
    result["base"] = base(a)
    write(a.json, result)
    print(f"bundled model: {result['bundled']['ratio']:.2f} of generate(), {result['bundled']['ratio_text_to_text']:.2f} "
          f"with its tokenizer")
    for name, row in result["base"].items():
        print(f"base shape, {name}: " + (f"{row['ratio']:.2f} of generate()" if "ratio" in row else "no throughput to compare"))
    print("1 passed, 0 failed")


if __name__ == "__main__":
    main()
