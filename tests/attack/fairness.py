"""Clients that have more waiting than others, and take all of a queue that they are given.

`hog_*`: at the default settings, twenty polite clients send single sentences at a steady rate, in turns beside a hog
and beside a crowd. The hog sends more than the queue holds, in calls of every size, and whatever is refused at once
again. The crowd is the same load without a hog: twenty more clients that together keep as many sentences in flight as
the decoding batches hold, and so take all that the machine can do, too. No polite call may fail, and their p99 beside
the hog is at most three times that beside the crowd.
"""

import contextlib
import json
import pathlib
import random
import shutil
import socket
import statistics
import tempfile
import threading
import time

from harness import MODEL, Client, Daemon, Outcome, attack, check, wait_until
from security import bearer, keys_file

SENTENCE = "Wenn ich Zeit hätte, würde ich heute eine neue Sprache lernen."


# ------------------------------------------------------------------ hogs beside polite clients

POLITE = 20
PERIOD = 0.4  # seconds between two calls of a polite client; through a pivot, which is two translations, 0.8
TURNS = 3
TURN = 8.0  # seconds
CROWD = 20
CROWD_CALL = 8  # sentences; 20 * 8 = 160 in flight are more than two batches of 256 rows hold at beam 4
MOST = 3.0  # times the p99 beside the crowd
QUEUED = 'dragoman_queue_segments{model="de-en",stage="encode"}'


class Caller:
    """One client's calls, from as many threads as it likes."""

    def __init__(self, address, key=None, languages=None):
        self._client = Client(address)
        self._metadata = bearer(key) if key else None
        self._languages = languages or {}

    def call(self, texts, timeout, **fields):
        """The name of the status."""
        fields = {**self._languages, **fields}
        return self._client.code(*texts, timeout=timeout, metadata=self._metadata, **fields)

    def close(self):
        self._client.channel.close()


class Repeated:
    """Threads that each call a function again and again while the block runs."""

    def __init__(self, *functions):
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._run, args=(f,), daemon=True) for f in functions]

    def _run(self, function):
        while not self._stop.is_set():
            function(self._stop)

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        for thread in self._threads:
            thread.join(60)


class Tally:
    """What became of calls that threads count together: seconds of those that were answered, codes of the others."""

    def __init__(self):
        self._lock = threading.Lock()
        self.seconds = []
        self.failures = []

    def add(self, seconds, code):
        with self._lock:
            if code == "OK":
                self.seconds.append(seconds)
            else:
                self.failures.append(code)

    def quantile(self, q):
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) - 1, int(q * len(ordered)))] if ordered else float("inf")


def _polite(caller, tally, period):
    """A single sentence every `period` or so, of which each must be answered within ten seconds. All begin at once."""

    def once(stop):
        begin = time.monotonic()
        code = caller.call([SENTENCE], timeout=10)
        took = time.monotonic() - begin
        tally.add(took, code)
        stop.wait(max(0.0, period * random.uniform(0.8, 1.2) - took))

    return once


def _greedy(caller, texts, **fields):
    """The same call again and again, at once after an answer, soon after a refusal: small calls sooner, so that they
    fill what large ones leave."""
    pause = 0.02 if len(texts) < 100 else 0.1

    def once(stop):
        if caller.call(texts, timeout=60, **fields) != "OK":
            stop.wait(pause)

    return once


def _greedy_calls(callers, sizes=(400,) * 12 + (40,) * 8 + (10,) * 8 + (1,) * 8, **fields):
    """More than the default queue holds, in calls large and small."""
    return [_greedy(callers[i % len(callers)], [SENTENCE] * size, **fields) for i, size in enumerate(sizes)]


def _ended(daemon):
    """Segments that have ended, of all clients and models."""
    return sum(value for key, value in daemon.samples().items() if key.startswith("dragoman_segments_total{"))


def _running(daemon):
    """Segments in the batches of all models: a pivot's wait for the slower of its two."""
    return sum(value for key, value in daemon.samples().items() if key.startswith("dragoman_segments_running{"))


def _beside(daemon, polite, load, is_there, period):
    """What the polite clients find beside `load`, from when it is there; and the segments that end in a second."""
    found = Tally()
    with Repeated(*load):
        check(wait_until(is_there, 60), f"the load never came: {daemon.samples()[QUEUED]:.0f} wait")
        before, begin = _ended(daemon), time.monotonic()
        with Repeated(*[_polite(caller, found, period) for caller in polite]):
            time.sleep(TURN)  # how long is measured, not waited for
        rate = (_ended(daemon) - before) / (time.monotonic() - begin)
    check(wait_until(lambda: daemon.samples()[QUEUED] == 0, 120), "the queue never emptied")
    return found, rate


def _compare(daemon, polite, crowd, hog, period=PERIOD):
    """`hog`: the hog's calls, which fill half of the queue at least."""
    loads = {
        "crowd": (
            [_greedy(caller, [SENTENCE] * CROWD_CALL) for caller in crowd],
            lambda: _running(daemon) > 64,
        ),
        "hog": (hog, lambda: daemon.samples()[QUEUED] > 2000),
    }
    sums = {"crowd": Tally(), "hog": Tally()}
    rates = {"crowd": [], "hog": []}
    for caller in polite + crowd:  # connected, and the first call's costs paid
        check(caller.call([SENTENCE], timeout=30) == "OK", "a call by itself is refused")
    for _ in range(TURNS):
        for name, (load, is_there) in loads.items():
            found, rate = _beside(daemon, polite, load, is_there, period)
            sums[name].seconds += found.seconds
            sums[name].failures += found.failures
            rates[name].append(rate)
    texts = [
        f"{name}: {len(sums[name].seconds)} answered, {len(sums[name].failures)} not, p50 "
        f"{sums[name].quantile(0.5) * 1e3:.0f} ms, p99 {sums[name].quantile(0.99) * 1e3:.0f} ms, in all "
        f"{statistics.mean(rates[name]):.0f} segments/s"
        for name in ("crowd", "hog")
    ]
    ratio = sums["hog"].quantile(0.99) / sums["crowd"].quantile(0.99)
    text = f"{'; '.join(texts)}; ratio {ratio:.1f}"
    bound = f"none fails, p99 within {MOST:.0f} x"
    check(not sums["hog"].failures and not sums["crowd"].failures, f"{text}; {sorted(set(sums['hog'].failures))}", bound)
    check(ratio <= MOST, text, bound)
    return Outcome(text, bound)


def _beside_keys(hogs, calls, flags=(), languages=None, period=PERIOD):
    """With keys: `hogs` keys make `calls`, a function of their Callers."""
    names = [f"{kind}{i}" for kind, count in (("polite", POLITE), ("crowd", CROWD), ("hog", hogs)) for i in range(count)]
    file, keys = keys_file(**{name: {} for name in names})
    with file, Daemon("--api-keys", file.name, *flags) as daemon, contextlib.ExitStack() as open_:
        by_kind = {"polite": [], "crowd": [], "hog": []}
        for name in names:
            caller = Caller(daemon.grpc, keys[name], languages)
            open_.callback(caller.close)
            by_kind[name.rstrip("0123456789")].append(caller)
        return _compare(daemon, by_kind["polite"], by_kind["crowd"], calls(by_kind["hog"]), period)


@attack("hog_key", issue=29, limit=300)
def hog_key():
    """One key with more than the queue holds."""
    return _beside_keys(1, _greedy_calls)


@attack("hog_keys", issue=29, limit=300)
def hog_keys():
    """Ten keys, together with three times what the queue holds."""
    sizes = (400,) * 3 + (10,) * 4 + (1,) * 2
    return _beside_keys(10, lambda hogs: [call for hog in hogs for call in _greedy_calls([hog], sizes)])


@attack("hog_interactive", issue=29, limit=300)
def hog_interactive():
    """One key, all of it INTERACTIVE; the polite clients and the crowd leave their priority at NORMAL."""
    from dragoman.v1 import translation_pb2 as pb

    return _beside_keys(1, lambda hogs: _greedy_calls(hogs, priority=pb.INTERACTIVE))


@attack("hog_documents", issue=29, limit=300)
def hog_documents():
    """One key with documents of 4,096 segments in a call, as many as the queue holds: four such calls at once."""
    items = ["Ja. Nein. Doch. Gut. "] * 1024
    return _beside_keys(1, lambda hogs: [_greedy(hogs[0], items) for _ in range(4)])


@attack("hog_pivot", issue=29, limit=400)
def hog_pivot():
    """One key with more than the queue holds through a pivot, as all others go."""
    languages = {"source_language_code": "de", "target_language_code": "fr"}
    with tempfile.TemporaryDirectory(prefix="attack-pivot-") as folder:
        # The same model, said to be of other languages: it makes something of any text.
        second = pathlib.Path(folder) / "en-fr"
        shutil.copytree(MODEL, second)
        config = second / "tokenizer_config.json"
        config.write_text(json.dumps({**json.loads(config.read_text()), "source_lang": "en", "target_lang": "fr"}))
        flags = ("--model", f"de-en={MODEL}", "--model", f"en-fr={second}", "--pivot", "de-fr=de-en+en-fr")
        return _beside_keys(1, _greedy_calls, flags, languages, 2 * PERIOD)


class Relay:
    """A port of the loopback that leads to the daemon from an address of its own, which makes a client of its own."""

    def __init__(self, address, source):
        host, port = address.rsplit(":", 1)
        self._to, self._source = (host, int(port)), (source, 0)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(self._to, 10, self._source)
                for one, other in ((client, server), (server, client)):
                    one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    one.settimeout(None)
                    threading.Thread(target=self._copy, args=(one, other), daemon=True).start()

    @staticmethod
    def _copy(one, other):
        with contextlib.suppress(OSError):
            while data := one.recv(1 << 16):
                other.sendall(data)
        with contextlib.suppress(OSError):
            other.shutdown(socket.SHUT_WR)

    def close(self):
        self._listener.close()


@attack("hog_connections", issue=29, limit=300)
def hog_connections():
    """Without keys: one address with sixteen connections, and as many addresses as polite clients."""
    with Daemon() as daemon, contextlib.ExitStack() as open_:

        def callers(network, count):
            made = []
            for i in range(count):
                relay = Relay(daemon.grpc, f"127.0.{network}.{i + 1}")
                open_.callback(relay.close)
                made.append(Caller(relay.address))
                open_.callback(made[-1].close)
            return made

        hog = [Caller(daemon.grpc) for _ in range(16)]
        for caller in hog:
            open_.callback(caller.close)
        return _compare(daemon, callers(1, POLITE), callers(2, CROWD), _greedy_calls(hog))
