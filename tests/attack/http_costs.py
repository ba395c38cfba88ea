"""What requests over HTTP may cost others in processor time and memory. Each attack runs in a memory control group of the
printed bound plus 20 MiB, next to polite clients with a key: nothing is killed, none of them fails, and their p99 stays
within three times what it is when nothing else goes on."""

import contextlib
import functools
import http.client
import json
import pathlib
import statistics
import tempfile
import threading
import time

from control_group import SKIPPED, daemons_in, memory_group
from fairness import Repeated
from harness import MIB, ROOT, Daemon, HttpClient, Outcome, attack, check, mib, wait_until
from http_transport import connect, post
from security import keys_file

MANY = ROOT / "tests/data/models/tiny-nllb"  # of some two hundred languages
SLACK = 20 * MIB
QUIET = 8.0  # seconds without an attack
# Below it the timer of the machine and other processes decide.
LEAST_P99 = 0.010
# What a request may cost before its job, for each MiB, and at least.
PER_MIB, LEAST_COST = 0.050, 0.001


class Polite(Repeated):
    """Clients that translate a short sentence every 50 ms with their key."""

    def __init__(self, daemon, count=4, path=None, body=None):
        self._headers = {"Authorization": f"Bearer {daemon.polite_key}", "Content-Type": "application/json"}
        self._path = path or "/v1/translate"
        self._body = body or json.dumps({"contents": ["Das ist ein Test."], "model": "de-en"})
        self._lock = threading.Lock()
        self._answers = []  # (when it began, seconds)
        self.failures = []
        super().__init__(*(functools.partial(self._ask, HttpClient(daemon.api_address)) for _ in range(count)))

    def _ask(self, client, stop):
        if stop.wait(0.05):
            return
        begin = time.monotonic()
        try:
            status = client.ask("POST", self._path, self._body, self._headers)[0]
        except (OSError, http.client.HTTPException) as error:
            status = type(error).__name__
        with self._lock:
            self._answers.append((begin, time.monotonic() - begin))
            if status != 200:
                self.failures.append(status)

    def p99(self, begin, end):
        with self._lock:
            found = sorted(took for at, took in self._answers if begin <= at < end)
        check(len(found) >= 50, f"{len(found)} polite calls, too few to say")
        return found[min(len(found) - 1, int(0.99 * len(found)))]


@contextlib.contextmanager
def _attacked(*flags):
    """Yields (daemon, key, group) in a group of the printed bound and some MiB, or None. The key is the attacker's; the
    polite have their own (daemon.polite_key)."""
    file, keys = keys_file(polite={"models": ["*"]}, attacker={"models": ["*"]})
    with memory_group(1 << 40) as group:
        if group is None:
            yield None
            return
        flags = ("--model", f"many={MANY}", "--http", "127.0.0.1:0", "--api-keys", file.name, "--max-rows", 16, *flags)
        with daemons_in(group), Daemon("--model", f"de-en={ROOT}/deploy/models/de-en", *flags, model=None) as daemon:
            group.set_limit(daemon.memory_bound()["sum_bytes"] + SLACK)
            daemon.polite_key = keys["polite"]
            yield daemon, keys["attacker"], group
            check(daemon.alive() and group.kills() == 0, f"killed in the group; status {daemon.wait(1)}")


def _next_to_polite(daemon, group, act, crowd=(), **polite):
    """Runs act() next to polite clients; returns what to say of them, and what act() returned. `crowd`: functions that
    do the same work as act() without its malice. Where it is given, the time beside it is the one to compare with:
    whoever translates takes processor time."""
    with Polite(daemon, **polite) as clients:
        time.sleep(1.0)
        begin = time.monotonic()
        with Repeated(*crowd):
            time.sleep(QUIET)
        quiet_end = time.monotonic()
        result = act()
        end = max(time.monotonic(), quiet_end + 2)
        while time.monotonic() < end:
            time.sleep(0.05)
    quiet, under = clients.p99(begin, quiet_end), clients.p99(quiet_end, end)
    bound = daemon.memory_bound()["sum_bytes"]
    text = (
        f"p99 {'beside a crowd' if crowd else 'quiet'} {quiet * 1e3:.0f} ms, attacked {under * 1e3:.0f} ms; {mib(group.held())} of {mib(bound)} held, "
        f"{mib(daemon.peak_rss())} at the peak"
    )
    check(group.kills() == 0 and daemon.alive(), f"{text}; killed")
    check(not clients.failures, f"{text}; failures {clients.failures[:5]}")
    check(under <= 3 * max(quiet, LEAST_P99), f"{text}: more than three times")
    return text, result


def _ask(daemon, key, method, path, body=None, kind="application/json"):
    headers = {"Content-Type": kind}
    if key is not None:
        headers["Authorization"] = f"Bearer {key}"
    with HttpClient(daemon.api_address) as client:
        return client.ask(method, path, body, headers, 120)


def _costs(daemon, key, path, body, kind="application/json", times=8):
    """Seconds of a processor for each such request, and its status."""
    before = daemon.cpu_seconds()
    statuses = {_ask(daemon, key, "POST", path, body, kind)[0] for _ in range(times)}
    return (daemon.cpu_seconds() - before) / times, statuses


def _check_costs(daemon, key, requests):
    """Each of (name, path, body) costs at most PER_MIB; returns what to say."""
    text = []
    idle = daemon.cpu_seconds()
    time.sleep(2)
    idle = (daemon.cpu_seconds() - idle) / 2  # of polite clients, for each second
    for name, path, body, *kind in requests:
        begin = time.monotonic()
        seconds, statuses = _costs(daemon, key, path, body, *kind)
        seconds -= idle * (time.monotonic() - begin) / 8
        allowed = max(LEAST_COST, PER_MIB * len(body) / MIB)
        text.append(f"{name} {max(seconds, 0) * 1e3:.0f} of {allowed * 1e3:.0f} ms {sorted(statuses)}")
        # The clock of processes ticks every 10 ms.
        check(seconds <= allowed + 0.010, f"{text[-1]}: too much for {len(body)} bytes")
    return "; ".join(text)


# ------------------------------------------------------------------ point 1: answers


@attack("unread_glossaries", issue=53, limit=240)
def unread_glossaries():
    """64 connections that ask for a glossary of 12 MiB and for every list, and read nothing."""
    with tempfile.TemporaryDirectory(prefix="attack-") as name:
        with open(pathlib.Path(name) / "large.tsv", "w") as file:
            file.write("".join(f"Wort{i} lang genug\tword{i} long enough\n" for i in range(320_000)))
        with _attacked("--glossary-dir", name, "--write-timeout-seconds", 5) as attacked:
            if attacked is None:
                return SKIPPED
            daemon, key, group = attacked
            paths = ["/v2/glossaries/large/entries"] * 16 + [
                "/v2/glossaries", "/languages", "/v1/languages", "/v1/models", "/v1/openapi.json", "/v2/languages",
                "/language/translate/v2/languages?target=de", "/v1/info/models"]  # fmt: skip

            def act():
                raws = []
                for i in range(96):
                    raw = connect(daemon, receive_buffer=4096)
                    path = paths[i % len(paths)]
                    raw.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\n\r\n".encode())
                    raws.append(raw)
                time.sleep(4)
                for raw in raws:
                    raw.close()

            text, _ = _next_to_polite(daemon, group, act)
            whole = _ask(daemon, key, "GET", "/v2/glossaries/large/entries")
            check(whole[0] == 200 and len(whole[2]) > 10 * MIB, f"{whole[0]}: {len(whole[2])} bytes")
            check(whole[2].count(b"\n") == 319_999, "the glossary is not whole")
            return Outcome(text, f"{mib(daemon.memory_bound()['sum_bytes'] + SLACK)}")


@attack("unread_lists_of_alternatives", issue=53, limit=240)
def unread_lists_of_alternatives():
    """48 connections that ask for 400 texts with 16 alternatives each and read nothing, in every way to write them."""
    with _attacked("--write-timeout-seconds", 5, "--max-queue-segments", 40_000, "--max-queue-tokens", 4_000_000) as attacked:
        if attacked is None:
            return SKIPPED
        daemon, key, group = attacked
        rest = json.dumps({"contents": ["Ja."] * 400, "model": "many", "sourceLanguageCode": "deu_Latn",
                           "targetLanguageCode": "eng_Latn", "returnOptions": {"tokens": True},
                           "decoding": {"beamSize": 16, "numAlternatives": 16, "maxOutputTokens": 8}}).encode()  # fmt: skip
        libre = json.dumps({"q": ["Ja."] * 400, "source": "deu_Latn", "target": "eng_Latn", "alternatives": 15}).encode()
        bodies = [("/v1/translate", rest), ("/v1/translate:stream", rest), ("/translate", libre)]

        def act():
            raws = []
            for i in range(48):
                raw = connect(daemon, receive_buffer=4096)
                path, body = bodies[i % len(bodies)]
                raw.sendall(post(body, path=path, headers=[b"Authorization: Bearer " + key.encode()]))
                raws.append(raw)
            time.sleep(8)
            for raw in raws:
                raw.close()

        def read(stop, path, body):
            if not stop.is_set():
                _ask(daemon, key, "POST", path, body)

        crowd = [functools.partial(read, path=path, body=body) for path, body in bodies] * 2
        text, _ = _next_to_polite(daemon, group, act, crowd)
        return Outcome(text, mib(daemon.memory_bound()["sum_bytes"] + SLACK))


# ------------------------------------------------------------------ point 2: bytes times languages


def _costly():
    xml = {"source_lang": "DE", "target_lang": "XX", "tag_handling": "xml"}
    spellings = ["".join(c.upper() if i >> n & 1 else c for n, c in enumerate("germangerman"[:10])) for i in range(1024)]
    yield "spellings", "/v1/completions", json.dumps(
        {"model": "many", "prompt": [f"Translate from {s} to English: a" for s in spellings]})  # fmt: skip
    yield "codes", "/v1/completions", json.dumps(
        {"model": "many", "prompt": [f"Translate from de-x-{i} to en: a" for i in range(1024)]})  # fmt: skip
    yield "prompts", "/v1/completions", json.dumps(
        {"model": "none", "prompt": ["Translate from " + "to " * 20] * 1024})  # fmt: skip
    yield "document types", "/v2/translate", json.dumps({**xml, "text": ["<!DOCTYPE>" * 190_000]})
    yield "comments", "/v2/translate", json.dumps({**xml, "text": ["<!---->" * 250_000]})
    yield "open tags", "/v2/translate", json.dumps({**xml, "text": ["<a>" * 500_000]})
    yield "empty elements", "/v2/translate", json.dumps({**xml, "text": ["<a/>" * 375_000]})
    yield "ignored tags", "/v2/translate", json.dumps(
        {**xml, "text": ["<x/>"], "ignore_tags": ",".join(f"a{i}" for i in range(200_000))})  # fmt: skip
    yield "fields", "/v2/translate", json.dumps({f"a{i}": "b" for i in range(60_000)})
    yield "numbers", "/translate", "[" + "1," * 65_000 + "1]"
    yield "form", "/translate", "q=%C3%A4&" * 4000 + "target=en&source=de&x=" + "a" * 1_500_000, \
        "application/x-www-form-urlencoded"  # fmt: skip


@attack("bytes_times_languages", issue=53, limit=400)
def bytes_times_languages():
    """Requests with as many names and tags as fit, two hundred languages served."""
    with _attacked() as attacked:
        if attacked is None:
            return SKIPPED
        daemon, key, group = attacked
        _ask(daemon, key, "POST", "/v1/completions", json.dumps({"model": "many", "prompt": "Translate from German to English: a"}))
        costs = _check_costs(daemon, key, _costly())

        def act():
            for name, path, body, *kind in _costly():
                for _ in range(2):
                    _ask(daemon, key, "POST", path, body, *kind)

        text, _ = _next_to_polite(daemon, group, act)
        return Outcome(f"{text}; {costs}", "50 ms a MiB")


# ------------------------------------------------------------------ point 3: lists


@attack("a_list_for_each_of_a_thousand", issue=53, limit=240)
def a_list_for_each_of_a_thousand():
    """1,000 connections with one GET of a list each, again and again, two hundred languages served."""
    with _attacked() as attacked:
        if attacked is None:
            return SKIPPED
        daemon, key, group = attacked
        paths = ["/languages", "/v1/languages", "/v1/models", "/v2/languages?type=target",
                 "/language/translate/v2/languages?target=de", "/v3/projects/p/supportedLanguages"]  # fmt: skip

        def act():
            begin, cpu = time.monotonic(), daemon.cpu_seconds()
            raws = [connect(daemon) for _ in range(1000)]
            for i, raw in enumerate(raws):
                path = paths[i % len(paths)]
                raw.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\n"
                            "Connection: close\r\n\r\n".encode())  # fmt: skip
            first = b""
            for raw in raws:
                first = raw.recv(12)
                check(first == b"HTTP/1.1 200", f"{first!r}")
                while raw.recv(1 << 18):
                    pass
                raw.close()
            return time.monotonic() - begin, daemon.cpu_seconds() - cpu

        text, (seconds, cpu) = _next_to_polite(daemon, group, act)
        check(cpu < 3, f"{text}; {cpu:.1f} s of a processor for 1,000 lists")
        return Outcome(f"{text}; 1,000 lists in {seconds:.1f} s, {cpu:.2f} s of a processor", "3 ms a list")


# ------------------------------------------------------------------ points 4 and 6: strangers


@attack("bodies_without_a_key", issue=53, limit=240)
def bodies_without_a_key():
    """Bodies of 1.6 MiB without a key, where a key may be in the body and where it may not."""
    with _attacked() as attacked:
        if attacked is None:
            return SKIPPED
        daemon, key, group = attacked
        numbers = '{"q": [' + "[]," * 20_000 + '"' + "a" * 1_500_000 + '"]}'
        requests = [
            ("LibreTranslate", "/translate", numbers),
            ("DeepL", "/v2/translate", numbers),
            ("short values", "/translate", '{"q": [' + '"a",' * 60_000 + '"a"]' + " " * 1_300_000 + "}"),
            ("REST", "/v1/translate", numbers),
        ]
        text = []
        for name, path, body in requests:
            seconds, statuses = _costs(daemon, None, path, body, times=16)
            text.append(f"{name} {seconds * 1e3:.0f} ms {sorted(statuses)}")
            check(statuses <= {401, 403}, text[-1])
            check(seconds < 0.012 * len(body) / MIB, f"{text[-1]}: much for a request without a key")

        def act():
            for _ in range(3):
                for _, path, body in requests:
                    _ask(daemon, None, "POST", path, body)

        polite, _ = _next_to_polite(daemon, group, act)
        return Outcome(f"{polite}; {'; '.join(text)}", "12 ms a MiB")


@attack("repeated_tags", issue=53, limit=240)
def repeated_tags():
    """A tag of 1.8 MiB around words that their translation tears apart, in DeepL's XML; eight such texts at a time."""
    words = "Wenn ich Zeit <b/>hätte, würde <b/>ich heute <b/>eine neue <b/>Sprache lernen. " * 4
    text = f"<a c='{'d' * 1_800_000}'>{words}</a>"
    fields = {"source_lang": "DE", "target_lang": "EN", "tag_handling": "xml"}
    body = json.dumps({"text": [text], **fields})
    short = json.dumps({"text": [f"<a>{words}</a>"], **fields})
    with _attacked() as attacked:
        if attacked is None:
            return SKIPPED
        daemon, key, group = attacked
        found = []

        def ask(stop):
            if len(found) < 32 and not stop.is_set():
                status, _, answer = _ask(daemon, key, "POST", "/v2/translate", body)
                found.append((status, len(answer)))
            else:
                stop.wait(0.05)

        def act():
            with Repeated(*[ask] * 8):
                check(wait_until(lambda: len(found) >= 32, 120), f"{len(found)} of 32 answers")

        def ask_short(_stop):
            _ask(daemon, key, "POST", "/v2/translate", short)

        polite, _ = _next_to_polite(daemon, group, act, [ask_short] * 8)
        statuses = sorted({status for status, _ in found})
        check(set(statuses) <= {200, 400, 413, 503}, f"{polite}; {statuses}")
        longest = max(size for _, size in found)
        check(longest <= 5 * len(text), f"{polite}; an answer of {mib(longest)} to {mib(len(text))}")
        return Outcome(f"{polite}; {statuses}, at most {mib(longest)}", f"five times {mib(len(text))}")


@attack("half_bodies_of_strangers", issue=53, limit=240)
def half_bodies_of_strangers():
    """200 connections without a key that send half a body each, at paths with and without keys in bodies."""
    large = json.dumps({"contents": ["Das ist ein Test."], "model": "de-en"}) + " " * 480_000
    with _attacked("--receive-memory-mb", 16) as attacked:
        if attacked is None:
            return SKIPPED
        daemon, key, group = attacked

        def act():
            end = time.monotonic() + 10
            raws, refused = [], 0
            while time.monotonic() < end:
                for i in range(200):
                    if len(raws) > i and raws[i] is not None:
                        raws[i].close()
                    raw = connect(daemon, 5.0)
                    path = ("/translate", "/v2/translate", "/v1/translate", "/language/translate/v2")[i % 4]
                    with contextlib.suppress(OSError):
                        raw.sendall(post(b"{" + b" " * 900_000, path=path, length=1_900_000))
                    raws[i : i + 1] = [raw]
                time.sleep(0.2)
            for raw in raws:
                raw.settimeout(0.01)
                with contextlib.suppress(OSError):
                    refused += raw.recv(12)[:9] == b"HTTP/1.1 "
                raw.close()
            return refused

        text, refused = _next_to_polite(daemon, group, act, path="/v1/translate", body=large)
        return Outcome(f"{text}; {refused} of the last 200 were answered", "no polite request of 480 KB fails")
