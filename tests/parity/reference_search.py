"""Greedy and beam search for one sentence, written to be read: float64, no cache, plain lists.

Profile "hf" is what transformers' generate() does (vectorised beam search, 4.53 and later), "ct2" what CTranslate2 does,
"marian" what is said of Marian's. They share the step and differ in what is masked when, in which candidates are looked
at, and in when it is over. While it searches it notes the margin of each decision that could have changed the result: how
far two numbers were apart whose order mattered.
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
    no_repeat_ngram_size: int = 0
    repetition_penalty: float = 1.0
    bad_words_ids: tuple = ()  # besides <pad>
    prefix: tuple = ()  # tokens that the output begins with; their log-probs count
    start_token: object = None  # another one than the model's
    patience: float = 1.0  # ct2
    profile: str = "hf"

    def to_json(self):
        """Without what is newer than the first fixtures and has its default."""
        newer = {f.name: f.default for f in dataclasses.fields(self)[7:]}
        return {k: v for k, v in dataclasses.asdict(self).items() if k not in newer or v != newer[k]}

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


def banned_by_ngrams(tokens, n):
    """What has followed the last n - 1 tokens before."""
    last = tokens[len(tokens) - n + 1 :]
    return [tokens[i + n - 1] for i in range(len(tokens) - n + 1) if tokens[i : i + n - 1] == last]


def banned_by_words(tokens, words):
    return [w[-1] for w in words if len(w) == 1 or tokens[-len(w) + 1 :] == list(w[:-1])]


class Searcher:
    def __init__(self, model):
        self.model = model
        config = model.generation_config
        self.eos, self.pad, self.start = config.eos_token_id, config.pad_token_id, config.decoder_start_token_id
        self.unk = 1  # of every Marian vocabulary
        if config.bad_words_ids != [[self.pad]]:
            raise ValueError(f"bad_words_ids: {config.bad_words_ids}, expected only <pad>")

    def encode(self, ids):
        """Encoder states [1, length, d_model]."""
        with torch.no_grad():
            return self.model.get_encoder()(input_ids=torch.tensor([ids])).last_hidden_state

    def logits(self, prefixes, memory, start=None):
        """The next token's logits [prefixes, vocabulary] after each prefix (without the start token; of one length)."""
        start = self.start if start is None else start
        with torch.no_grad():
            ids = torch.tensor([[start] + list(p) for p in prefixes])
            out = self.model.model(encoder_outputs=BaseModelOutput(memory.expand(len(prefixes), -1, -1)),
                                   decoder_input_ids=ids, use_cache=False)
            return self.model.lm_head(out.last_hidden_state[:, -1]) + self.model.final_logits_bias

    def penalise(self, x, prefixes, options):
        """x: logits or log-probs; once for every token used. hf counts the start token among them."""
        r = options.repetition_penalty
        start = self.start if options.start_token is None else options.start_token
        for row, tokens in zip(x, prefixes) if r != 1 else ():
            used = list(set(tokens) | ({start} if options.profile == "hf" else set()))
            row[used] = torch.where(row[used] < 0, row[used] * r, row[used] / r)

    def mask(self, x, prefixes, options):
        """n-gram bans, bad words, minimum length."""
        for row, tokens in zip(x, prefixes):
            if options.no_repeat_ngram_size > 0:
                row[banned_by_ngrams(tokens, options.no_repeat_ngram_size)] = -math.inf
            row[banned_by_words(tokens, options.bad_words_ids)] = -math.inf
            if len(tokens) + 1 < options.min_length:
                row[self.eos] = -math.inf

    def processed_logits(self, prefixes, memory, options):
        """What greedy search and sampling make of the logits: generate()'s processors but forced EOS and warpers."""
        x = self.logits(prefixes, memory, options.start_token)
        self.penalise(x, prefixes, options)
        x[:, self.pad] = -math.inf
        self.mask(x, prefixes, options)
        return x

    def log_probs(self, prefixes, memory, options):
        """log_softmax and the changes of scores, in the order of the profile."""
        x = self.logits(prefixes, memory, options.start_token)
        if options.profile != "hf":  # there is no <pad>
            x[:, self.pad] = -math.inf
        if options.profile == "ct2":  # all is done to the logits
            self.penalise(x, prefixes, options)
            self.mask(x, prefixes, options)
            return torch.log_softmax(x, -1)
        on_logits = options.profile == "hf" and options.num_beams == 1
        if on_logits:
            self.penalise(x, prefixes, options)
        logp = torch.log_softmax(x, -1)
        if not on_logits:
            self.penalise(logp, prefixes, options)
        logp[:, self.pad] = -math.inf
        self.mask(logp, prefixes, options)
        if options.profile == "marian":
            logp[:, self.unk] = -math.inf
        if options.forced_eos and len(prefixes[0]) + 2 == options.max_length:
            logp[:] = -math.inf
            logp[:, self.eos] = 0
        return torch.log_softmax(logp, -1) if options.renormalize_logits else logp

    def begin(self, memory, options):
        """The prefix with the model's log-probs. Nothing is penalised there; what is never produced (<pad>, bad words of one
        token) is left out of a renormalised softmax, unless the prefix asks for it."""
        tokens, scores = list(options.prefix), []
        never = [self.pad] + [w[0] for w in options.bad_words_ids if len(w) == 1]
        for i, token in enumerate(tokens):
            x = self.logits([tokens[:i]], memory, options.start_token)[0]
            if options.renormalize_logits and token not in never:
                x[never] = -math.inf
            scores.append(float(torch.log_softmax(x, -1)[token]))
        return Hypothesis(tokens, False, 0.0, math.fsum(scores), scores)

    def search(self, ids, options):
        memory = self.encode(ids)
        return (self.greedy if options.num_beams == 1 else self.beam)(memory, options)

    def greedy(self, memory, options):
        best = self.begin(memory, options)
        gap, tokens, scores, by_eos = Gap(), best.tokens, best.token_scores, False
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
        """immediate finalisation; marian: those that end leave, and nothing is refilled."""
        refills, gap = options.profile != "marian", Gap()
        running = [self.begin(memory, options)]  # only log_prob, tokens and token_scores are used
        finished = []
        while running:
            logp = self.log_probs([h.tokens for h in running], memory, options)
            total = logp + torch.tensor([h.log_prob for h in running], dtype=logp.dtype)[:, None]
            length = len(running[0].tokens) + 1  # of the hypotheses that are made now, EOS included
            at_limit = length + 1 >= options.max_length
            width = options.num_beams if refills else options.num_beams - len(finished)
            values, where = total.flatten().topk(2 * width + 2)
            candidates = [(v, w // logp.shape[1], w % logp.shape[1]) for v, w in zip(values.tolist(), where.tolist())]
            if refills:
                self.note_margins(gap, [c[0] for c in candidates], candidates, total[:, self.eos].tolist(), width, at_limit)
            else:
                gap.note(candidates[width - 1][0] - candidates[width][0], "cut of the live beam")
            live, ended = [], []
            for rank, (value, parent, token) in enumerate(candidates[: 2 * width if refills else width]):
                if value == -math.inf:
                    continue
                old, eos = running[parent], token == self.eos
                new = Hypothesis(old.tokens if eos else old.tokens + [token], eos, value / length**options.length_penalty,
                                 value, old.token_scores + [float(logp[parent, token])])
                if (eos or at_limit) and rank < width:
                    ended.append(new)
                elif not eos and not at_limit and len(live) < width:
                    live.append(new)
            # Finished ones compete by their normalised scores; hf keeps the best `num_beams`, the others keep all.
            finished, running = sorted(finished + ended, key=lambda h: -h.score), live
            if options.profile == "hf":
                self.cut(gap, finished, options.num_beams)
            if at_limit or self.may_stop(gap, running, finished, length, options):
                break
        self.cut(gap, finished, options.num_beams)
        for better, worse in zip(finished, finished[1:]):
            gap.note(better.score - worse.score, "final ranking")
        return Result(finished, gap.value, gap.kind)

    @staticmethod
    def cut(gap, finished, width):
        if len(finished) > width:
            gap.note(finished[width - 1].score - finished[width].score, "border of the finished list")
            del finished[width:]

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
        if options.profile == "marian":
            return False  # only when none runs
        if options.profile == "ct2":
            return len(finished) >= int(options.num_beams * options.patience + 0.5)
        if len(finished) < options.num_beams:
            return False
        if options.early_stopping is True:
            return True
        if options.early_stopping == "never" and options.length_penalty > 0:
            length = options.max_length - 1
        best = running[0].log_prob / length**options.length_penalty
        gap.note(best - finished[-1].score, "stop rule")
        return best <= finished[-1].score
