"""Parallel text as token ids: the vocabulary, and batches to train on."""
import itertools
import os
import random

import numpy as np
import sentencepiece as spm
import torch

MAX_TRAIN_TOKENS = 160  # longer examples are left out


class Vocab:
    """Ids as in OPUS-MT: </s> 0, <unk> 1, then the pieces, <pad> last."""

    def __init__(self, path):
        self.sp = spm.SentencePieceProcessor(model_file=path)
        pieces = [self.sp.id_to_piece(i) for i in range(self.sp.get_piece_size())]
        self.pieces = ["</s>", "<unk>"] + [p for p in pieces if p not in ("<unk>", "<s>", "</s>")] + ["<pad>"]
        self.ids = {p: i for i, p in enumerate(self.pieces)}
        self.pad = len(self.pieces) - 1
        self.of_sentencepiece = np.array([self.ids.get(p, 1) for p in pieces], np.int32)

    def encode(self, texts, sample=False, threads=1):
        """A list of int32 arrays, each with </s> at its end. With `sample` the segmentation is drawn."""
        options = dict(enable_sampling=True, nbest_size=-1, alpha=0.5) if sample else {}
        rows = self.sp.encode(texts, add_eos=True, num_threads=threads, **options)
        return [self.of_sentencepiece[row] for row in rows]

    def decode(self, ids):
        """The text of ids up to the first </s>."""
        return self.sp.decode([self.pieces[i] for i in itertools.takewhile(bool, ids) if i != 1])


def train_vocab(path, pairs, size):
    """One unigram model for both sides, at `path`, unless it is there already."""
    if os.path.exists(path):
        return
    text = path + ".txt"
    with open(text, "w", encoding="utf-8") as f:
        f.writelines(f"{a}\n{b}\n" for a, b in pairs)
    spm.SentencePieceTrainer.train(input=text, model_prefix=path + ".part", vocab_size=size - 1, model_type="unigram",
                                   character_coverage=0.9999, byte_fallback=False, split_digits=True,
                                   bos_id=1, eos_id=2, unk_id=0, minloglevel=2)
    os.remove(text)
    os.remove(path + ".part.vocab")
    os.replace(path + ".part.model", path)


def read_pairs(paths):
    pairs = []
    for path in paths:
        with open(path, encoding="utf-8", newline="\n") as f:
            for line in f:
                fields = line.rstrip("\n").split("\t")
                if len(fields) == 2 and fields[0] and fields[1]:
                    pairs.append((fields[0], fields[1]))
    return pairs


def padded(rows, pad):
    out = np.full((len(rows), max(map(len, rows))), pad, np.int32)
    for i, row in enumerate(rows):
        out[i, : len(row)] = row
    return torch.from_numpy(out)


def make_batches(examples, tokens, pad):
    """(sources [B, S], targets [B, T], number of target tokens) of `examples` in their order, at most `tokens` padded
    tokens a side."""
    out, start, width = [], 0, 0
    for end, (source, target) in enumerate(examples):
        width = max(width, len(source), len(target))
        if end > start and width * (end - start + 1) > tokens:
            out.append(examples[start:end])
            start, width = end, max(len(source), len(target))
    out.append(examples[start:])
    return [(padded([a for a, _ in batch], pad), padded([b for _, b in batch], pad), sum(len(b) for _, b in batch))
            for batch in out]


class Passes(torch.utils.data.IterableDataset):
    """Endless passes over the pairs: (number of the pass, and what make_batches gives). Each of the loader's workers
    shuffles the pass in the same way and takes its share of it, so that together they see every pair once.

    A tenth of the draws joins 2 to 4 pairs into one example, so that longer inputs are seen too; a few single ones lose
    their final punctuation. From the pass `sample_from` on three tenths of the sources are segmented at random."""

    def __init__(self, pairs, vocab, tokens, seed, first, sample_from):
        self.pairs, self.vocab, self.tokens = pairs, vocab, tokens
        self.seed, self.first, self.sample_from = seed, first, sample_from
        self.sources = vocab.encode([a for a, _ in pairs], threads=-1)
        self.targets = vocab.encode([b for _, b in pairs], threads=-1)

    def example(self, part, rng, sample):
        """The tokens of some pairs, by their indices. Pieces do not reach across blanks: joined texts have the tokens of
        their parts."""
        source, target, text = self.sources[part[-1]], self.targets[part[-1]], None
        if len(part) > 1:
            source = np.concatenate([self.sources[i][:-1] for i in part[:-1]] + [source])
            target = np.concatenate([self.targets[i][:-1] for i in part[:-1]] + [target])
        elif rng.random() < 0.04:
            a, b = self.pairs[part[0]]
            if a[-1] in ".!?" and b[-1] in ".!?" and len(a) > 1 and len(b) > 1:
                text = a[:-1]
                source, target = self.vocab.encode([text, b[:-1]])
        if sample and rng.random() < 0.3:
            text = text or " ".join(self.pairs[i][0] for i in part)
            source = self.vocab.encode([text], sample=True)[0]
        return source, target

    def examples(self, number, share, shares):
        """The share of one pass, by length."""
        order = np.random.default_rng([self.seed, number]).permutation(len(self.pairs))[share::shares].tolist()
        rng = random.Random(f"{self.seed} {number} {share}")
        out, at = [], 0
        while at < len(order):
            n = 1 if rng.random() < 0.9 else rng.randint(2, 4)
            example = self.example(order[at : at + n], rng, number >= self.sample_from)
            if max(map(len, example)) <= MAX_TRAIN_TOKENS:
                out.append(example)
            at += n
        out.sort(key=lambda e: (max(map(len, e)), len(e[1])))
        return out, rng

    def __iter__(self):
        worker = torch.utils.data.get_worker_info()
        share, shares = (worker.id, worker.num_workers) if worker else (0, 1)
        spm.set_random_generator_seed(self.seed + 1000 * self.first + share)
        for number in itertools.count(self.first):
            examples, rng = self.examples(number, share, shares)
            batches = make_batches(examples, self.tokens, self.vocab.pad)
            rng.shuffle(batches)
            for batch in batches:
                yield number, *batch
