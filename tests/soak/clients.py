"""The calls: who makes them, how many, and whether the answers are right."""

import asyncio
import collections
import random

import grpc
from dragoman.v1 import translation_pb2 as pb
from dragoman.v1 import translation_pb2_grpc

from cases import GUEST, Case
from security import bearer

CONNECTIONS = 8
IN_FLIGHT = 96  # while the load is measured that the daemon bears
DEADLINE = 30.0
RESTS = 12
# What a client does with a call, in hundredths of all. The rest waits for the answer.
FATES = {"cancelled": 4, "too short a deadline": 4, "left in the midst": 2, "slow reader": 2}
# What may come of a call that its client neither ends nor hurries.
TURNED_AWAY = ("RESOURCE_EXHAUSTED", "DEADLINE_EXCEEDED")


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
            again = Case(case.kind, pb.TranslateRequest(), case.stream, answer)
            again.request.CopyFrom(case.request)
            again.request.decoding.sampling.seed = translations[0].seed
            again.kind = "a draw again"
            await self.call(again)
        return len(self.draws)


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


async def load(clients, cases, rate, seconds, rest):
    """Calls that come by chance, `rate` a second, whatever becomes of those before. RESTS times, the last at
    the end, all are awaited, and then rest()."""
    rest_every = seconds / RESTS
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

    async def all_ended():
        while tasks:
            await asyncio.wait(tasks, timeout=DEADLINE * 2)

    begin = due = loop.time()
    renewal = begin + 2
    pause = begin + rest_every
    while due < begin + seconds:
        if due >= pause:
            pause += rest_every
            await all_ended()
            await rest()
            due = loop.time()
        await asyncio.sleep(max(0, due - loop.time()))
        while due <= loop.time():
            start(clients.call(draw.choice(cases), draw.choices(fates, weights)[0]))
            due += draw.expovariate(rate)
        if loop.time() >= renewal:
            renewal += 2
            start(clients.renew_one(abruptly=draw.random() < 0.3))
    await all_ended()
    await rest()
