"""A daemon under all kinds of calls for half an hour, and what is left of them; see README.md."""

import argparse
import asyncio
import collections
import contextlib
import json
import os
import pathlib
import random
import re
import shutil
import signal
import statistics
import sys
import tempfile
import threading
import time

import grpc
from dragoman.v1 import translation_pb2 as pb
from dragoman.v1 import translation_pb2_grpc

import cases as requests
from cases import FIRST, GLOSSARY, GLOSSARY_TSV, LANGUAGES, PIVOT, SECOND
from harness import MODEL, Daemon, Failed, wait_until
from otlp import Collector
from security import Certificates, bearer, keys_file

CASES = 1500
CONNECTIONS = 8
IN_FLIGHT = 96  # while the load is measured that the daemon bears
DEADLINE = 30.0
GUEST, GUEST_LANGUAGES = "guest", ("nl", "da")
# Twice that for float32. K/V take memory as bursts of calls need it and keep it until a reload: a pool that is soon in use as
# a whole leaves memory to depend on nothing but time.
KV_MIB = 24
FLAT = 0.02
# What a client does with a call, in hundredths of all. The rest waits for the answer.
FATES = {"cancelled": 4, "too short a deadline": 4, "left in the midst": 2, "slow reader": 2}
# What may come of a call that its client neither ends nor hurries.
TURNED_AWAY = ("RESOURCE_EXHAUSTED", "DEADLINE_EXCEEDED")

# ------------------------------------------------------------------ the daemon


class Place:
    """The directory that a daemon reads from: two models, a glossary, certificates, keys; and what
    changes in them while it serves."""

    def __init__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="soak-")
        self.root = pathlib.Path(self._folder.name)
        self.certificates = Certificates()
        self._keys_file, keys = keys_file(web={}, batch={"share": 2})
        self.keys = list(keys.values())
        self._changes = 0
        # There is one real model here. The others are the same and say that they know other languages.
        self._copy(FIRST, LANGUAGES[FIRST])
        self._copy(SECOND, LANGUAGES[SECOND])
        self._copy(GUEST, GUEST_LANGUAGES)
        (self.root / "glossaries").mkdir()
        self._write_glossary()
        models = [{"name": FIRST, "directory": str(self.root / FIRST), "kv-memory-mb": KV_MIB},
                  {"name": SECOND, "directory": str(self.root / SECOND), "kv-memory-mb": 2 * KV_MIB,
                   "compute-type": "float32"}]  # fmt: skip
        (self.root / "config.json").write_text(
            json.dumps({"models": models, "pivot": f"{PIVOT}={FIRST}+{SECOND}",
                        "glossary-dir": str(self.root / "glossaries")}))  # fmt: skip

    def _copy(self, name, languages):
        (self.root / name).mkdir()
        for file in ("config.json", "generation_config.json", "model.safetensors", "source.spm", "target.spm",
                     "vocab.json"):  # fmt: skip
            shutil.copy(MODEL / file, self.root / name)
        tokenizer = json.loads((MODEL / "tokenizer_config.json").read_text())
        tokenizer.update(source_lang=languages[0], target_lang=languages[1])
        (self.root / name / "tokenizer_config.json").write_text(json.dumps(tokenizer))

    def flags(self):
        return ("--config", self.root / "config.json", "--admin-listen", "127.0.0.1:0", "--api-keys",
                self._keys_file.name, *self.certificates.flags())  # fmt: skip

    def _write_glossary(self):
        text = GLOSSARY_TSV + f"Quastenflosser Nummer {self._changes}\tcoelacanth\n"
        (self.root / "glossaries" / f"{GLOSSARY}.tsv").write_text(text)

    def change(self):
        """Another second model to the checksum, another glossary, certificate and file of keys; nothing that
        an answer shows."""
        self._changes += 1
        (self.root / SECOND / "notes.txt").write_text(f"change {self._changes}\n")
        self._write_glossary()
        self.certificates.renew()
        path = pathlib.Path(self._keys_file.name)
        path.write_text(path.read_text().rstrip() + "\n" * (1 + self._changes % 2))

    @contextlib.contextmanager
    def broken(self):
        """The second model's directory has half a file."""
        path = self.root / SECOND / "config.json"
        whole = path.read_bytes()
        path.write_bytes(whole[: len(whole) // 2])
        try:
            yield
        finally:
            path.write_bytes(whole)

    def credentials(self):
        return grpc.ssl_channel_credentials(pathlib.Path(self.certificates["ca.pem"]).read_bytes())


# ------------------------------------------------------------------ calls


def _bytes(translations):
    ordered = sorted(translations, key=lambda t: t.index)
    return tuple(t.SerializeToString(deterministic=True) for t in ordered)


class Connection:
    def __init__(self, address, credentials):
        options = [("grpc.use_local_subchannel_pool", 1), ("grpc.enable_retries", 0)]
        self.channel = grpc.aio.secure_channel(address, credentials, options=options)
        self.stub = translation_pb2_grpc.TranslationServiceStub(self.channel)
        self.cut = False

    async def close(self, abruptly=False):
        """At once, or after its calls."""
        self.cut = abruptly
        await self.channel.close(None if abruptly else DEADLINE + 10)


class Clients:
    """Calls over some connections, which are replaced one after another."""

    def __init__(self, daemon, place, seed):
        self._address = daemon.grpc
        self._place = place
        self._draw = random.Random(seed)
        self._connections = collections.deque()
        self.sent = collections.Counter()  # by method
        self.came = collections.Counter()  # (method, fate): codes
        self.fates = collections.Counter()  # (fate, code)
        self.wrong = []
        self.wrong_count = 0
        self.compared = 0
        self.partials = 0
        self.draws = []  # (case, answer) of draws without a seed

    def open(self):
        while len(self._connections) < CONNECTIONS:
            self._connections.append(Connection(self._address, self._place.credentials()))

    def renew_one(self, abruptly):
        """Another connection in the place of the oldest, whose end is returned, to be awaited."""
        oldest = self._connections.popleft()
        self.open()
        return oldest.close(abruptly)

    async def close(self):
        while self._connections:
            await self._connections.popleft().close()

    def _metadata(self):
        sampled = "01" if self._draw.random() < 0.01 else "00"
        parent = f"00-{self._draw.getrandbits(128):032x}-{self._draw.getrandbits(64):016x}-{sampled}"
        return [*bearer(self._draw.choice(self._place.keys)), ("traceparent", parent)]

    def note_wrong(self, text):
        self.wrong_count += 1
        if len(self.wrong) < 20:
            self.wrong.append(text[:600])

    async def _answer(self, stub, case, request, fate):
        """(code, message, translations) as the contract has them; raises CancelledError where we ended it."""
        late = self._draw.uniform(0.001, 0.05) if fate == "too short a deadline" else DEADLINE
        method = stub.StreamTranslate if case.stream else stub.Translate
        call = method(request, timeout=late, metadata=self._metadata())
        timer = None
        if fate == "cancelled":
            timer = asyncio.get_running_loop().call_later(self._draw.uniform(0, 0.3), call.cancel)
        try:
            if not case.stream:
                return "OK", "", _bytes((await call).translations)
            items, texts = [], collections.defaultdict(list)
            async for message in call:
                if message.HasField("translation"):
                    items.append(message.translation)
                elif message.text or message.final:
                    texts[message.item, message.segment].append(message.text)
                if fate == "left in the midst":
                    call.cancel()
                elif fate == "slow reader":
                    await asyncio.sleep(0.02)
            self._check_prefixes(texts)
            return "OK", "", _bytes(items)
        except grpc.aio.AioRpcError as error:
            # The guest is not always among the models that there are.
            return error.code().name, error.details().replace(f", {GUEST}", ""), ()
        finally:
            if timer is not None:
                timer.cancel()

    def _check_prefixes(self, texts):
        for parts in texts.values():
            self.partials += len(parts) - 1
            if any(not parts[-1].startswith(part) for part in parts):
                self.note_wrong(f"a partial is no prefix of what followed: {parts}")

    async def call(self, case, fate="waits"):
        """One call, counted, its answer compared. Returns its code."""
        method = "StreamTranslate" if case.stream else "Translate"
        request = case.request
        if case.kind == "sampling" and self._draw.random() < 0.05:
            request = pb.TranslateRequest.FromString(request.SerializeToString())
            request.decoding.sampling.ClearField("seed")
        connection = self._connections[self._draw.randrange(len(self._connections))]
        self.sent[method] += 1
        answer = None
        try:
            code, message, translations = answer = await self._answer(connection.stub, case, request, fate)
        except asyncio.CancelledError:
            code = "CANCELLED"
            if connection.cut:
                fate = "cut off"
        self.came[method, code] += 1
        self.fates[fate, code] += 1
        if fate in ("waits", "slow reader"):
            self._judge(case, request, answer, code)
        elif code == "OK":
            self._judge(case, request, answer, code)
        elif code not in ("CANCELLED", *TURNED_AWAY) and (code, message) != case.expected[:2]:
            self.note_wrong(f"{fate}: {code} {message}: {case.request}")
        return code

    def _judge(self, case, request, answer, code):
        if code in TURNED_AWAY:
            return
        if request is not case.request:
            if code == "OK" and len(self.draws) < 200:
                self.draws.append((case, answer))
            elif code != case.expected[0]:
                self.note_wrong(f"{code} instead of {case.expected[0]}: {request}")
        elif case.expected is None:
            case.expected = answer
        else:
            self.compared += 1
            if answer != case.expected:
                self.note_wrong(f"{case.kind}, stream {case.stream}: found {answer}, expected {case.expected}: "
                                f"{request}")  # fmt: skip

    async def compare_draws(self):
        """Draws without a seed, once more with the one that came back."""
        for case, answer in self.draws:
            translations = [pb.Translation.FromString(t) for t in answer[2]]
            again = requests.Case(case.kind, pb.TranslateRequest(), case.stream, answer)
            again.request.CopyFrom(case.request)
            again.request.decoding.sampling.seed = translations[0].seed
            again.kind = "a draw again"
            await self.call(again)
        return len(self.draws)


# ------------------------------------------------------------------ what is watched


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

    def medians(self):
        """Medians of resident memory over the first and the last third of what follows the warm-up, and when
        that ends: a fifth of the time, or a minute if that is longer."""
        whole = self.resident[-1][0]
        warm = max(60.0, whole / 5)
        third = (whole - warm) / 3
        first = [b for t, b in self.resident if warm <= t < warm + third]
        last = [b for t, b in self.resident if t >= whole - third]
        return statistics.median(first), statistics.median(last), warm


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


# ------------------------------------------------------------------ administration


class Operator:
    """What happens in each minute, beside the calls: a reload, a model that comes and goes, other files and
    SIGHUP, a reload of a broken model."""

    def __init__(self, daemon, place, clients):
        self._daemon = daemon
        self._place = place
        self._clients = clients
        self._channel = grpc.aio.insecure_channel(daemon.admin)
        self._stub = translation_pb2_grpc.AdminServiceStub(self._channel)
        self.done = collections.Counter()
        self.wrong = []

    async def run(self, seconds):
        begin = time.monotonic()
        minute = 0
        steps = [(5, self._reload), (20, self._guest), (35, self._hang_up), (50, self._reload_broken)]
        while True:
            for second, step in steps:
                wait = begin + 60 * minute + second - time.monotonic()
                if time.monotonic() + wait > begin + seconds - 5:
                    return
                await asyncio.sleep(max(0, wait))
                try:
                    await step(minute)
                except (grpc.aio.AioRpcError, AssertionError, Failed) as error:
                    self.wrong.append(f"minute {minute}, {step.__name__}: {error}"[:400])
            minute += 1

    async def close(self):
        await self._channel.close()

    async def _reload(self, minute):
        name = (FIRST, SECOND)[minute % 2]
        answer = await self._stub.ReloadModel(pb.ReloadModelRequest(name=name), timeout=60)
        assert answer.reloaded, f"{name} was not reloaded"
        self.done["reloads"] += 1

    async def _guest(self, _):
        load = pb.LoadModelRequest(name=GUEST, directory=str(self._place.root / GUEST), settings={"max-rows": "32"})
        await self._stub.LoadModel(load, timeout=60)
        request = pb.TranslateRequest(contents=["Das ist ein Test."], model=GUEST)
        codes = [await self._clients.call(requests.Case(GUEST, request, stream)) for stream in (False, True)]
        assert codes == ["OK", "OK"], f"the guest answers {codes}"
        await self._stub.UnloadModel(pb.UnloadModelRequest(name=GUEST), timeout=60)
        self.done["guests loaded and unloaded"] += 1

    async def _hang_up(self, minute):
        if minute % 3 != 1:
            return
        name = f'dragoman_model_version{{model="{SECOND}"}}'
        before = (await asyncio.to_thread(self._daemon.samples))[name]
        self._place.change()
        self._daemon.signal(signal.SIGHUP)
        for _ in range(300):
            await asyncio.sleep(0.1)
            if (await asyncio.to_thread(self._daemon.samples))[name] > before:
                break
        else:
            raise Failed("nothing was reloaded 30 s after SIGHUP")
        self.done["SIGHUP with new files"] += 1

    async def _reload_broken(self, minute):
        level = "warn" if minute % 2 else "info"
        await self._stub.SetLogLevel(pb.SetLogLevelRequest(level=level), timeout=10)
        if minute % 3 != 2:
            return
        with self._place.broken():
            try:
                await self._stub.ReloadModel(pb.ReloadModelRequest(name=SECOND), timeout=60)
                raise AssertionError("a broken directory was loaded")
            except grpc.aio.AioRpcError as error:
                assert error.code() == grpc.StatusCode.INVALID_ARGUMENT, error
        self.done["reloads of a broken directory"] += 1


# ------------------------------------------------------------------ load


async def measure(clients, cases, seconds):
    """Calls per second with IN_FLIGHT at all times, over the later three quarters."""
    loop = asyncio.get_running_loop()
    draw = random.Random(1)
    begin = loop.time()
    ends = []

    async def one_after_another():
        while loop.time() < begin + seconds:
            await clients.call(draw.choice(cases))
            ends.append(loop.time() - begin)

    await asyncio.gather(*(one_after_another() for _ in range(IN_FLIGHT)))
    return sum(seconds / 4 <= end < seconds for end in ends) / (seconds * 3 / 4)


async def load(clients, cases, rate, seconds):
    """Calls that come by chance, `rate` a second, whatever becomes of those before. Returns when all are over."""
    loop = asyncio.get_running_loop()
    draw = random.Random(2)
    tasks = set()
    fates, weights = list(FATES) + ["waits"], list(FATES.values()) + [100 - sum(FATES.values())]

    def start(what):
        task = loop.create_task(what)
        tasks.add(task)
        task.add_done_callback(ended)

    def ended(task):
        tasks.discard(task)
        if task.cancelled() or task.exception() is not None:
            clients.note_wrong(f"the client broke: {task}")

    begin = due = loop.time()
    renewal = begin + 2
    while due < begin + seconds:
        await asyncio.sleep(max(0, due - loop.time()))
        while due <= loop.time():
            start(clients.call(draw.choice(cases), draw.choices(fates, weights)[0]))
            due += draw.expovariate(rate)
        if loop.time() >= renewal:
            renewal += 2
            start(clients.renew_one(abruptly=draw.random() < 0.3))
    while tasks:
        await asyncio.wait(tasks, timeout=DEADLINE * 2)


# ------------------------------------------------------------------ the end

AT_REST = ("segments_waiting", "segments_running", "queue_segments", "queue_tokens", "decode_rows",
           "kv_cache_usage_ratio", "requests_waiting", "requests_running", "detokenize_backlog",
           "queue_oldest_age_seconds", "connections")  # fmt: skip


def at_rest(samples):
    """Gauges that should be 0 when nobody calls, and are not."""
    names = re.compile(rf"dragoman_({'|'.join(AT_REST)})(\{{.*)?")
    return [f"{key} {value:g}" for key, value in samples.items() if names.fullmatch(key) and value != 0]


def count_wrong(clients, daemon):
    """Where the daemon's count of calls is not the clients'. What a client ended itself, the daemon may have met
    as something else, or never."""
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


class Table:
    """What was checked, as it is found."""

    def __init__(self):
        self.failed = 0

    def row(self, what, found, wrong=()):
        wrong = [str(w) for w in wrong]
        self.failed += bool(wrong)
        print(f"{'FAILED' if wrong else 'ok':6} {what}: {found}")
        for line in wrong[:8]:
            print(f"       {line}")
        if len(wrong) > 8:
            print(f"       and {len(wrong) - 8} more")
        sys.stdout.flush()


def own_threads(daemon):
    """Those with the process's name. gRPC's have names of their own, and come and go with its timers."""
    names = []
    for task in pathlib.Path(f"/proc/{daemon.pid}/task").iterdir():
        with contextlib.suppress(OSError):
            names.append((task / "comm").read_text().strip())
    return names.count("dragomand")


def mb(count):
    return f"{count / 1e6:.1f} MB"


def share_processors():
    """The first half of this process's processors is the daemon's, the other is ours. Returns both."""
    all_of_them = sorted(os.sched_getaffinity(0))
    half = len(all_of_them) // 2
    return (all_of_them[:half], all_of_them[half:]) if half else (all_of_them, all_of_them)


@contextlib.contextmanager
def started(place, processors, *flags):
    theirs, ours = processors
    os.sched_setaffinity(0, theirs)
    try:
        daemon = Daemon(*place.flags(), *flags, model=None)
    finally:
        os.sched_setaffinity(0, ours)
    with daemon:
        yield daemon


async def answers_of_an_idle_daemon(place, cases, processors):
    with started(place, processors) as daemon:
        clients = Clients(daemon, place, 1)
        clients.open()
        for case in cases:
            while case.expected is None:
                await clients.call(case)
        await clients.close()
    return collections.Counter((case.kind, case.expected[0]) for case in cases)


async def soak(arguments, place, table):
    processors = share_processors()
    cases = requests.make(CASES, arguments.seed)
    kinds = await answers_of_an_idle_daemon(place, cases, processors)
    sound = sum(n for (_, code), n in kinds.items() if code == "OK")
    refusals = sorted(f"{kind} {code} {n}" for (kind, code), n in kinds.items() if code != "OK")
    table.row("requests", f"{len(cases)} of {len(requests.KINDS)} kinds; an idle daemon translates {sound} and refuses: "
              + ", ".join(refusals), [f"no case has {name}" for name in requests.missing_options(cases)]
              + [r for r in refusals if not r.startswith("refused ")])  # fmt: skip
    collector = Collector()
    with started(place, processors, *collector.flag) as daemon:
        clients = Clients(daemon, place, 2)
        clients.open()
        bears = await measure(clients, cases, 30 if arguments.minutes >= 5 else 15)
        rate = bears * arguments.load
        await clients.close()
        wait_until(lambda: not at_rest(daemon.samples()), 60)
        before = (daemon.fds(), own_threads(daemon), daemon.threads())
        table.row("load", f"{bears:.0f} calls/s with {IN_FLIGHT} in flight; {rate:.0f} calls/s from here on")

        clients.open()
        operator = Operator(daemon, place, clients)
        seconds = arguments.minutes * 60
        cpu, begin = daemon.cpu_seconds(), time.monotonic()
        with Watch(daemon) as watch:
            await asyncio.gather(load(clients, cases, rate, seconds), operator.run(seconds))
            cpu, took = daemon.cpu_seconds() - cpu, time.monotonic() - begin
        replayed = await clients.compare_draws()
        await clients.close()
        await operator.close()
        rested = await asyncio.to_thread(wait_until, lambda: not at_rest(daemon.samples()), 60)
        await asyncio.to_thread(wait_until, lambda: daemon.fds() <= before[0] and own_threads(daemon) <= before[1], 60)
        samples = daemon.samples()

        total = sum(clients.sent.values())
        table.row("calls", f"{total} in {took:.0f} s, {cpu / took:.2f} processors busy; " + ", ".join(
            f"{fate}: {code} {n}" for (fate, code), n in sorted(clients.fates.items())))
        table.row("administration", ", ".join(f"{n} {what}" for what, n in operator.done.items()), operator.wrong)
        table.row("answers", f"{clients.compared} as of an idle daemon, {replayed} draws repeated by their seeds, "
                  f"{clients.partials} partials; {clients.wrong_count} wrong", clients.wrong)  # fmt: skip
        table.row("calls counted", "as by the clients", count_wrong(clients, daemon))
        table.row("metrics", f"{watch.scrapes} scrapes, {min(watch.series)} to {max(watch.series)} series", watch.wrong)
        table.row("at rest", "all gauges 0", [] if rested else at_rest(samples))
        accepted = of_models(samples, "dragoman_segments_accepted_total")
        failed = [key for key, value in samples.items() if value and re.match(
            r'dragoman_(segments_total\{.*outcome="error"|engine_errors_total|log_lines_dropped_total'
            r'|spans_total\{outcome="(queue_full|failed))', key)]  # fmt: skip
        table.row("segments", ", ".join(f"{n:.0f} of {model}" for model, n in accepted.items()),
                  balance(samples) + failed)  # fmt: skip
        first, last, warm = watch.medians()
        grown = last / first - 1
        peak = max(b for _, b in watch.resident)
        memory = (f"{mb(first)} in the first third after {warm:.0f} s, {mb(last)} in the last ({grown:+.2%}), "
                  f"{mb(peak)} at most, {mb(daemon.rss())} at rest")  # fmt: skip
        table.row("resident memory", memory, [] if abs(grown) <= FLAT else [f"not within {FLAT:.0%}"])
        table.row("descriptors", f"{before[0]} before, {watch.descriptors} at most, {daemon.fds()} after",
                  ["some are left"] if daemon.fds() > before[0] else [])  # fmt: skip
        own = own_threads(daemon)
        table.row("threads", f"{own} beside gRPC's, {before[1]} before; with those {daemon.threads()}, {before[2]} before, "
                  f"{watch.threads} at most", ["some are left"] if own > before[1] else [])  # fmt: skip
        if arguments.series:
            text = "".join(f"{t:.0f} {b}\n" for t, b in watch.resident)
            pathlib.Path(arguments.series).write_text(text)
        status = None
        if daemon.alive():
            daemon.signal()
            status = daemon.wait(60)
        exported = samples.get('dragoman_spans_total{outcome="exported"}', 0)
        table.row("spans", f"{len(collector.spans())} at the collector",
                  [f"{exported:.0f} counted"] if exported > len(collector.spans()) else [])  # fmt: skip
        table.row("end", f"status {status}", [] if status == 0 else ["expected 0"])
        table.row("log", f"{sum(1 for _ in daemon.log_lines())} lines",
                  bad_lines(daemon, operator.done["reloads of a broken directory"]))  # fmt: skip


def main():
    parser = argparse.ArgumentParser(prog="run.sh")
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--load", type=float, default=0.8, help="of what the daemon bears")
    parser.add_argument("--seed", type=int, default=1, help="of the requests")
    parser.add_argument("--series", metavar="FILE", help="resident memory of every second goes there")
    arguments = parser.parse_args()
    if arguments.minutes < 2:
        parser.error(f"--minutes: found {arguments.minutes:g}, expected 2 or more")
    table = Table()
    asyncio.run(soak(arguments, Place(), table))
    print(f"{table.failed} of the checks failed" if table.failed else "all checks passed")
    sys.stdout.flush()
    os._exit(1 if table.failed else 0)  # threads of gRPC may hang


if __name__ == "__main__":
    main()
