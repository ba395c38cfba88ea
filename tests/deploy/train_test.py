#!/usr/bin/env python3
"""The recipe of the bundled model (deploy/models/de-en): what it exports is what it trained, batches hold what they should, a
run that was stopped goes on where it was. On a toy language; a minute or two on one core.

    .venv/bin/python tests/deploy/train_test.py

Needs the packages of tests/parity/requirements.txt; not part of tests/run.sh.
"""
import collections
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import torch
from transformers import MarianMTModel, MarianTokenizer

RECIPE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../deploy/models/de-en")
sys.path.insert(0, RECIPE)

import corpus  # noqa: E402
import marian  # noqa: E402

WORDS = dict(eins="one", zwei="two", drei="three", vier="four", fünf="five", sechs="six", sieben="seven", acht="eight",
             neun="nine", zehn="ten", Hund="dog", Katze="cat", Haus="house", Baum="tree", rot="red", grün="green")
VOCAB = 60


def make_pairs(count, seed):
    rng = random.Random(seed)
    words = [rng.choices(list(WORDS), k=rng.randint(1, 9)) for _ in range(count)]
    return [(" ".join(w) + ".", " ".join(WORDS[x] for x in w) + ".") for w in words]


def write_pairs(path, pairs):
    with open(path, "w", encoding="utf-8") as f:
        f.writelines(f"{a}\t{b}\n" for a, b in pairs)


class Recipe(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        torch.set_num_threads(1)
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        cls.pairs = make_pairs(2000, 1)
        cls.train, cls.dev, cls.spm = (os.path.join(cls.folder, n) for n in ("train.tsv", "dev.tsv", "joint.spm"))
        write_pairs(cls.train, cls.pairs)
        write_pairs(cls.dev, make_pairs(40, 2))
        corpus.train_vocab(cls.spm, cls.pairs, VOCAB)
        cls.vocab = corpus.Vocab(cls.spm)

    def run_script(self, script, *arguments, stop_after=None):
        """The lines that it prints; it is told to end after the first that contains `stop_after`."""
        process = subprocess.Popen([sys.executable, os.path.join(RECIPE, script), *arguments, "--device", "cpu"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env=dict(os.environ, OMP_NUM_THREADS="1"))
        lines = []
        for line in process.stdout:
            lines.append(line.rstrip("\n"))
            if stop_after and stop_after in line:
                process.send_signal(signal.SIGTERM)
        errors = process.stderr.read()
        process.stderr.close()
        process.stdout.close()
        self.assertEqual(process.wait(), 0, errors)
        return lines

    def train_lines(self, out, *arguments, **options):
        return self.run_script("train.py", "--train", self.train, "--dev", self.dev, "--out", os.path.join(self.folder, out),
                               "--vocab", str(VOCAB), "--tokens", "600", "--encoder-layers", "1", "--warmup", "40",
                               "--evaluations", "2", *arguments, **options)

    def passes(self, **options):
        options = dict(tokens=300, seed=3, first=0, sample_from=99) | options
        return corpus.Passes(self.pairs, self.vocab, **options)

    def test_vocabulary_is_that_of_opus_mt(self):
        self.assertEqual(self.vocab.pieces[:2], ["</s>", "<unk>"])
        self.assertEqual(self.vocab.pieces[-1], "<pad>")
        ids = self.vocab.encode([self.pairs[0][0]])[0]
        self.assertEqual([self.vocab.pieces[i] for i in ids],
                         self.vocab.sp.encode(self.pairs[0][0], out_type=str) + ["</s>"])
        self.assertEqual(self.vocab.decode(ids), self.pairs[0][0])
        self.assertEqual(self.vocab.decode(ids[:-1].tolist() + [0, 5, 5]), self.pairs[0][0])

    def test_joined_pairs_have_the_tokens_of_their_text(self):
        source, target = self.passes().example([3, 1, 4], random.Random(1), sample=False)
        for ids, side in ((source, 0), (target, 1)):
            expected = self.vocab.encode([" ".join(self.pairs[i][side] for i in (3, 1, 4))])[0]
            np.testing.assert_array_equal(ids, expected)

    def test_shares_of_a_pass_hold_every_pair_once(self):
        words = collections.Counter()
        for share in range(3):
            for source, _ in self.passes().examples(5, share, 3)[0]:
                words.update(re.findall(r"\w+", self.vocab.decode(source)))
        self.assertEqual(words, collections.Counter(w for a, _ in self.pairs for w in re.findall(r"\w+", a)))

    def test_batches_are_within_their_size_and_hold_every_example(self):
        examples, _ = self.passes().examples(0, 0, 1)
        batches = corpus.make_batches(examples, 300, self.vocab.pad)
        rows = [([i for i in a if i != self.vocab.pad], [i for i in b if i != self.vocab.pad])
                for source, target, _ in batches for a, b in zip(source.tolist(), target.tolist())]
        self.assertEqual(rows, [(a.tolist(), b.tolist()) for a, b in examples])
        for source, target, tokens in batches:
            self.assertLessEqual(max(source.numel(), target.numel()), 300)
            self.assertEqual(tokens, int((target != self.vocab.pad).sum()))
        self.assertGreater(sum(n for _, _, n in batches) / sum(t.numel() for _, t, _ in batches), 0.8)

    def test_sampled_segmentations_are_of_the_same_text(self):
        passes = self.passes()
        plain, drawn = (passes.example([i], random.Random(1), sample) for i in (7,) for sample in (False, True))
        draws = {tuple(passes.example([7], random.Random(n), True)[0].tolist()) for n in range(200)}
        self.assertGreater(len(draws), 1)
        self.assertEqual({self.vocab.decode(d).rstrip(".") for d in draws}, {self.vocab.decode(plain[0]).rstrip(".")})
        np.testing.assert_array_equal(drawn[1], plain[1])

    def test_exported_model_computes_the_same(self):
        torch.manual_seed(1)
        model = marian.Marian(marian.Shape(64, 128, 2, 2, 2), len(self.vocab.pieces), 0.1).eval()
        with torch.no_grad():
            for p in model.parameters():
                p.add_(torch.randn_like(p) * 0.2)
                p.copy_(p.half().float())  # what the file holds
            model.shared.weight[model.pad] = model.bias[model.pad] = 0
        out = os.path.join(self.folder, "exported")
        marian.export(out, self.spm, self.vocab.ids, model.shape, dict(model.named_parameters()))
        peer = MarianMTModel.from_pretrained(out, dtype=torch.float32).eval()
        texts = [a for a, _ in self.pairs[:8]]
        source = corpus.padded(self.vocab.encode(texts), self.vocab.pad).long()
        tokenized = MarianTokenizer.from_pretrained(out)(texts, return_tensors="pt", padding=True)
        torch.testing.assert_close(source, tokenized.input_ids)
        target = corpus.padded(self.vocab.encode([b for _, b in self.pairs[:8]]), self.vocab.pad).long()
        with torch.no_grad():
            loss = model.loss_sum(source, target, 0.0)
            labels = target.masked_fill(target == model.pad, -100)
            expected = peer(**tokenized, labels=labels).loss * (labels != -100).sum()
            torch.testing.assert_close(loss, expected, rtol=1e-5, atol=1e-4)
            limit = 2 * source.shape[1] + 10
            ids = peer.generate(**tokenized, num_beams=1, do_sample=False, max_new_tokens=limit)
        # generate() makes the last token that it may give an </s>.
        for ours, theirs in zip(model.greedy(source).tolist(), ids[:, 1:].tolist()):
            self.assertEqual(self.vocab.decode(ours[: limit - 1]), self.vocab.decode(theirs[: limit - 1]))

    def test_a_stopped_run_goes_on_and_learns(self):
        options = ("--updates", "400", "--lr", "2e-3")
        first = self.train_lines("resumed", *options, stop_after="update 100 ")
        stopped = int(re.fullmatch(r"interrupted: checkpoint at update (\d+)", first[-1])[1])
        self.assertTrue(os.path.exists(os.path.join(self.folder, "resumed/model/model.safetensors")))
        second = self.train_lines("resumed", *options)
        update, rate = re.fullmatch(r"resumed at update (\d+), learning rate (\S+)", second[0]).groups()
        self.assertEqual(int(update), stopped)
        self.assertAlmostEqual(float(rate), 2e-3 * min(1.0, (1 - stopped / 400) / 0.7), delta=2e-6)
        losses = [float(m[1]) for m in (re.search(r"loss (\S+)", line) for line in first + second) if m]
        self.assertLess(losses[-1], losses[0] - 0.5)
        updates, bleu = re.fullmatch(r"(\d+) updates in \d+ s, best dev BLEU (\S+)", second[-1]).groups()
        self.assertEqual(updates, "400")
        self.assertGreater(float(bleu), 50)

        model, out = os.path.join(self.folder, "resumed/model"), os.path.join(self.folder, "distilled.tsv")
        arguments = (model, self.dev, "--out", out, "--rows", "64")
        self.run_script("distil.py", *arguments)
        with open(out, encoding="utf-8") as f:
            whole = f.read()
        with open(out, "w", encoding="utf-8") as f:
            f.write(whole[: len(whole) // 2])  # cut off within a line
        self.run_script("distil.py", *arguments)
        with open(out, encoding="utf-8") as f:
            self.assertEqual(f.read(), whole)
        rows = dict(line.split("\t") for line in whole.splitlines())
        dev = dict(corpus.read_pairs([self.dev]))
        self.assertEqual(set(rows), set(dev))
        self.assertGreater(sum(rows[a] == dev[a] for a in dev), len(dev) / 3)

    def test_ends_on_time(self):
        lines = self.train_lines("timed", "--minutes", "0.5")
        seconds = int(re.fullmatch(r"\d+ updates in (\d+) s, best dev BLEU \S+", lines[-1])[1])
        self.assertGreaterEqual(seconds, 30)
        self.assertLess(seconds, 60)
        self.assertEqual(sum("dev perplexity" in line for line in lines), 2)


if __name__ == "__main__":
    unittest.main()
