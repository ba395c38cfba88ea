#!/usr/bin/env python3
"""Trains a German-English translation model in the MarianMT architecture and writes it as a Hugging Face MarianMT
directory: config.json, generation_config.json, model.safetensors (F16), source.spm, target.spm, vocab.json,
tokenizer_config.json.

    train.py --train A.tsv B.tsv --dev DEV.tsv --out DIR [--updates 11400] [--minutes M] [--device auto|cpu|cuda]

Text is one pair per line, German TAB English. The training ends after --updates or --minutes (start-up included), whichever
comes first, and the learning rate follows whichever is nearer to its end. At --evaluations points on the way DEV is
translated greedily by the running average of the weights; DIR/model is the average that had the best BLEU there, and
DIR/checkpoint.pt what is needed to go on. An interrupted run (Ctrl-C, SIGTERM) writes its checkpoint too, and the same
command takes it up again: weights, optimiser, average, updates, minutes and with them the learning rate. The pass over the
data that was cut off is then begun anew.
Needs torch, sentencepiece, safetensors, sacrebleu, numpy (pins: tests/parity/requirements.txt).
"""
import argparse
import contextlib
import math
import os
import signal
import sys
import time

BEGAN = time.monotonic()  # ahead of imports that take seconds

import sacrebleu
import torch
from torch import nn

from corpus import Passes, Vocab, make_batches, read_pairs, train_vocab
from marian import SIZES, Marian, Shape, export


class Trainer:
    """The model, its optimiser and its running average, with the checkpoint they are kept in."""

    def __init__(self, args, vocab, device):
        self.args, self.vocab, self.device = args, vocab, device
        self.model = Marian(shape_of(args), len(vocab.pieces), args.dropout).to(device)
        self.weights = list(self.model.parameters())
        self.optimizer = torch.optim.Adam(self.weights, lr=args.lr, betas=(0.9, 0.98), eps=1e-9, fused=device == "cuda")
        self.average = [p.detach().clone() for p in self.weights]
        self.updates, self.passes, self.seconds_before, self.best = 0, 0, 0.0, -1.0
        self.path = os.path.join(args.out, "checkpoint.pt")
        if os.path.exists(self.path):
            saved = torch.load(self.path, map_location=device, weights_only=True)
            self.model.load_state_dict(saved["model"])
            self.optimizer.load_state_dict(saved["optimizer"])
            self.average, self.updates, self.passes = saved["average"], saved["updates"], saved["passes"]
            self.seconds_before, self.best = saved["seconds"], saved["best"]
            print(f"resumed at update {self.updates}, learning rate {self.learning_rate():.3g}", flush=True)

    def seconds(self):
        return self.seconds_before + time.monotonic() - BEGAN

    def progress(self):
        """Share of the training that is done, by updates or by the clock."""
        by_time = self.seconds() / (60 * self.args.minutes) if self.args.minutes else 0.0
        return max(self.updates / self.args.updates if self.args.updates else 0.0, by_time)

    def learning_rate(self):
        warm = min(1.0, (self.updates + 1) / self.args.warmup)
        return self.args.lr * warm * min(1.0, max((1 - self.progress()) / 0.7, 0.01))

    def autocast(self):
        return torch.autocast(self.device, torch.bfloat16)

    def to_device(self, ids):
        return ids.to(self.device, non_blocking=True).long()

    def update(self, source, target, tokens):
        """One step of the optimiser; returns the summed loss, still on its way on the device: nothing here waits."""
        for group in self.optimizer.param_groups:
            group["lr"] = self.learning_rate()
        with self.autocast():
            loss = self.model.loss_sum(self.to_device(source), self.to_device(target), self.args.smoothing)
        self.optimizer.zero_grad(set_to_none=True)
        (loss / tokens).backward()
        # The start token's embedding and bias stay zero, as in OPUS-MT.
        self.model.shared.weight.grad[self.model.pad].zero_()
        self.model.bias.grad[self.model.pad].zero_()
        nn.utils.clip_grad_norm_(self.weights, 1.0)
        self.optimizer.step()
        self.updates += 1
        if self.updates % 4 == 0:
            decay = min(0.998, (1 + self.updates) / (40 + self.updates))
            with torch.no_grad():
                torch._foreach_lerp_(self.average, self.weights, 1 - decay)
        return loss.detach()

    @contextlib.contextmanager
    def averaged(self):
        """The model with its averaged weights, for evaluation."""
        live = [p.detach().clone() for p in self.weights]
        self.model.eval()
        with torch.no_grad(), self.autocast():
            torch._foreach_copy_(self.weights, self.average)
            yield self.model
            torch._foreach_copy_(self.weights, live)
        self.model.train()

    def evaluate(self, batches, references):
        """(perplexity, BLEU of greedy translations), both of the average. `batches` hold the references in order."""
        loss, tokens, ids = 0.0, 0, []
        with self.averaged() as model:
            for source, target, n in batches:
                source, target = self.to_device(source), self.to_device(target)
                loss += float(model.loss_sum(source, target, 0.0))
                tokens += n
                ids += model.greedy(source).tolist()
        bleu = sacrebleu.corpus_bleu([self.vocab.decode(row) for row in ids], [references])
        return math.exp(loss / tokens), bleu.score

    def save(self):
        state = dict(model=self.model.state_dict(), optimizer=self.optimizer.state_dict(), average=self.average,
                     updates=self.updates, passes=self.passes, seconds=self.seconds(), best=self.best)
        torch.save(state, self.path + ".part")
        os.replace(self.path + ".part", self.path)

    def export(self, spm_path):
        names = [name for name, _ in self.model.named_parameters()]
        export(os.path.join(self.args.out, "model"), spm_path, self.vocab.ids, self.model.shape,
               dict(zip(names, self.average)))


def shape_of(args):
    shape = SIZES[args.size]
    return Shape(shape.d_model, shape.ffn, shape.heads, args.encoder_layers or shape.encoder_layers,
                 shape.decoder_layers)


def prepare_worker(_):
    torch.set_num_threads(1)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # the main process heeds them and ends its workers


def parse_args():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--train", nargs="+", required=True, help="pairs to train on, German TAB English")
    p.add_argument("--dev", required=True, help="pairs for the BLEU by which the model is chosen")
    p.add_argument("--out", required=True, help="folder of the checkpoint, the vocabulary (joint.spm) and the model")
    p.add_argument("--updates", type=int, help="length of the training (default 11400; without end if --minutes is given)")
    p.add_argument("--minutes", type=float, help="longest time, all runs that were resumed taken together")
    p.add_argument("--evaluations", type=int, default=8, help="evaluations and checkpoints, in equal distances")
    p.add_argument("--device", default="auto", choices=["auto", "cpu", "cuda"])
    p.add_argument("--size", default="small", choices=SIZES)
    p.add_argument("--encoder-layers", type=int, help="another number of them than the size has")
    p.add_argument("--vocab", type=int, default=6000, help="size of the vocabulary asked of SentencePiece")
    p.add_argument("--tokens", type=int, default=4000, help="padded tokens in a batch, per side")
    p.add_argument("--lr", type=float, default=7e-4, help="highest learning rate")
    p.add_argument("--warmup", type=int, default=1000, help="updates of linear warm-up")
    p.add_argument("--dropout", type=float, default=0.1)
    p.add_argument("--smoothing", type=float, default=0.1, help="label smoothing")
    p.add_argument("--sample-from", type=int, default=4, help="passes before sources' segmentations are sampled")
    p.add_argument("--workers", type=int, default=max(1, min(12, (os.cpu_count() or 1) - 3)),
                   help="processes that make batches")
    p.add_argument("--seed", type=int, default=1)
    a = p.parse_args()
    if a.updates is None and a.minutes is None:
        a.updates = 11400
    return a


def main():
    a = parse_args()
    device = ("cuda" if torch.cuda.is_available() else "cpu") if a.device == "auto" else a.device
    os.makedirs(a.out, exist_ok=True)
    pairs = read_pairs(a.train)
    if len(pairs) < a.workers:
        sys.exit(f"{len(pairs)} pairs in {' '.join(a.train)}, expected at least one for each of {a.workers} workers")
    spm_path = os.path.join(a.out, "joint.spm")
    train_vocab(spm_path, pairs, a.vocab)
    vocab = Vocab(spm_path)
    torch.manual_seed(a.seed)
    if device == "cuda":
        torch.backends.cuda.enable_cudnn_sdp(False)  # it plans anew for every shape of a batch
    else:
        torch.backends.cuda.enable_flash_sdp(False)  # holds for CPUs too: slower there than plain products on short rows
    trainer = Trainer(a, vocab, device)
    size = sum(p.numel() for p in trainer.weights) / 1e6
    print(f"{size:.2f}M parameters, {len(pairs)} pairs, vocabulary {len(vocab.pieces)}, {device}", flush=True)

    dev = read_pairs([a.dev])
    examples = zip(vocab.encode([s for s, _ in dev]), vocab.encode([t for _, t in dev]), (t for _, t in dev))
    examples = sorted(examples, key=lambda e: (len(e[1]), len(e[0])))
    references = [e[2] for e in examples]
    dev_batches = make_batches([e[:2] for e in examples], a.tokens, vocab.pad)

    def evaluate():
        perplexity, bleu = trainer.evaluate(dev_batches, references)
        print(f"update {trainer.updates} pass {trainer.passes} dev perplexity {perplexity:.3f} BLEU {bleu:.2f}", flush=True)
        if bleu > trainer.best:
            trainer.best = bleu
            trainer.export(spm_path)
        trainer.save()

    stop = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda n, _: stop.append(n))  # heeded after the update that is running
    passes = Passes(pairs, vocab, a.tokens, a.seed, trainer.passes, a.sample_from)
    loader = torch.utils.data.DataLoader(passes, batch_size=None, num_workers=a.workers, pin_memory=device == "cuda",
                                         prefetch_factor=8, worker_init_fn=prepare_worker)
    trainer.model.train()
    print(f"{trainer.seconds():.0f} s before the first update", flush=True)
    last, tokens, loss = time.monotonic(), 0, torch.zeros((), device=device)
    evaluated = int(trainer.progress() * a.evaluations)
    for trainer.passes, source, target, n in loader:
        if trainer.progress() >= 1 or stop:
            break
        loss += trainer.update(source, target, n)
        tokens += n
        if trainer.updates % 100 == 0:
            mean = float(loss) / tokens  # waits for the device
            speed = tokens / (time.monotonic() - last)
            print(f"update {trainer.updates} loss {mean:.3f} {speed:.0f} target tokens/s", flush=True)
            last, tokens, loss = time.monotonic(), 0, torch.zeros((), device=device)
        if evaluated < int(trainer.progress() * a.evaluations) < a.evaluations:
            evaluated = int(trainer.progress() * a.evaluations)
            began = time.monotonic()
            evaluate()
            last += time.monotonic() - began
    if stop:
        if trainer.best < 0:
            trainer.export(spm_path)
        trainer.save()
        print(f"interrupted: checkpoint at update {trainer.updates}", flush=True)
        return
    evaluate()
    print(f"{trainer.updates} updates in {trainer.seconds():.0f} s, best dev BLEU {trainer.best:.2f}", flush=True)


if __name__ == "__main__":
    main()
