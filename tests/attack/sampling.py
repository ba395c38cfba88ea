"""Options at their extreme beside another client: what they delay it by, in rows of plain beam search.

tests/bench/mixes.py measures more of this with the same parts."""

import contextlib
import dataclasses
import threading
import time

from harness import Bystander, Client, Daemon, Outcome, attack, check

# Some thirty tokens.
TEXT = (
    "Wenn ich Zeit hätte, würde ich heute eine neue Sprache lernen und am Abend mit meinen Freunden "
    "in der Stadt essen gehen."
)


class Crowd:
    """Calls of one kind, so many at a time, each again as soon as it is answered. With `with`."""

    def __init__(self, address, calls, text=TEXT, **decoding):
        from dragoman.v1 import translation_pb2 as pb

        self._fields = {"decoding": pb.DecodingOptions(**decoding)}
        self._text = text
        self._clients = [Client(address) for _ in range(calls)]
        self._stop = threading.Event()
        self._threads = [
            threading.Thread(target=self._run, args=(client,), daemon=True) for client in self._clients
        ]
        self.answered = 0
        self.failures = []

    def _run(self, client):
        import grpc

        while not self._stop.is_set():
            try:
                client.translate(self._text, timeout=120, **self._fields)
                self.answered += 1
            except grpc.RpcError as error:
                if not self._stop.is_set():
                    self.failures.append(f"{error.code().name}: {error.details()}"[:200])
                    time.sleep(0.05)

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        for client in self._clients:  # ends what is under way
            client.__exit__()
        for thread in self._threads:
            thread.join(10)


def draws(calls, **sampling):
    """64 draws each."""
    from dragoman.v1 import translation_pb2 as pb

    others = {key: sampling.pop(key) for key in ("temperature", "repetition_penalty") if key in sampling}
    return (calls, {"num_alternatives": 64, "sampling": pb.Sampling(seed=1, **sampling), **others, **LENGTH})


# Every output as long: so every setting keeps as many rows busy all the time.
LENGTH = {"min_output_tokens": 100, "max_output_tokens": 100}


def plain(rows):
    return (rows // 4, {"beam_size": 4, **LENGTH})


@dataclasses.dataclass
class Seen:
    """By a client that translates single sentences while others are at work."""

    seconds: list = dataclasses.field(default_factory=list)  # of each of its calls
    failures: list = dataclasses.field(default_factory=list)  # of all clients
    row_steps: float = 0
    steps: float = 0
    step_seconds: float = 0

    def add(self, other):
        for field in dataclasses.fields(self):
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))

    def quantile(self, q):
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) - 1, int(q * len(ordered)))]


def _counted(daemon):
    samples = daemon.samples()

    def total(name, label=""):
        return sum(
            value for key, value in samples.items() if key.startswith(f"dragoman_decode_{name}") and label in key
        )

    return (
        total("row_steps_total", 'state="busy"'),
        total("step_duration_seconds_count"),
        total("step_duration_seconds_sum"),
    )


def beside(daemon, crowds, seconds):
    """What a client sees while these crowds are at work."""
    with contextlib.ExitStack() as stack:
        running = [stack.enter_context(Crowd(daemon.grpc, calls, **decoding)) for calls, decoding in crowds]
        if running:
            time.sleep(0.7)  # they have begun
        with Bystander(daemon.grpc, timeout=120) as bystander:
            before = _counted(daemon)
            time.sleep(seconds)
            after = _counted(daemon)
        failures = bystander.failures + [f for crowd in running for f in crowd.failures]
    return Seen(bystander.seconds, failures, *(b - a for a, b in zip(before, after)))


@attack("draws_beside_a_sentence", issue=12, limit=240)
def draws_beside_a_sentence():
    """Two calls of 64 draws: delay others at most 3 times as much as 128 rows of beam search."""
    mixes = {
        "plain": [plain(128)],
        "top_k 1,000,000": [draws(2, top_k=1_000_000)],
        "top_k 50": [draws(2, top_k=50)],
        "temperature 3": [draws(2, temperature=3.0)],
    }
    found = {name: Seen() for name in mixes}
    with Daemon() as daemon:
        for _ in range(2):
            for name, crowds in mixes.items():
                found[name].add(beside(daemon, crowds, 4))
    for name, seen in found.items():
        check(seen.seconds and not seen.failures, f"{name}: {seen.failures[:2] or 'no answer'}")
    medians = {name: seen.quantile(0.5) for name, seen in found.items()}
    text = "; ".join(f"{name} {seconds * 1e3:.0f} ms" for name, seconds in medians.items())
    bound = f"3 x plain: {3e3 * medians['plain']:.0f} ms"
    worst = max(medians.values())
    check(worst <= 3 * medians["plain"], f"p50 of a sentence beside 128 rows: {text}", bound)
    return Outcome(f"p50 of a sentence beside 128 rows: {text}", bound)
