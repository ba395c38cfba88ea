"""The MarianMT architecture for training, and its Hugging Face directory."""
import dataclasses
import json
import os
import shutil

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.torch import save_file
from torch import nn

MAX_POSITIONS = 512


@dataclasses.dataclass(frozen=True)
class Shape:
    d_model: int
    ffn: int
    heads: int
    encoder_layers: int
    decoder_layers: int


SIZES = {"small": Shape(256, 1024, 4, 4, 2), "base": Shape(512, 2048, 8, 6, 6)}


def sinusoid(n, d):
    """Marian's layout, [all sines | all cosines], with the frequencies of Hugging Face."""
    angle = np.arange(n)[:, None] / np.power(10000, 2 * (np.arange(d) // 2) / d)[None, :]
    return torch.tensor(np.concatenate([np.sin(angle[:, 0::2]), np.cos(angle[:, 1::2])], 1), dtype=torch.float32)


class Attention(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.heads = shape.heads
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (
            nn.Linear(shape.d_model, shape.d_model) for _ in range(4))

    def split(self, x):
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(self, x, memory, mask, causal):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(memory)), self.split(self.v_proj(memory))
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=causal)
        return self.out_proj(y.transpose(1, 2).flatten(2))


class Layer(nn.Module):
    """Post-norm: the normalisation follows the residual sum."""

    def __init__(self, shape, dropout, cross):
        super().__init__()
        self.self_attn = Attention(shape)
        self.self_attn_layer_norm = nn.LayerNorm(shape.d_model)
        if cross:
            self.encoder_attn = Attention(shape)
            self.encoder_attn_layer_norm = nn.LayerNorm(shape.d_model)
        self.fc1, self.fc2 = nn.Linear(shape.d_model, shape.ffn), nn.Linear(shape.ffn, shape.d_model)
        self.final_layer_norm = nn.LayerNorm(shape.d_model)
        self.cross, self.dropout = cross, dropout

    def drop(self, x):
        return F.dropout(x, self.dropout, self.training)

    def forward(self, x, mask, memory=None):
        """`mask` tells which source tokens are none; targets see what is before them."""
        own = (None, True) if self.cross else (mask, False)
        x = self.self_attn_layer_norm(x + self.drop(self.self_attn(x, x, *own)))
        if self.cross:
            x = self.encoder_attn_layer_norm(x + self.drop(self.encoder_attn(x, memory, mask, False)))
        return self.final_layer_norm(x + self.drop(self.fc2(F.silu(self.fc1(x)))))


class Marian(nn.Module):
    """Embeddings of both sides and the output layer share one matrix; <pad>, the last id, is the start token."""

    def __init__(self, shape, vocab_size, dropout):
        super().__init__()
        d = shape.d_model
        self.shape, self.pad, self.dropout = shape, vocab_size - 1, dropout
        self.shared = nn.Embedding(vocab_size, d, padding_idx=self.pad)
        self.encoder = nn.ModuleList(Layer(shape, dropout, False) for _ in range(shape.encoder_layers))
        self.decoder = nn.ModuleList(Layer(shape, dropout, True) for _ in range(shape.decoder_layers))
        self.bias = nn.Parameter(torch.zeros(vocab_size))
        self.register_buffer("positions", sinusoid(MAX_POSITIONS, d), persistent=False)
        for name, p in self.named_parameters():
            if p.dim() > 1:
                nn.init.xavier_uniform_(p, gain=0.7 if "_proj" in name and "out" not in name else 1.0)
            elif name.endswith("bias"):
                nn.init.zeros_(p)
        nn.init.normal_(self.shared.weight, std=d**-0.5)
        with torch.no_grad():
            self.shared.weight[self.pad].zero_()

    def embed(self, ids):
        x = self.shared(ids) * self.shape.d_model**0.5 + self.positions[: ids.shape[1]]
        return F.dropout(x, self.dropout, self.training)

    def encode(self, source):
        """(states, mask) of padded sources [B, S]."""
        mask = (source != self.pad)[:, None, None, :]
        x = self.embed(source)
        for layer in self.encoder:
            x = layer(x, mask)
        return x, mask

    def decode(self, target, memory, mask):
        x = self.embed(target)
        for layer in self.decoder:
            x = layer(x, mask, memory)
        return x

    def logits(self, x):
        return F.linear(x, self.shared.weight) + self.bias

    def loss_sum(self, source, target, smoothing):
        """Summed over the tokens of `target` [B, T] that are not <pad>."""
        shifted = F.pad(target[:, :-1], (1, 0), value=self.pad)
        logits = self.logits(self.decode(shifted, *self.encode(source)))
        return F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=self.pad,
                               label_smoothing=smoothing, reduction="sum")

    def greedy(self, source):
        """Ids [B, T] of translations of padded sources, <pad> after their </s>. Everything is computed anew at each
        step: meant for short texts now and then."""
        memory, mask = self.encode(source)
        ids = torch.full_like(source[:, :1], self.pad)
        open_rows = torch.ones_like(ids, dtype=torch.bool)
        for _ in range(min(2 * source.shape[1] + 10, MAX_POSITIONS - 1)):
            logits = self.logits(self.decode(ids, memory, mask)[:, -1])
            logits[:, self.pad] = -torch.inf
            ids = torch.cat([ids, logits.argmax(-1, True).where(open_rows, self.pad)], 1)
            open_rows &= ids[:, -1:] != 0
            if not open_rows.any():
                break
        return ids[:, 1:]


def write_json(path, value, **options):
    with open(path, "w", encoding="utf-8") as f:
        json.dump(value, f, **options)


def export(out, spm_path, vocab_ids, shape, weights):
    """Writes the Hugging Face directory `out`: `weights` by the names of Marian's parameters, stored as F16."""
    os.makedirs(out, exist_ok=True)
    size, pad = len(vocab_ids), len(vocab_ids) - 1
    state = {"model.shared.weight": weights["shared.weight"], "final_logits_bias": weights["bias"][None]}
    for name, w in weights.items():
        if name.startswith(("encoder.", "decoder.")):
            side, rest = name.split(".", 1)
            state[f"model.{side}.layers.{rest}"] = w
    state = {k: v.detach().to("cpu", torch.float16).contiguous() for k, v in state.items()}
    weights_path = os.path.join(out, "model.safetensors")
    save_file(state, weights_path + ".part", metadata={"format": "pt"})
    os.chmod(weights_path + ".part", 0o644)  # safetensors makes it readable for its owner only
    ids = dict(bos_token_id=0, eos_token_id=0, pad_token_id=pad, decoder_start_token_id=pad, forced_eos_token_id=0)
    config = dict(architectures=["MarianMTModel"], model_type="marian", torch_dtype="float16", vocab_size=size,
                  decoder_vocab_size=size, d_model=shape.d_model, encoder_layers=shape.encoder_layers,
                  decoder_layers=shape.decoder_layers, encoder_ffn_dim=shape.ffn, decoder_ffn_dim=shape.ffn,
                  encoder_attention_heads=shape.heads, decoder_attention_heads=shape.heads,
                  activation_function="swish", scale_embedding=True, static_position_embeddings=True,
                  share_encoder_decoder_embeddings=True, tie_word_embeddings=True, normalize_before=False,
                  normalize_embedding=False, add_final_layer_norm=False, max_position_embeddings=MAX_POSITIONS,
                  max_length=MAX_POSITIONS, num_beams=4, is_encoder_decoder=True, use_cache=True, dropout=0.1,
                  attention_dropout=0.0, activation_dropout=0.0, init_std=0.02, **ids)
    generation = dict(num_beams=4, max_length=MAX_POSITIONS, bad_words_ids=[[pad]], renormalize_logits=False, **ids)
    tokenizer = dict(source_lang="de", target_lang="en", unk_token="<unk>", eos_token="</s>", pad_token="<pad>",
                     model_max_length=MAX_POSITIONS, separate_vocabs=False)
    write_json(os.path.join(out, "config.json"), config, indent=2)
    write_json(os.path.join(out, "generation_config.json"), generation, indent=2)
    write_json(os.path.join(out, "tokenizer_config.json"), tokenizer, indent=2)
    write_json(os.path.join(out, "vocab.json"), vocab_ids, ensure_ascii=False, indent=0)
    for name in ("source.spm", "target.spm"):
        shutil.copyfile(spm_path, os.path.join(out, name))
    os.replace(weights_path + ".part", weights_path)
