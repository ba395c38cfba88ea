"""CTranslate2's process: text to text with a Hugging Face directory, of MarianMT or of NLLB, that CTranslate2's own converter
has converted.

Timed is everything from lines of text to lines of text: SentencePiece with the model's own files (by as many threads as the search), sorting by the number of source tokens, and the search (length_penalty 1, patience 1,
at most 256 tokens, CTranslate2's own limit, or as many as `forced` says, the language of the output not counted). Needs ctranslate2, sentencepiece; to convert
also transformers and torch.
"""
import concurrent.futures
import json
import os
import time

import ctranslate2
import sentencepiece

import daemon
from peers import worker
from peers.texts import read

LINES_PER_TASK = 256  # of one SentencePiece call


class Tokenizer:
    """SentencePiece on both sides by `threads` threads. Pieces that vocab.json lacks become <unk>, as in the engine.
    `languages`: source and target of a model that is told both, and has no vocab.json."""

    def __init__(self, model, threads, languages):
        names = ("sentencepiece.bpe.model",) * 2 if languages else ("source.spm", "target.spm")
        self.source, self.target = (
            sentencepiece.SentencePieceProcessor(model_file=os.path.join(model, name)) for name in names)
        self.begin, self.special = list(languages[:1]), {"</s>", "<unk>", *languages}
        if languages:
            self.vocab = {self.source.id_to_piece(i) for i in range(self.source.get_piece_size())}
        else:
            with open(os.path.join(model, "vocab.json"), encoding="utf-8") as f:
                self.vocab = set(json.load(f))
        self.pool = concurrent.futures.ThreadPoolExecutor(threads)

    def encode_chunk(self, lines):
        # The converted model appends nothing: </s> is the caller's.
        return [self.begin + [p if p in self.vocab else "<unk>" for p in pieces] + ["</s>"]
                for pieces in self.source.encode(lines, out_type=str, num_threads=1)]

    def decode_chunk(self, rows):
        return self.target.decode([[p for p in row if p not in self.special] for row in rows], num_threads=1)

    def run(self, function, items):
        chunks = [items[i : i + LINES_PER_TASK] for i in range(0, len(items), LINES_PER_TASK)]
        return [row for part in self.pool.map(function, chunks) for row in part]


class Opened:
    """A converted model with so many threads."""

    def __init__(self, model, converted, compute_type, inter, intra, languages, device):
        self.languages = languages
        self.tokenizer = Tokenizer(model, inter * intra, languages)
        kind, _, index = device.partition(":")
        self.translator = ctranslate2.Translator(converted, device=kind, device_index=int(index or 0), compute_type=compute_type,
                                                 inter_threads=inter, intra_threads=intra)

    def translate(self, lines, batch, beam, forced):
        """(translations in the order of `lines`, source tokens, target tokens, seconds of the search alone); EOS and languages
        are not counted."""
        limits = dict(min_decoding_length=forced, max_decoding_length=forced) if forced else dict(max_decoding_length=256)
        rows = self.tokenizer.run(self.tokenizer.encode_chunk, lines)
        order = sorted(range(len(rows)), key=lambda i: -len(rows[i]))
        if self.languages:  # which count to the lengths
            limits = {name: length + 1 for name, length in limits.items()}
            limits["target_prefix"] = [[self.languages[1]]] * len(rows)
        began = time.perf_counter()
        results = self.translator.translate_batch(
            [rows[i] for i in order], max_batch_size=batch, batch_type="examples", beam_size=beam, length_penalty=1,
            patience=1, num_hypotheses=1, **limits)
        seconds = time.perf_counter() - began
        pieces = [None] * len(rows)
        for i, result in zip(order, results):
            pieces[i] = result.hypotheses[0]
        texts = self.tokenizer.run(self.tokenizer.decode_chunk, pieces)
        ends = {"</s>", *self.languages}
        source, target = (sum(p not in ends for row in rows for p in row) for rows in (rows, pieces))
        return texts, source, target, seconds


class Commands:
    def __init__(self):
        self.opened = None

    def about(self):
        return dict(version=ctranslate2.__version__, types=sorted(ctranslate2.get_supported_compute_types("cpu")))

    def convert(self, model, out, quantization):
        ctranslate2.converters.TransformersConverter(model).convert(out, quantization=quantization)

    def open(self, model, converted, compute_type, inter, intra, languages, device):
        self.opened = None  # gives its memory back first
        self.opened = Opened(model, converted, compute_type, inter, intra, languages, device)
        return self.opened.translator.compute_type

    def throughput(self, path, batch, beam, forced):
        lines = read(path)
        began = time.perf_counter()
        _, source, target, search = self.opened.translate(lines, batch, beam, forced)
        return dict(texts=len(lines), seconds=time.perf_counter() - began, search_seconds=search, source_tokens=source,
                    target_tokens=target)

    def lone(self, path, calls, beam, forced):
        """The milliseconds of each call with one line."""
        line, times = read(path)[:1], []
        for _ in range(calls):
            began = time.perf_counter()
            self.opened.translate(line, 1, beam, forced)
            times.append((time.perf_counter() - began) * 1e3)
        return times

    def translations(self, path, batch, beam, forced):
        """In batches of lines as they come, not sorted: who shares a batch is the file's doing."""
        lines, texts = read(path), []
        for i in range(0, len(lines), batch):
            texts += self.opened.translate(lines[i : i + batch], batch, beam, forced)[0]
        return texts

    def memory(self):
        return daemon.memory_mib("self")


if __name__ == "__main__":
    worker.serve(Commands())
