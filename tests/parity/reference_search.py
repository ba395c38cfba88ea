"""Greedy and beam search as transformers' generate() does them (vectorised beam search, 4.53 and later), for one
sentence, written to be read: float64, no cache, plain lists. While it searches it notes the margin of each decision that
could have changed the result: how far two numbers were apart whose order mattered.
"""
import dataclasses
import math

import torch
from transformers.modeling_outputs import BaseModelOutput


@dataclasses.dataclass
class Options:
    num_beams: int
    length_penalty: float
    early_stopping: object  # True, False or "never"
    max_length: int  # with the start token, and with EOS
    min_length: int = 0  # EOS is banned while start token + tokens so far are fewer
    forced_eos: bool = True
    renormalize_logits: bool = False

    def to_json(self):
        return dataclasses.asdict(self)

    def max_tokens(self):
        """The most tokens, without start token and EOS, that a hypothesis can have."""
        return self.max_length - 1 - int(self.forced_eos)


@dataclasses.dataclass
class Hypothesis:
    tokens: list
    by_eos: bool
    score: float
    log_prob: float
    token_scores: list


@dataclasses.dataclass
class Result:
    nbest: list
    gap: float
    gap_kind: str


class Gap:
    """The smallest margin so far, and of which decision."""

    def __init__(self):
        self.value, self.kind = math.inf, "none"

    def note(self, margin, kind):
        if not math.isnan(margin) and abs(margin) < self.value:
            self.value, self.kind = abs(margin), kind


class Searcher:
    def __init__(self, model):
        self.model = model
        config = model.generation_config
        self.eos, self.pad, self.start = config.eos_token_id, config.pad_token_id, config.decoder_start_token_id
        if config.bad_words_ids != [[self.pad]]:
            raise ValueError(f"bad_words_ids: {config.bad_words_ids}, expected only <pad>")

    def encode(self, ids):
        """Encoder states [1, length, d_model]."""
        with torch.no_grad():
            return self.model.get_encoder()(input_ids=torch.tensor([ids])).last_hidden_state

    def logits(self, prefixes, memory):
        """The next token's logits [prefixes, vocabulary] after each prefix (without the start token; of one length)."""
        with torch.no_grad():
            ids = torch.tensor([[self.start] + p for p in prefixes])
            out = self.model(encoder_outputs=BaseModelOutput(memory.expand(len(prefixes), -1, -1)), decoder_input_ids=ids,
                             use_cache=False)
            return out.logits[:, -1]

    def log_probs(self, prefixes, memory, options):
        """log_softmax, then the processors in the order of generate()."""
        logp = torch.log_softmax(self.logits(prefixes, memory), -1)
        logp[:, self.pad] = -math.inf
        length = len(prefixes[0]) + 1
        if length < options.min_length:
            logp[:, self.eos] = -math.inf
        if options.forced_eos and length == options.max_length - 1:
            logp[:] = -math.inf
            logp[:, self.eos] = 0
        return torch.log_softmax(logp, -1) if options.renormalize_logits else logp

    def search(self, ids, options):
        memory = self.encode(ids)
        return (self.greedy if options.num_beams == 1 else self.beam)(memory, options)

    def greedy(self, memory, options):
        gap, tokens, scores, by_eos = Gap(), [], [], False
        while not by_eos and len(tokens) + 1 < options.max_length:
            logp = self.log_probs([tokens], memory, options)[0]
            (first, second), index = [x.tolist() for x in logp.topk(2)]
            gap.note(first - second, "greedy choice")
            scores.append(first)
            by_eos = index[0] == self.eos
            if not by_eos:
                tokens = tokens + [index[0]]
        total = math.fsum(scores)
        best = Hypothesis(tokens, by_eos, total / len(scores) ** options.length_penalty, total, scores)
        return Result([best], gap.value, gap.kind)

    def beam(self, memory, options):
        width, gap = options.num_beams, Gap()
        running = [Hypothesis([], False, 0.0, 0.0, [])]  # only log_prob, tokens and token_scores are used
        finished = []
        while True:
            logp = self.log_probs([h.tokens for h in running], memory, options)
            total = logp + torch.tensor([h.log_prob for h in running], dtype=logp.dtype)[:, None]
            length = len(running[0].tokens) + 1  # of the hypotheses that are made now, EOS included
            at_limit = length + 1 >= options.max_length
            values, where = total.flatten().topk(2 * width + 2)
            candidates = [(v, w // logp.shape[1], w % logp.shape[1]) for v, w in zip(values.tolist(), where.tolist())]
            self.note_margins(gap, [c[0] for c in candidates], candidates, total[:, self.eos].tolist(), width, at_limit)
            live, ended = [], []
            for rank, (value, parent, token) in enumerate(candidates[: 2 * width]):
                if value == -math.inf:
                    continue
                old, eos = running[parent], token == self.eos
                new = Hypothesis(old.tokens if eos else old.tokens + [token], eos, value / length**options.length_penalty,
                                 value, old.token_scores + [float(logp[parent, token])])
                if (eos or at_limit) and rank < width:
                    ended.append(new)
                elif not eos and not at_limit and len(live) < width:
                    live.append(new)
            # Finished ones compete by their normalised scores; the best `width` are kept.
            merged = sorted(finished + ended, key=lambda h: -h.score)
            if len(merged) > width:
                gap.note(merged[width - 1].score - merged[width].score, "border of the finished list")
            finished, running = merged[:width], live
            if at_limit or (len(finished) == width and self.may_stop(gap, running, finished, length, options)):
                break
        for better, worse in zip(finished, finished[1:]):
            gap.note(better.score - worse.score, "final ranking")
        return Result(finished, gap.value, gap.kind)

    def note_margins(self, gap, values, candidates, eos_values, width, at_limit):
        if at_limit:
            gap.note(values[width - 1] - values[width], "cut at the limit")
            return
        others = [v for v, _, token in candidates if token != self.eos]
        gap.note(others[width - 1] - others[width], "cut of the live beam")
        for v in eos_values:  # is this EOS among the first `width` candidates?
            inside = sum(x > v for x in values) < width
            gap.note(v - values[width] if inside else values[width - 1] - v, "rank of EOS")

    @staticmethod
    def may_stop(gap, running, finished, length, options):
        if options.early_stopping is True:
            return True
        if options.early_stopping == "never" and options.length_penalty > 0:
            length = options.max_length - 1
        best = running[0].log_prob / length**options.length_penalty
        gap.note(best - finished[-1].score, "stop rule")
        return best <= finished[-1].score
