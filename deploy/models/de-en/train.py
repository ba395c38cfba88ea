#!/usr/bin/env python3
"""Trains a small German-English translation model in the MarianMT architecture and writes it as a Hugging Face
MarianMT directory: config.json, generation_config.json, model.safetensors (F16), source.spm, target.spm, vocab.json,
tokenizer_config.json.

    train.py --train A.tsv B.tsv --dev DEV.tsv --out DIR [--updates 11400] [--device auto|cpu|cuda]

Text is one pair per line, German TAB English. DIR/model is written, and DIR/checkpoint.pt with it, at every evaluation,
at the end, and when the run is interrupted (Ctrl-C, SIGTERM). The same command takes the checkpoint up again: weights,
optimiser, average, number of updates and with it the learning rate. The data are then shuffled afresh.
Needs torch, sentencepiece, safetensors, numpy (pins: tests/parity/requirements.txt).
"""
import argparse
import json
import math
import os
import random
import shutil
import signal
import time

import numpy as np
import sentencepiece as spm
import torch
import torch.nn.functional as F
from safetensors.torch import save_file
from torch import nn

D_MODEL, FFN, HEADS, ENCODER_LAYERS, DECODER_LAYERS = 256, 1024, 4, 4, 2
MAX_POSITIONS = 512
MAX_TRAIN_TOKENS = 160  # longer examples are left out


def sinusoid(n, d):
    """Marian's layout, [all sines | all cosines], with the frequencies of Hugging Face."""
    angle = np.arange(n)[:, None] / np.power(10000, 2 * (np.arange(d) // 2) / d)[None, :]
    return torch.tensor(np.concatenate([np.sin(angle[:, 0::2]), np.cos(angle[:, 1::2])], 1), dtype=torch.float32)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(D_MODEL, D_MODEL) for _ in range(4))

    def forward(self, x, memory, bias):
        b, t, _ = x.shape
        s, h = memory.shape[1], D_MODEL // HEADS
        q = self.q_proj(x).view(b, t, HEADS, h).transpose(1, 2) * h**-0.5
        k = self.k_proj(memory).view(b, s, HEADS, h).transpose(1, 2)
        v = self.v_proj(memory).view(b, s, HEADS, h).transpose(1, 2)
        w = torch.softmax((q @ k.transpose(2, 3)).float() + bias, -1).to(v.dtype)
        return self.out_proj((w @ v).transpose(1, 2).reshape(b, t, D_MODEL))


class Layer(nn.Module):
    """Post-norm: the normalisation follows the residual sum."""

    def __init__(self, dropout, cross):
        super().__init__()
        self.self_attn = Attention()
        self.self_attn_layer_norm = nn.LayerNorm(D_MODEL)
        if cross:
            self.encoder_attn = Attention()
            self.encoder_attn_layer_norm = nn.LayerNorm(D_MODEL)
        self.fc1, self.fc2 = nn.Linear(D_MODEL, FFN), nn.Linear(FFN, D_MODEL)
        self.final_layer_norm = nn.LayerNorm(D_MODEL)
        self.cross, self.dropout = cross, dropout

    def drop(self, x):
        return F.dropout(x, self.dropout, self.training)

    def forward(self, x, bias, memory=None, memory_bias=None):
        x = self.self_attn_layer_norm(x + self.drop(self.self_attn(x, x, bias)))
        if self.cross:
            x = self.encoder_attn_layer_norm(x + self.drop(self.encoder_attn(x, memory, memory_bias)))
        return self.final_layer_norm(x + self.drop(self.fc2(F.silu(self.fc1(x)))))


class Marian(nn.Module):
    """Embeddings of both sides and the output layer share one matrix; <pad>, the last id, is the start token."""

    def __init__(self, vocab_size, dropout):
        super().__init__()
        self.pad, self.dropout = vocab_size - 1, dropout
        self.shared = nn.Embedding(vocab_size, D_MODEL, padding_idx=self.pad)
        self.encoder = nn.ModuleList(Layer(dropout, False) for _ in range(ENCODER_LAYERS))
        self.decoder = nn.ModuleList(Layer(dropout, True) for _ in range(DECODER_LAYERS))
        self.bias = nn.Parameter(torch.zeros(vocab_size))
        self.register_buffer("positions", sinusoid(MAX_POSITIONS, D_MODEL), persistent=False)
        for name, p in self.named_parameters():
            if p.dim() > 1:
                nn.init.xavier_uniform_(p, gain=0.7 if "_proj" in name and "out" not in name else 1.0)
            elif name.endswith("bias"):
                nn.init.zeros_(p)
        nn.init.normal_(self.shared.weight, std=D_MODEL**-0.5)
        with torch.no_grad():
            self.shared.weight[self.pad].zero_()

    def embed(self, ids):
        x = self.shared(ids) * D_MODEL**0.5 + self.positions[: ids.shape[1]]
        return F.dropout(x, self.dropout, self.training)

    def encode(self, source):
        bias = torch.zeros(source.shape, device=source.device).masked_fill(source == self.pad, -1e9)[:, None, None, :]
        x = self.embed(source)
        for layer in self.encoder:
            x = layer(x, bias)
        return x, bias

    def decode(self, target, memory, memory_bias):
        t = target.shape[1]
        bias = torch.full((t, t), -1e9, device=target.device).triu(1)[None, None]
        x = self.embed(target)
        for layer in self.decoder:
            x = layer(x, bias, memory, memory_bias)
        return x

    def logits(self, x):
        return F.linear(x, self.shared.weight) + self.bias


class Vocab:
    """Ids as in OPUS-MT: </s> 0, <unk> 1, then the pieces, <pad> last."""

    def __init__(self, path):
        self.sp = spm.SentencePieceProcessor(model_file=path)
        pieces = [self.sp.id_to_piece(i) for i in range(self.sp.get_piece_size())]
        self.pieces = ["</s>", "<unk>"] + [p for p in pieces if p not in ("<unk>", "<s>", "</s>")] + ["<pad>"]
        self.ids = {p: i for i, p in enumerate(self.pieces)}

    def encode(self, text, sample=False):
        options = dict(enable_sampling=True, nbest_size=-1, alpha=0.5) if sample else {}
        return [self.ids.get(p, 1) for p in self.sp.encode(text, out_type=str, **options)] + [0]


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
        with open(path, encoding="utf-8") as f:
            for line in f:
                fields = line.rstrip("\n").split("\t")
                if len(fields) == 2 and fields[0] and fields[1]:
                    pairs.append((fields[0], fields[1]))
    return pairs


def joined_pairs(pairs, rng):
    """One pass over the data. A tenth of the draws joins 2 to 4 pairs into one example, so that longer inputs are seen
    too; a few single ones lose their final punctuation."""
    order = pairs[:]
    rng.shuffle(order)
    i = 0
    while i < len(order):
        n = 1 if rng.random() < 0.9 else rng.randint(2, 4)
        part = order[i : i + n]
        i += n
        source, target = " ".join(p[0] for p in part), " ".join(p[1] for p in part)
        if n == 1 and rng.random() < 0.04 and source[-1] in ".!?" and target[-1] in ".!?":
            source, target = source[:-1], target[:-1]
        yield source, target


def make_batches(pairs, vocab, rng, tokens, regularise=0.0):
    """Batches of examples of like length, at most `tokens` padded tokens a side, in random order. `regularise` is the
    share of sources whose segmentation is sampled."""
    examples = [(vocab.encode(a, rng.random() < regularise), vocab.encode(b)) for a, b in pairs]
    examples = [e for e in examples if max(len(e[0]), len(e[1])) <= MAX_TRAIN_TOKENS]
    examples.sort(key=lambda e: (len(e[1]) + rng.random(), len(e[0])))
    out, batch, width = [], [], 0
    for e in examples:
        width = max(width, len(e[0]), len(e[1]))
        if batch and width * (len(batch) + 1) > tokens:
            out.append(batch)
            batch, width = [], max(len(e[0]), len(e[1]))
        batch.append(e)
    if batch:
        out.append(batch)
    rng.shuffle(out)
    return out


def loss_sum(model, batch, smoothing, device):
    """(summed loss, number of target tokens) of one batch."""
    source = torch.full((len(batch), max(len(a) for a, _ in batch)), model.pad)
    target = torch.full((len(batch), max(len(b) for _, b in batch)), model.pad)
    for i, (a, b) in enumerate(batch):
        source[i, : len(a)] = torch.tensor(a)
        target[i, : len(b)] = torch.tensor(b)
    source, target = source.to(device), target.to(device)
    shifted = torch.cat([torch.full_like(target[:, :1], model.pad), target[:, :-1]], 1)
    memory, memory_bias = model.encode(source)
    x = model.decode(shifted, memory, memory_bias)
    keep = target != model.pad
    logp = torch.log_softmax(model.logits(x[keep]).float(), -1)
    loss = -logp.gather(1, target[keep][:, None]).sum()
    if smoothing:
        loss = (1 - smoothing) * loss - smoothing * logp.mean(-1).sum()
    return loss, int(keep.sum())


def write_json(path, value, **options):
    with open(path, "w", encoding="utf-8") as f:
        json.dump(value, f, **options)


def export(out, spm_path, vocab, weights):
    """Writes the Hugging Face directory `out`."""
    os.makedirs(out, exist_ok=True)
    size, pad = len(vocab.pieces), len(vocab.pieces) - 1
    state = {"model.shared.weight": weights["shared.weight"], "final_logits_bias": weights["bias"][None]}
    for name, w in weights.items():
        if name.startswith(("encoder.", "decoder.")):
            side, rest = name.split(".", 1)
            state[f"model.{side}.layers.{rest}"] = w
    state = {k: v.detach().to("cpu", torch.float16).contiguous() for k, v in state.items()}
    weights_path = os.path.join(out, "model.safetensors")
    save_file(state, weights_path + ".part", metadata={"format": "pt"})
    os.chmod(weights_path + ".part", 0o644)  # safetensors makes it readable for its owner only
    os.replace(weights_path + ".part", weights_path)
    ids = dict(bos_token_id=0, eos_token_id=0, pad_token_id=pad, decoder_start_token_id=pad, forced_eos_token_id=0)
    config = dict(architectures=["MarianMTModel"], model_type="marian", torch_dtype="float16", vocab_size=size,
                  decoder_vocab_size=size, d_model=D_MODEL, encoder_layers=ENCODER_LAYERS,
                  decoder_layers=DECODER_LAYERS, encoder_ffn_dim=FFN, decoder_ffn_dim=FFN,
                  encoder_attention_heads=HEADS, decoder_attention_heads=HEADS, activation_function="swish",
                  scale_embedding=True, static_position_embeddings=True, share_encoder_decoder_embeddings=True,
                  tie_word_embeddings=True, normalize_before=False, normalize_embedding=False,
                  add_final_layer_norm=False, max_position_embeddings=MAX_POSITIONS, max_length=MAX_POSITIONS,
                  num_beams=4, is_encoder_decoder=True, use_cache=True, dropout=0.1, attention_dropout=0.0,
                  activation_dropout=0.0, init_std=0.02, **ids)
    generation = dict(num_beams=4, max_length=MAX_POSITIONS, bad_words_ids=[[pad]], renormalize_logits=False, **ids)
    tokenizer = dict(source_lang="de", target_lang="en", unk_token="<unk>", eos_token="</s>", pad_token="<pad>",
                     model_max_length=MAX_POSITIONS, separate_vocabs=False)
    write_json(os.path.join(out, "config.json"), config, indent=2)
    write_json(os.path.join(out, "generation_config.json"), generation, indent=2)
    write_json(os.path.join(out, "tokenizer_config.json"), tokenizer, indent=2)
    write_json(os.path.join(out, "vocab.json"), vocab.ids, ensure_ascii=False, indent=0)
    for name in ("source.spm", "target.spm"):
        shutil.copyfile(spm_path, os.path.join(out, name))


class Trainer:
    """The model, its optimiser and its running average, with the checkpoint they are kept in."""

    def __init__(self, args, vocab, device):
        self.args, self.vocab, self.device = args, vocab, device
        self.model = Marian(len(vocab.pieces), args.dropout).to(device)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=args.lr, betas=(0.9, 0.98), eps=1e-9)
        self.average = {k: v.detach().clone() for k, v in self.model.state_dict().items()}
        self.updates = 0
        self.path = os.path.join(args.out, "checkpoint.pt")
        if os.path.exists(self.path):
            saved = torch.load(self.path, map_location=device, weights_only=True)
            self.model.load_state_dict(saved["model"])
            self.optimizer.load_state_dict(saved["optimizer"])
            self.average, self.updates = saved["average"], saved["updates"]
            print(f"resumed at update {self.updates}", flush=True)

    def autocast(self):
        return torch.autocast(self.device, torch.bfloat16)

    def learning_rate(self):
        left = 1 - self.updates / self.args.updates
        warm = min(1.0, (self.updates + 1) / self.args.warmup)
        return self.args.lr * warm * min(1.0, max(left / 0.7, 0.01))

    def update(self, batch):
        """One step of the optimiser; returns (summed loss, target tokens)."""
        for group in self.optimizer.param_groups:
            group["lr"] = self.learning_rate()
        with self.autocast():
            loss, n = loss_sum(self.model, batch, self.args.smoothing, self.device)
        self.optimizer.zero_grad(set_to_none=True)
        (loss / n).backward()
        # The start token's embedding and bias stay zero, as in OPUS-MT.
        self.model.shared.weight.grad[self.model.pad].zero_()
        self.model.bias.grad[self.model.pad].zero_()
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        self.updates += 1
        if self.updates % 4 == 0:
            decay = min(0.998, (1 + self.updates) / (40 + self.updates))
            with torch.no_grad():
                for k, v in self.model.state_dict().items():
                    self.average[k].mul_(decay).add_(v, alpha=1 - decay)
        return float(loss.detach()), n

    def perplexity(self, batches):
        """Of the averaged weights."""
        live = {k: v.clone() for k, v in self.model.state_dict().items()}
        self.model.load_state_dict(self.average)
        self.model.eval()
        with torch.no_grad(), self.autocast():
            sums = [loss_sum(self.model, b, 0, self.device) for b in batches]
        self.model.load_state_dict(live)
        self.model.train()
        return math.exp(sum(float(x) for x, _ in sums) / sum(n for _, n in sums))

    def save(self, spm_path):
        state = dict(model=self.model.state_dict(), optimizer=self.optimizer.state_dict(), average=self.average,
                     updates=self.updates)
        torch.save(state, self.path + ".part")
        os.replace(self.path + ".part", self.path)
        export(os.path.join(self.args.out, "model"), spm_path, self.vocab, self.average)


def parse_args():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--train", nargs="+", required=True, help="pairs to train on, German TAB English")
    p.add_argument("--dev", required=True, help="pairs for the perplexity shown at every evaluation")
    p.add_argument("--out", required=True, help="folder of the checkpoint, the vocabulary and the model")
    p.add_argument("--updates", type=int, default=11400, help="length of the whole training; the rate decays towards it")
    p.add_argument("--eval-every", type=int, default=1500, help="updates between evaluations and checkpoints")
    p.add_argument("--device", default="auto", choices=["auto", "cpu", "cuda"])
    p.add_argument("--vocab", type=int, default=6000, help="size of the vocabulary asked of SentencePiece")
    p.add_argument("--tokens", type=int, default=4000, help="padded tokens in a batch, per side")
    p.add_argument("--lr", type=float, default=7e-4, help="highest learning rate")
    p.add_argument("--warmup", type=int, default=1000, help="updates of linear warm-up")
    p.add_argument("--dropout", type=float, default=0.1)
    p.add_argument("--smoothing", type=float, default=0.1, help="label smoothing")
    p.add_argument("--sample-from", type=int, default=2500, help="update from which sources' segmentations are sampled")
    p.add_argument("--seed", type=int, default=1)
    return p.parse_args()


def main():
    a = parse_args()
    device = ("cuda" if torch.cuda.is_available() else "cpu") if a.device == "auto" else a.device
    os.makedirs(a.out, exist_ok=True)
    pairs = read_pairs(a.train)
    spm_path = os.path.join(a.out, "joint.spm")
    train_vocab(spm_path, pairs, a.vocab)
    vocab = Vocab(spm_path)
    torch.manual_seed(a.seed)
    trainer = Trainer(a, vocab, device)
    rng = random.Random(a.seed + trainer.updates)
    dev = make_batches(read_pairs([a.dev]), vocab, random.Random(a.seed), a.tokens)
    size = sum(p.numel() for p in trainer.model.parameters()) / 1e6
    print(f"{size:.2f}M parameters, {len(pairs)} pairs, vocabulary {len(vocab.pieces)}, {device}", flush=True)

    def evaluate():
        print(f"update {trainer.updates} dev perplexity {trainer.perplexity(dev):.3f}", flush=True)
        trainer.save(spm_path)

    stop = []
    for sig in (signal.SIGINT, signal.SIGTERM):
        signal.signal(sig, lambda number, _: stop.append(number))  # heeded after the update that is running
    trainer.model.train()
    last, tokens, loss = time.time(), 0, 0.0
    while trainer.updates < a.updates:
        regularise = 0.3 if trainer.updates >= a.sample_from else 0.0
        for batch in make_batches(joined_pairs(pairs, rng), vocab, rng, a.tokens, regularise):
            x, n = trainer.update(batch)
            loss, tokens = loss + x, tokens + n
            if trainer.updates % 100 == 0:
                speed = tokens / (time.time() - last)
                print(f"update {trainer.updates} loss {loss / tokens:.3f} {speed:.0f} target tokens/s", flush=True)
                last, tokens, loss = time.time(), 0, 0.0
            if stop:
                trainer.save(spm_path)
                print(f"interrupted: checkpoint at update {trainer.updates}", flush=True)
                return
            if trainer.updates >= a.updates:
                break
            if trainer.updates % a.eval_every == 0:
                evaluate()
    evaluate()


if __name__ == "__main__":
    main()
