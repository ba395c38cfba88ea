"""The attacks of transport.py on the port of --http. Where a case is the same on either port, its body is there and
takes the port; what HTTP/1.1 frames otherwise is here. README.md lists the cases that HTTP/1.1 does not have."""

import collections
import concurrent.futures
import contextlib
import json
import random
import socket
import struct
import threading
import time

from harness import MIB, Bystander, Daemon, HttpClient, attack, check, mib, wait_until
from transport import (
    Memory,
    OverHttp,
    _serves,
    descriptors,
    drained,
    headers_alone,
    silence,
    thousands,
)

# The largest request of the default settings.
BODY = 2 * MIB
RUNNING = 'dragoman_requests_running{model="de-en"}'
TRANSLATE = "/v1/translate"
HELLO = json.dumps({"contents": ["Hallo Welt."]}).encode()


def daemon_of(*flags):
    return Daemon(*OverHttp.flags, *flags)


def connect(daemon, timeout=30.0, receive_buffer=None):
    """A socket; with `receive_buffer` bytes at most for what is not read."""
    host, port = daemon.api_address.rsplit(":", 1)
    raw = socket.socket()
    raw.settimeout(timeout)
    if receive_buffer is not None:
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    raw.connect((host, int(port)))
    return raw


def post(body, path=TRANSLATE, headers=(), length=None):
    """The bytes of a request; `length` lies about its body's, or is what stands in place of the header."""
    if not isinstance(length, bytes):
        length = b"Content-Length: %d" % (len(body) if length is None else length)
    lines = [b"POST %s HTTP/1.1" % path.encode(), b"Host: localhost", b"Content-Type: application/json", length]
    return b"\r\n".join([*lines, *headers]) + b"\r\n\r\n" + body


def read_all(raw):
    """What comes until the connection ends."""
    parts = []
    with contextlib.suppress(OSError):
        while part := raw.recv(65536):
            parts.append(part)
    return b"".join(parts)


def no_connection_is_left(daemon, seconds=10):
    return wait_until(lambda: daemon.samples()['dragoman_connections{port="http"}'] == 0, seconds)


def serves(daemon, seconds=5.0):
    return _serves(daemon, seconds, over=OverHttp)


# ------------------------------------------------------------------ the same on either port


@attack("descriptors_soft", issue=31, limit=60)
def descriptors_soft():
    """1,100 connections at a soft limit of 1,024 open files below a higher hard one."""
    return descriptors(1024, 4096, over=OverHttp)


@attack("descriptors_hard", issue=31, limit=60)
def descriptors_hard():
    """The same where the hard limit is 1,024 too."""
    return descriptors(1024, 1024, over=OverHttp)


@attack("five_thousand", issue=31, limit=150)
def five_thousand():
    """5,000 connections that each begin a call, at the limit of 3,800 that 16,384 open files leave for either port."""
    return thousands(over=OverHttp)


@attack("idle_connections", issue=31, limit=90)
def idle_connections():
    """1,500 connections with a call each of which only the headers came."""
    return headers_alone(over=OverHttp)


@attack("silence", issue=31, limit=90)
def silent_connections():
    """500 silent connections and 100 that send a byte a second, with a client's requests beside them."""

    def ask(daemon):
        with HttpClient(daemon.api_address, 5.0) as client:
            return client.ask("GET", "/v1/languages", timeout=5.0)[0], 200

    return silence(lambda daemon: daemon.api_address, ask, *OverHttp.flags)


@attack("drains", issue=31, limit=240)
def drains():
    return drained(5, over=OverHttp, calls_each=1)


@attack("many_at_once", issue=31, limit=120)
def many_at_once():
    """No attack: 1,500 requests at the same moment, each on its connection, which must not be taken for one."""
    with daemon_of("--max-queue-segments", 1000) as daemon:
        raws = [connect(daemon, 60.0) for _ in range(1500)]
        for raw in raws:
            raw.sendall(post(HELLO, headers=[b"Connection: close"]))
        codes = collections.Counter(read_all(raw)[9:12].decode() for raw in raws)
        check(set(codes) <= {"200", "429"} and codes["200"] >= 1000, f"{dict(codes)}")
        serves(daemon)
        return f"{dict(codes)}"


# ------------------------------------------------------------------ bodies


@attack("half_sent_many", issue=31, limit=90)
def half_sent_many():
    """800 connections with 1 MiB each of a request that never ends."""
    with daemon_of("--receive-timeout-seconds", 5) as daemon:
        memory = Memory(daemon, over=OverHttp)
        with Bystander(daemon.api_address, client=HttpClient) as other:

            def one(_):
                raw = connect(daemon)
                with contextlib.suppress(OSError):
                    raw.sendall(post(b" " * MIB, length=MIB + 10))
                return raw

            with concurrent.futures.ThreadPoolExecutor(8) as pool:
                raws = list(pool.map(one, range(800)))
            codes = collections.Counter(read_all(raw)[9:12].decode() for raw in raws)
        # Those in whose way the memory was end with 503 or, while it is sent, with a reset.
        text = f"800 MiB sent; {dict(codes)}; {other.summary()}"
        check(set(codes) <= {"408", "503", ""}, text)
        check(not other.failures, f"{text}: {collections.Counter(other.failures)}")
        for raw in raws:
            raw.close()
        check(no_connection_is_left(daemon), f"{text}; connections are left")
        serves(daemon)
        return memory.check(text)


@attack("endless_message", issue=31, limit=90)
def endless_message():
    """Four bodies without an end, two in chunks and two of 4 GiB, of which 300 MiB come."""
    with daemon_of() as daemon:
        memory = Memory(daemon, over=OverHttp)
        sent = 0
        with Bystander(daemon.api_address, client=HttpClient) as other:
            for length in (b"Transfer-Encoding: chunked", 0xFFFFFFF0) * 2:
                with connect(daemon) as raw:
                    raw.sendall(post(b"", length=length))
                    piece = b" " * 65536
                    if isinstance(length, bytes):
                        piece = b"10000\r\n" + piece + b"\r\n"
                    with contextlib.suppress(OSError):
                        for _ in range(300 * 16):
                            raw.sendall(piece)
                            sent += len(piece)
                    # What was sent after the answer may have reset the connection.
                    answer = read_all(raw)
                    check(answer[:12] in (b"", b"HTTP/1.1 413"), f"{length}: {answer[:60]!r}")
        check(not other.failures, other.summary())
        serves(daemon)
        return memory.check(f"{mib(sent)} went of 1,200 MiB; {other.summary()}")


@attack("cut_messages", issue=31, limit=60)
def cut_messages():
    """Requests that end before their body does, without one, or with a reset."""
    with daemon_of() as daemon:
        cuts = {"no body": (post(b"", length=10), b""), "a part": (post(b'{"con', length=100), b""),
                "half a chunk": (post(b"5\r\nab", length=b"Transfer-Encoding: chunked"), b""),
                "no length": (post(b"", length=b"X: y"), b"HTTP/1.1 400"), "headers": (post(b"")[:60], b"")}  # fmt: skip
        for name, (data, wanted) in cuts.items():
            with connect(daemon) as raw:
                raw.sendall(data)
                raw.shutdown(socket.SHUT_WR)
                answer = read_all(raw)
                check(answer[:12] == wanted, f"{name}: {answer[:80]!r}, expected {wanted!r}")
        for _ in range(500):
            raw = connect(daemon)
            raw.sendall(post(HELLO)[:-5])
            _reset(raw)
        check(no_connection_is_left(daemon), "connections are left")
        serves(daemon)
        codes = daemon.rpcs()
        check(codes == {"INVALID_ARGUMENT": 1, "OK": 1}, f"counted: {codes}")
    return f"cut requests have no answer, and are no calls: {codes}"


def _reset(raw):
    """Closes with a reset, so that nothing of the connection is left in the kernel."""
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    raw.close()


# ------------------------------------------------------------------ floods


@attack("rapid_disconnects", issue=31, limit=90)
def rapid_disconnects():
    """Requests of clients that are gone as soon as they are sent, from four threads (the reset streams of HTTP/2)."""
    with daemon_of() as daemon:
        memory = Memory(daemon, over=OverHttp)
        stop = threading.Event()
        counts = collections.Counter()

        def run():
            while not stop.is_set():
                with contextlib.suppress(OSError):
                    raw = connect(daemon, 5.0)
                    raw.sendall(post(HELLO))
                    _reset(raw)
                    counts["connections"] += 1

        with Bystander(daemon.api_address, client=HttpClient) as other:
            attackers = [threading.Thread(target=run) for _ in range(4)]
            for one in attackers:
                one.start()
            time.sleep(8)
            stop.set()
            for one in attackers:
                one.join()
        text = f"{counts['connections']} requests; {other.summary()}"
        known = {"RESOURCE_EXHAUSTED"}
        check(other.seconds and not set(other.failures) - known, f"{text} {set(other.failures)}")
        check(no_connection_is_left(daemon), f"{text}; connections are left")
        check(wait_until(lambda: daemon.samples()[RUNNING] == 0, 10), f"{text}; requests run on")
        serves(daemon)
        return memory.check(text)


@attack("header_flood", issue=31, limit=60)
def header_flood():
    """Headers that never end: many, long, and one of 16 MiB."""
    floods = {"many": b"x: y\r\n" * 100_000, "long": (b"x: " + b"y" * 8000 + b"\r\n") * 1000,
              "one": b"x: " + b"y" * (16 * MIB), "path": None}  # fmt: skip
    with daemon_of() as daemon:
        memory = Memory(daemon, over=OverHttp)
        with Bystander(daemon.api_address, client=HttpClient) as other:
            for name, flood in floods.items():
                begin = b"GET /v1/languages HTTP/1.1\r\nHost: localhost\r\n"
                if flood is None:
                    begin, flood = b"GET /", b"a" * (16 * MIB)
                with connect(daemon) as raw:
                    with contextlib.suppress(OSError):
                        raw.sendall(begin + flood)
                    answer = read_all(raw)
                    check(answer[:12] in (b"HTTP/1.1 431", b""), f"{name}: {answer[:60]!r}")
        check(not other.failures, other.summary())
        serves(daemon)
        outcome = memory.check(f"{len(floods)} kinds: 431 or a reset; {other.summary()}")
        check(daemon.peak_rss() - memory._before < 24 * MIB, f"{outcome.text}: more than headers may take")
        return outcome


# Requests that HTTP/1.1 forbids.
_MALFORMED = {
    "preface of HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "bytes": bytes(range(256)),
    "no version": b"GET /v1/languages\r\n\r\n",
    "HTTP/9": b"GET /v1/languages HTTP/9.9\r\nHost: localhost\r\n\r\n",
    "no host": b"GET /v1/languages HTTP/1.1\r\n\r\n",
    "no path": b"GET  HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "spaces": b"GET  /v1/languages  HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "tab": b"GET\t/v1/languages\tHTTP/1.1\r\nHost: localhost\r\n\r\n",
    "method of bytes": b"G\xc3\xa4T / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "authority": b"CONNECT x:1 HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "asterisk": b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "control in the path": b"GET /%00%0d%0a HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "half an escape": b"GET /% HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "header without a colon": b"GET / HTTP/1.1\r\nHost\r\n\r\n",
    "header without a name": b"GET / HTTP/1.1\r\n: x\r\nHost: localhost\r\n\r\n",
    "chunk without a size": b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n\r\n",
    "chunk of a minus": b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n\r\n",
    "chunk that is longer": b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n0\r\n\r\n",
    "WebSocket without a key": b"GET /translate HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\n\r\n",
    "WebSocket of version 8": b"GET /translate HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Version: 8\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
}


def _malformed_at_random(rng):
    """One of the above, a whole request with bytes changed, or lines in any order."""
    kind = rng.random()
    if kind < 0.4:
        return rng.choice(list(_MALFORMED.values()))
    data = bytearray(post(HELLO))
    if kind < 0.8:
        for _ in range(rng.randrange(1, 6)):
            data[rng.randrange(len(data))] = rng.choice(b"\r\n \t:%\0\xff0")
        return bytes(data)
    lines = [b"GET / HTTP/1.1", b"Host: x", b"Content-Length: 3", b"Transfer-Encoding: chunked", b"3", b"abc", b"0", b"",
             b"Expect: 100-continue", b"Upgrade: websocket", b"Connection: Upgrade", rng.randbytes(9)]  # fmt: skip
    return b"\r\n".join(rng.choices(lines, k=rng.randrange(2, 20))) + b"\r\n\r\n"


@attack("malformed_requests", issue=31, limit=90)
def malformed_requests():
    """Requests that HTTP/1.1 forbids, each kind by itself, and at random, from two clients for ten seconds."""
    with daemon_of() as daemon:
        memory = Memory(daemon, over=OverHttp)
        statuses = collections.Counter()
        stop = threading.Event()

        def send(data, wait):
            answer = b""
            with contextlib.suppress(ConnectionError, TimeoutError), connect(daemon, wait) as raw:
                raw.sendall(data)
                answer = raw.recv(1 << 16)
            statuses[answer[9:12].decode(errors="replace")] += 1
            return answer

        for name, data in _MALFORMED.items():
            status = send(data, 1.0)[9:12]
            check(status[:1] == b"4" or status in (b"501", b"505"), f"{name}: {status!r}")
            check(daemon.alive(), f"the daemon is dead: {name}: {daemon.errors()[-300:]}")

        def run(seed):
            rng = random.Random(seed)
            while not stop.is_set():
                send(_malformed_at_random(rng), 0.02)

        with Bystander(daemon.api_address, client=HttpClient) as other:
            attackers = [threading.Thread(target=run, args=(seed,)) for seed in (1, 2)]
            for one in attackers:
                one.start()
            time.sleep(10)
            stop.set()
            for one in attackers:
                one.join()
        text = f"{len(_MALFORMED)} kinds, {statuses.total()} connections, {dict(statuses)}; {other.summary()}"
        check(not other.failures and other.seconds, f"{text} {other.failures[:5]}")
        # 500 would be a fault of ours.
        check(not set(statuses) - {"", "100", "101", "200", "400", "403", "404", "405", "408", "413", "415", "417", "426", "431", "501",
                                   "505"}, text)  # fmt: skip
        check(no_connection_is_left(daemon, 15), f"{text}; connections are left")
        serves(daemon)
        return memory.check(text)
