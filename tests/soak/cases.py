"""Requests of every kind that the contract has, the same on every machine.

A Case is a request with the model that takes it and the method that it is sent by. Kinds are functions
below; the first fourteen are those of tests/engine/support/mixed_requests.cc. missing_options() names what
of the contract no case uses: a new option needs a kind.
"""

import dataclasses
import pathlib
import random
import typing

from dragoman.v1 import translation_pb2 as pb
from harness import ROOT

GLOSSARY = "soak"
GLOSSARY_TSV = "nicht\tnot at all\nheute\ttoday then\n"
# Two models and what goes over both.
FIRST, SECOND, PIVOT = "de-en", "en-fr", "de-fr"
SHARES = {FIRST: 6, SECOND: 3, PIVOT: 1}
# Comes and goes.
GUEST, GUEST_LANGUAGES = "guest", ("nl", "da")
LANGUAGES = {FIRST: ("de", "en"), SECOND: ("en", "fr"), PIVOT: ("de", "fr")}

D = pb.DecodingOptions
S = pb.Segmentation


@dataclasses.dataclass
class Case:
    kind: str
    request: pb.TranslateRequest
    stream: bool
    expected: typing.Any = None  # what an idle daemon answered


def _lines(name):
    text = pathlib.Path(ROOT / "tests/data" / name).read_text()
    return [line for line in text.splitlines() if " " in line]


SENTENCES = _lines("german.txt")
PARAGRAPHS = _lines("paragraphs.txt")

# ------------------------------------------------------------------ kinds

KINDS = {}
NOT_OF_A_PIVOT = set()  # kinds with options that a pivot refuses


def kind(weight=4, pivot=True, stream=None):
    """Registers a function(draw, request) that makes the request one of its kind. It finds one sentence, one
    segment, scores and tokens asked for, and a beam of 1 to 8. stream: always, never, or by chance."""

    def register(function):
        KINDS[function.__name__] = (weight, stream, function)
        if not pivot:
            NOT_OF_A_PIVOT.add(function.__name__)
        return function

    return register


@kind()
def greedy(draw, r):
    r.decoding.beam_size = 1
    r.return_options.Clear()


@kind()
def n_best(draw, r):
    r.decoding.num_alternatives = r.decoding.beam_size


@kind()
def paper(draw, r):
    o = r.decoding
    o.profile, o.beam_size, o.num_alternatives = D.PAPER, 12, 12
    o.pruning.absolute_delta, o.pruning.max_candidates = 1.5, 5


@kind()
def article(draw, r):
    o = r.decoding
    o.profile, o.length_penalty, o.temperature, o.eos_penalty = D.ARTICLE, 0.6, 1.25, 0.8


@kind()
def required(draw, r):
    o = r.decoding
    o.required_phrases.add(text=draw.choice(["at the moment", "however", "my dear friend"]))
    if draw.random() < 0.5:
        o.required_phrases.add(text=draw.choice(["today.", "I think."]), at_end=True)
    o.constraint_allocation = draw.choice([D.STRIPE, D.BANKS])
    if draw.random() < 0.3:
        o.constraint_prune = 5.0


@kind()
def forbidden(draw, r):
    r.decoding.forbidden_phrases.extend(["the", "I", "is a", "have to"])
    r.decoding.no_repeat_ngram = 2


@kind()
def sampling(draw, r):
    o = r.decoding
    o.ClearField("beam_size")
    o.sampling.seed, o.sampling.top_k = draw.randrange(1000), draw.choice([0, 20])
    o.sampling.top_p = draw.choice([0.9, 1.0])
    o.temperature, o.num_alternatives = 0.8, draw.randint(1, 4)


@kind()
def repetition(draw, r):
    r.decoding.repetition_penalty = 1.3


@kind()
def prefix(draw, r):
    r.target_prefixes.append(draw.choice(["Well,", "I think that", "The"]))
    r.decoding.min_output_tokens = 8


@kind(pivot=False)
def terms(draw, r):
    r.contents[0] = r.contents[0].replace(" ", " 😀 ", 1)
    r.do_not_translate.append("😀")
    r.terms.add(source="und", target="and also")
    r.terms.add(source="nicht", target="never", ignore_case=True)


@kind()
def html(draw, r):
    first, rest = r.contents[0].split(" ", 1)
    r.contents[0] = f"<p><b>{first}</b> &amp; {rest}</p>"
    r.mime_type = "text/html"


@kind()
def profiles(draw, r):
    r.decoding.profile = draw.choice([D.CT2, D.MARIAN, D.HF])
    r.decoding.num_alternatives = r.decoding.beam_size


@kind()
def stop_rules(draw, r):
    o = r.decoding
    o.stop_rule = draw.choice([D.FIRST_K, D.NEVER, D.ALL_BEAMS, D.HEURISTIC])
    o.forced_eos = draw.choice([D.MODEL, D.ZERO, D.NONE])
    o.length_penalty, o.max_output_tokens = 1.4, 10


@kind(pivot=False)
def alignment(draw, r):
    r.return_options.alignment = True
    r.decoding.finalisation, r.decoding.pruning.relative = D.ON_BEAM, 0.05


@kind(pivot=False)
def one_head(draw, r):
    r.return_options.alignment = True
    r.decoding.alignment_layer = 0
    r.decoding.alignment_heads.extend([0, 1])


@kind(pivot=False)
def glossary(draw, r):
    r.glossary_config.glossary = GLOSSARY
    r.glossary_config.ignore_case = draw.random() < 0.5


@kind()
def penalties(draw, r):
    o = r.decoding
    if draw.random() < 0.5:
        o.stop_rule, o.patience, o.penalty = D.FIRST_K, 2.0, draw.choice([D.GNMT, D.POWER])
    else:
        o.finalisation = draw.choice([D.KEEP, D.IMMEDIATE])
    o.max_length_ratio, o.max_length_extra = 1.5, 4


@kind()
def document(draw, r):
    """Paragraphs of several sentences, in several items."""
    del r.contents[:]
    r.contents.extend(draw.sample(PARAGRAPHS, draw.randint(2, 4)))
    r.segmentation.split = draw.choice([S.SENTENCES, S.LINES])
    r.segmentation.on_too_long = S.SPLIT
    r.priority = draw.choice([pb.BULK, pb.NORMAL, pb.INTERACTIVE])
    r.decoding.beam_size = draw.randint(1, 3)
    r.labels["project"] = "soak"
    r.parent = "projects/none"
    r.return_options.timings = True


@kind(stream=True)
def partials(draw, r):
    r.contents[0] = draw.choice(PARAGRAPHS)
    r.ClearField("segmentation")
    r.return_options.partials = True
    r.decoding.beam_size = draw.randint(1, 4)


@kind(weight=1)
def too_long(draw, r):
    """One item of three is longer than the model can read."""
    r.contents.append(" ".join(draw.sample(SENTENCES, 60)))
    r.contents.append(draw.choice(SENTENCES))
    r.segmentation.on_too_long = S.REJECT
    r.decoding.beam_size = 1


@kind(weight=1)
def long_text(draw, r):
    """Longer than the model can read, taken apart."""
    r.contents[0] = " ".join(draw.sample(SENTENCES, 60))
    r.segmentation.on_too_long = S.SPLIT
    r.decoding.beam_size, r.decoding.max_length_extra = 1, 8
    r.return_options.Clear()


@kind(weight=1)
def refused(draw, r):
    """What the daemon must refuse, in one of four ways."""
    fault = draw.randrange(4)
    if fault == 0:
        r.decoding.beam_size = 0
    elif fault == 1:
        r.model = "no-such-model"
    elif fault == 2:
        r.glossary_config.glossary = "no-such-glossary"
        if r.model == PIVOT:
            r.model = FIRST
    else:
        r.target_prefixes.extend(["One", "Two"])


# ------------------------------------------------------------------ the whole


def make(count, seed):
    """`count` cases. Equal requests may come twice."""
    draw = random.Random(seed)
    names = list(KINDS)
    weights = [KINDS[name][0] for name in names]
    cases = []
    for _ in range(count):
        name = draw.choices(names, weights)[0]
        _, stream, function = KINDS[name]
        model = draw.choices(list(SHARES), SHARES.values())[0]
        if model == PIVOT and name in NOT_OF_A_PIVOT:
            model = SECOND
        r = pb.TranslateRequest(contents=[draw.choice(SENTENCES)])
        if draw.random() < 0.5:
            r.model = model
        else:
            r.source_language_code, r.target_language_code = LANGUAGES[model]
        if draw.random() < 0.3:
            r.request_id = f"soak-{draw.randrange(1 << 30)}"
        if draw.random() < 0.1:
            r.mime_type = "text/plain"
        r.segmentation.split = S.NONE
        r.return_options.scores = r.return_options.tokens = r.return_options.token_scores = True
        r.decoding.beam_size = draw.randint(1, 8)
        function(draw, r)
        cases.append(Case(name, r, draw.random() < 0.4 if stream is None else stream))
    return cases


def missing_options(cases):
    """Names of the request's fields, those of its messages and values of its enumerations that no case has."""
    seen = set()
    wanted = set()

    def want(descriptor):
        for field in descriptor.fields:
            wanted.add(field.full_name)
            if field.enum_type is not None:
                wanted.update(f"{field.full_name}={v.name}" for v in field.enum_type.values if v.number != 0)
            if field.message_type is not None and not field.message_type.GetOptions().map_entry:
                want(field.message_type)

    def look(message):
        for field, value in message.ListFields():
            seen.add(field.full_name)
            if field.enum_type is not None:
                seen.add(f"{field.full_name}={field.enum_type.values_by_number[value].name}")
            elif field.message_type is not None and not field.message_type.GetOptions().map_entry:
                for part in [value] if hasattr(value, "ListFields") else value:
                    look(part)

    want(pb.TranslateRequest.DESCRIPTOR)
    for case in cases:
        look(case.request)
    return sorted(wanted - seen)
