"""A model directory as Hugging Face loads it, what generate() finds with it, and whether reference_search.py finds the
same. Shared by the scripts that write fixtures."""
import copy
import os
import platform
import sys
import warnings

warnings.filterwarnings("ignore")
import sentencepiece
import torch
import transformers
from transformers import MarianMTModel, MarianTokenizer

from reference_search import Searcher

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
FIXTURES = os.path.join(HERE, "fixtures")
MODELS = {
    "tiny-a": "tests/data/models/tiny-a",
    "tiny-b": "tests/data/models/tiny-b",
    "tiny-multi": "tests/data/models/tiny-multi",
    "de-en": "deploy/models/de-en",
}
MIN_GAP = 1e-4  # smaller decision margins are discarded
MAX_SCORE_DIFFERENCE = 2e-5  # between float32 and float64; larger ones are discarded
MAX_TOKEN_DIFFERENCE = 2e-4  # the same, of single tokens; not for the fixtures of make_fixtures.py


def prepare():
    """What every script does first. Returns the lines of german.txt."""
    try:
        import sacremoses  # noqa: F401
        sys.exit("sacremoses is installed: MarianTokenizer then is another one. Use the pins of requirements.txt")
    except ImportError:
        pass
    torch.set_num_threads(1)
    transformers.logging.set_verbosity_error()
    with open(os.path.join(ROOT, "tests/data/german.txt"), encoding="utf-8") as f:
        return f.read().split("\n")[:-1]


class Model:
    """In both precisions."""

    def __init__(self, name):
        self.name = name
        self.path = os.path.join(ROOT, MODELS[name])
        self.tokenizer = MarianTokenizer.from_pretrained(self.path)
        self.f32 = MarianMTModel.from_pretrained(self.path, dtype=torch.float32).eval()
        self.f64 = copy.deepcopy(self.f32).double()
        self.defaults = copy.deepcopy(self.f32.generation_config)
        self.searcher = Searcher(self.f64)
        self.searcher32 = Searcher(self.f32)
        self.languages = [c[2:-2] for c in self.tokenizer.supported_language_codes]

    def encode(self, text, target_lang=None):
        return self.tokenizer((f">>{target_lang}<< " if target_lang else "") + text)["input_ids"]

    def config(self, options):
        """generate()'s settings for a search with these options."""
        config = copy.deepcopy(self.defaults)
        for name in ("num_beams", "length_penalty", "early_stopping", "max_length", "min_length", "renormalize_logits",
                     "no_repeat_ngram_size", "repetition_penalty"):
            setattr(config, name, getattr(options, name))
        config.num_return_sequences = options.num_beams
        config.bad_words_ids = self.defaults.bad_words_ids + [list(w) for w in options.bad_words_ids]
        if not options.forced_eos:
            config.forced_eos_token_id = None
        if options.start_token is not None:
            config.decoder_start_token_id = options.start_token
        config.do_sample = False
        config.return_dict_in_generate = True
        config.output_scores = options.num_beams > 1
        return config

    def generate(self, model, ids, options):
        """[(tokens, finished by EOS, score)], best first. The score of greedy search is None: generate() gives none."""
        config = self.config(options)
        model.generation_config = config
        forced = {}
        if options.prefix:
            forced["decoder_input_ids"] = torch.tensor([[config.decoder_start_token_id] + list(options.prefix)])
        with torch.no_grad():
            out = model.generate(input_ids=torch.tensor([ids]), **forced)
        scores = out.sequences_scores.tolist() if options.num_beams > 1 else [None]
        hypotheses = []
        for row, score in zip(out.sequences.tolist(), scores):
            row = row[1:]
            by_eos = config.eos_token_id in row
            tokens = row[: row.index(config.eos_token_id)] if by_eos else [t for t in row if t != config.pad_token_id]
            hypotheses.append((tokens, by_eos, score))
        return hypotheses


def compare(model, ids, options):
    """(None, reason) if the case is discarded, else (reference result, None).

    A forced prefix counts in our scores and not in generate()'s: with several beams only a length penalty of 0 makes the
    two searches one, and their scores then differ by the prefix's log-prob."""
    result = model.searcher.search(ids, options)
    if result.gap < MIN_GAP:
        return None, f"margin below {MIN_GAP:g}: {result.gap_kind}"
    mine = [(h.tokens, h.by_eos) for h in result.nbest]
    known = not options.prefix or options.num_beams == 1 or options.length_penalty == 0
    if not known or options.num_beams == 1:  # of greedy search generate() reports no score
        in32 = model.searcher32.search(ids, options).nbest
    double = model.generate(model.f64, ids, options) if known else [(h.tokens, h.by_eos, h.score) for h in result.nbest]
    if mine != [(t, e) for t, e, _ in double]:
        raise SystemExit(f"{model.name}: the reference search differs from generate() on {ids} with {options}:\n"
                         f"{mine}\n{double}")
    single = model.generate(model.f32, ids, options) if known else [(h.tokens, h.by_eos, h.score) for h in in32]
    if mine != [(t, e) for t, e, _ in single]:
        return None, "float32 and float64 differ"
    if known and options.num_beams > 1:
        before = sum(result.nbest[0].token_scores[: len(options.prefix)])
        single_scores, double_scores = [s + before for _, _, s in single], [s + before for _, _, s in double]
    else:
        single_scores, double_scores = [h.score for h in in32], [h.score for h in result.nbest]
    # With a length penalty of 0 scores are sums, whose errors grow with the number of terms.
    terms = [max(1, len(h.token_scores)) if options.length_penalty == 0 else 1 for h in result.nbest]
    if max(abs(h.score - s) / n for h, s, n in zip(result.nbest, double_scores, terms)) > 1e-5:
        raise SystemExit(f"{model.name}: scores differ from generate() on {ids} with {options}")
    if max(abs(h.score - s) / n for h, s, n in zip(result.nbest, single_scores, terms)) > MAX_SCORE_DIFFERENCE:
        return None, "scores in float32 and float64 differ"
    return result, None


def nbest_json(result):
    """The fields of a case that hold its result."""
    return dict(
        gap=float(f"{result.gap:.3g}"),
        nbest=[dict(tokens=h.tokens, finished_by_eos=h.by_eos, score=round(h.score, 7), log_prob=round(h.log_prob, 6))
               for h in result.nbest],
        token_scores=[round(x, 6) for x in result.nbest[0].token_scores])


def versions():
    return dict(transformers=transformers.__version__, torch=torch.__version__, python=platform.python_version(),
                sentencepiece=sentencepiece.__version__)
