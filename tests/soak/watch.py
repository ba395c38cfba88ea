"""What is looked at while the daemon serves, and what must be as before when it is done."""

import collections
import contextlib
import json
import pathlib
import re
import statistics
import threading
import time

from cases import GUEST
from harness import Failed


class Watch:
    """Looks at the process every second and at its pages every five, in a thread of its own."""

    NEVER_FALLS = re.compile(r"\w+(_total|_count|_sum|_bucket)($|\{)")

    MAY_GO = re.compile(f'model="{GUEST}"|model_info')  # the latter has the checksum

    def __init__(self, daemon):
        self._daemon = daemon
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._last = {}
        self.begin = time.monotonic()
        self.resident = []  # (seconds, bytes)
        self.descriptors = self.threads = 0  # the most
        self.scrapes = 0
        self.series = []  # numbers of series
        self.wrong = []

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join(30)

    def _run(self):
        tick = 0
        while not self._stop.wait(1):
            try:
                self.resident.append((time.monotonic() - self.begin, self._daemon.rss()))
                self.descriptors = max(self.descriptors, self._daemon.fds())
                self.threads = max(self.threads, self._daemon.threads())
                tick += 1
                if tick % 5 == 0:
                    self._look()
            except (OSError, Failed) as error:
                self.wrong.append(f"{type(error).__name__}: {error}")
                if not self._daemon.alive():
                    return

    def _look(self):
        samples = self._daemon.samples()
        self.scrapes += 1
        self.series.append(len(samples))
        for name, value in samples.items():
            if self.NEVER_FALLS.match(name) and value < self._last.get(name, 0):
                self.wrong.append(f"{name} fell from {self._last[name]} to {value}")
        self.wrong += [f"{name} is no longer there" for name in self._last
                       if name not in samples and not self.MAY_GO.search(name)]  # fmt: skip
        self.wrong += balance(samples)
        self._last = samples
        for path, wanted in (("/status", 200), ("/livez", 200), ("/readyz", 200)):
            status, _ = self._daemon.http(path)
            if status != wanted:
                self.wrong.append(f"{path} answers {status}")


def thirds(series, seconds):
    """Medians of a series of (seconds, bytes), over the first and the last third of what follows the warm-up
    of a fifth."""
    warm = seconds / 5
    third = (seconds - warm) / 3
    first = [b for t, b in series if warm <= t < warm + third]
    last = [b for t, b in series if t >= seconds - third]
    return statistics.median(first), statistics.median(last)


def of_models(samples, name):
    """{model: sum} of a metric's series."""
    found = collections.Counter()
    for key, value in samples.items():
        match = re.match(rf'{name}\{{(?:.*,)?model="([^"]*)"', key)
        if match:
            found[match.group(1)] += value
    return found


def balance(samples):
    """What does not add up: accepted = ended + waiting + running, in every scrape."""
    wrong = []
    ended = of_models(samples, "dragoman_segments_total")
    inside = of_models(samples, "dragoman_segments_waiting") + of_models(samples, "dragoman_segments_running")
    for model, accepted in of_models(samples, "dragoman_segments_accepted_total").items():
        if accepted != ended[model] + inside[model]:
            wrong.append(f"{model}: {accepted} accepted, {ended[model]} ended, {inside[model]} inside")
    return wrong


AT_REST = ("segments_waiting", "segments_running", "queue_segments", "queue_tokens", "decode_rows",
           "kv_cache_usage_ratio", "requests_waiting", "requests_running", "detokenize_backlog",
           "queue_oldest_age_seconds", "connections")  # fmt: skip


def at_rest(samples):
    """Gauges that should be 0 when nobody calls, and are not."""
    names = re.compile(rf"dragoman_({'|'.join(AT_REST)})(\{{.*)?")
    return [f"{key} {value:g}" for key, value in samples.items() if names.fullmatch(key) and value != 0]


def count_wrong(clients, daemon):
    """Where the daemon's count of calls is not the clients'. What a client ended itself, the daemon may
    have met as something else, or never."""
    wrong = []
    for method in ("Translate", "StreamTranslate"):
        counted = daemon.rpcs(method)
        came = {code: n for (m, code), n in clients.came.items() if m == method}
        unclear = came.get("CANCELLED", 0) + came.get("DEADLINE_EXCEEDED", 0)
        for code in set(counted) | set(came):
            if code in ("CANCELLED", "DEADLINE_EXCEEDED"):
                continue
            if not came.get(code, 0) <= counted.get(code, 0) <= came.get(code, 0) + unclear:
                wrong.append(f"{method} {code}: {counted.get(code, 0)} counted, {came.get(code, 0)} came")
        total = sum(counted.values())
        if not clients.sent[method] - unclear <= total <= clients.sent[method]:
            wrong.append(f"{method}: {total} counted, {clients.sent[method]} sent, {unclear} ended by clients")
    return wrong


def bad_lines(daemon, broken):
    """Lines of the log that say more than "info", but for one for each broken directory."""
    lines = [line for line in daemon.log_lines() if line.get("level") not in ("info", "debug")]
    expected = [line for line in lines if line.get("msg") == "model not loaded"]
    wrong = [json.dumps(line)[:300] for line in lines if line not in expected]
    if len(expected) != broken:
        wrong.append(f"{len(expected)} lines about a broken directory, which came {broken} times")
    return wrong


def own_threads(daemon):
    """Those with the process's name. gRPC's have names of their own, and come and go with its timers."""
    names = []
    for task in pathlib.Path(f"/proc/{daemon.pid}/task").iterdir():
        with contextlib.suppress(OSError):
            names.append((task / "comm").read_text().strip())
    return names.count(pathlib.Path(f"/proc/{daemon.pid}/comm").read_text().strip())
