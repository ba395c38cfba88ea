"""Attacks on connections, HTTP/2 and the framing of messages."""

import collections
import concurrent.futures
import contextlib
import random
import resource
import socket
import struct
import threading
import time
import zlib

from harness import (
    MIB,
    Bystander,
    Client,
    Daemon,
    HttpClient,
    Outcome,
    RawHttp2,
    attack,
    check,
    frame,
    mib,
    request,
    wait_until,
)

HEALTH = "/grpc.health.v1.Health/Check"

# What a process grows by beside gRPC's quota while it is under attack: queues of the kernel's events,
# log lines, the allocator's slack.
SLACK = 48 * MIB


class OverGrpc:
    """The port that an attack goes through, where it makes sense on either of them."""

    port = "grpc"
    flags = ()
    client = Client
    memory = "memory_bytes"
    connections = "connections"

    @staticmethod
    def address(daemon):
        return daemon.grpc

    @staticmethod
    def begin(daemon, calls=1):
        """The socket of a connection with calls whose requests do not come."""
        raw = RawHttp2(daemon.grpc)
        for _ in range(calls):
            raw.begin()
        return raw.socket


class OverHttp:
    """The same over HTTP/1.1, where a connection has one call at a time."""

    port = "http"
    flags = ("--http", "127.0.0.1:0")
    client = HttpClient
    memory = "http_memory_bytes"
    connections = "http_connections"

    @staticmethod
    def address(daemon):
        return daemon.api_address

    @staticmethod
    def begin(daemon, calls=1):
        del calls
        host, port = daemon.api_address.rsplit(":", 1)
        raw = socket.create_connection((host, int(port)), 10.0)
        raw.sendall(b"POST /v1/translate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                    b"Content-Length: 100\r\n\r\n")  # fmt: skip
        return raw


def _network_limits(daemon):
    """Its log line; the log is written by a thread of its own."""
    check(wait_until(lambda: daemon.log("network limits"), 5), "the daemon promises no bound")
    return daemon.log("network limits")[0]


class Memory:
    """Resident memory of a daemon against what it promised at its start."""

    def __init__(self, daemon, resets=False, over=OverGrpc):
        """resets: an attack of streams that are reset by the ten thousand, which have a room of
        their own."""
        self._daemon = daemon
        self._before = daemon.rss()
        limits = _network_limits(daemon)
        self.promised = limits[over.memory] + (limits["reset_bytes"] if resets else 0)
        self.bound = f"{mib(self.promised)} more than idle"

    def check(self, text):
        grown = self._daemon.peak_rss() - self._before
        text = f"{text}; {mib(max(0, grown))} more at the peak"
        check(self._daemon.alive(), f"{text}; the daemon is dead")
        check(grown <= self.promised + SLACK, text, self.bound)
        return Outcome(text, self.bound)


def _serves(daemon, seconds=5.0, over=OverGrpc):
    with over.client(over.address(daemon)) as client:
        begin = time.monotonic()
        code = client.code("Guten Tag.", timeout=seconds)
        check(code == "OK", f"afterwards a new client gets {code}")
        return time.monotonic() - begin


# ------------------------------------------------------------------ messages


@attack("compressed_bomb", issue=12, limit=60)
def compressed_bomb():
    """A message of 0.5 MB that inflates to 512 MB, by gzip and by deflate."""
    with Daemon() as daemon:
        memory = Memory(daemon)
        for name, bomb in (("gzip", compressed_zeros(gzip=True)), ("deflate", compressed_zeros(gzip=False))):
            with RawHttp2(daemon.grpc) as raw:
                stream = raw.begin(headers=[("grpc-encoding", name)])
                raw.send(stream, frame(bomb, compressed=1), end=True)
                kind, code, message = raw.outcome(stream, 30)
                check((kind, code) == ("status", "12"), f"{name}: {kind} {code} {message}")
        return memory.check("gzip and deflate: UNIMPLEMENTED")


def compressed_zeros(gzip, count=128):
    """`count` times 4 MiB of zeros, compressed: one block, many times."""
    chunk = bytes(4 * MIB)
    compressor = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = compressor.compress(chunk) + compressor.flush(zlib.Z_FULL_FLUSH)
    body = block * count + b"\x03\x00"
    if not gzip:
        adler = 1
        for _ in range(count):
            adler = zlib.adler32(chunk, adler)
        return b"\x78\xda" + body + adler.to_bytes(4, "big")
    crc = 0
    for _ in range(count):
        crc = zlib.crc32(chunk, crc)
    size = len(chunk) * count & 0xFFFFFFFF
    tail = crc.to_bytes(4, "little") + size.to_bytes(4, "little")
    return b"\x1f\x8b\x08" + bytes(6) + b"\xff" + body + tail


@attack("compression_asked_for", issue=12, limit=60)
def compression_asked_for():
    """Clients that accept compressed answers, or name an encoding and use none."""
    with Daemon() as daemon, RawHttp2(daemon.grpc) as raw:
        message = frame(request("Hallo Welt.").SerializeToString())
        stream = raw.begin(headers=[("grpc-accept-encoding", "gzip,deflate,identity")])
        raw.send(stream, message, end=True)
        plain = raw.outcome(stream)
        check(plain[:2] == ("status", "0"), f"accept-encoding: {plain}")
        stream = raw.begin(headers=[("grpc-encoding", "identity")])
        raw.send(stream, message, end=True)
        identity = raw.outcome(stream)
        check(identity[:2] == ("status", "0"), f"identity: {identity}")
        stream = raw.begin()
        raw.send(stream, b"\x01" + message[1:], end=True)
        flag = raw.outcome(stream)  # gRPC takes the bytes as they are
        check(flag[0] == "status", f"compressed without an encoding: {flag}")
        _serves(daemon)
    return f"plain answers; the flag without an encoding: status {flag[1]}"


def _half_sent(daemon, connections, streams, size, announced, path=RawHttp2.TRANSLATE):
    """On each connection so many streams, each with the beginning of a message. Returns the open
    connections with their streams, and the bytes that were sent."""
    body = frame(bytes(size), length=announced)

    def one(_):
        raw = RawHttp2(daemon.grpc)
        numbers = []
        with contextlib.suppress(ConnectionError, OSError):
            for _ in range(streams):
                if len(numbers) - raw.ended(numbers) >= raw.h2.remote_settings.max_concurrent_streams:
                    break
                numbers.append(raw.begin(path))
                raw.send(numbers[-1], body, timeout=2)
        return raw, numbers

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        opened = list(pool.map(one, range(connections)))
    return opened, sum(raw.sent for raw, _ in opened)


def _ended(opened, timeout):
    """Reads until all streams have ended or the connections were closed; how many are open."""
    end = time.monotonic() + timeout
    left = list(opened)
    while left and time.monotonic() < end:
        for pair in list(left):
            raw, numbers = pair
            with contextlib.suppress(Exception):
                raw.receive(0.05)
                if raw.ended(numbers) < len(numbers):
                    continue
            left.remove(pair)
    return sum(len(numbers) - raw.ended(numbers) for raw, numbers in left)


def _half_sent_attack(connections, streams, size, announced, path=RawHttp2.TRANSLATE):
    with Daemon("--receive-timeout-seconds", 5) as daemon:
        memory = Memory(daemon)
        with Bystander(daemon.grpc) as other:
            opened, sent = _half_sent(daemon, connections, streams, size, announced, path)
            begin = time.monotonic()
            left = _ended(opened, 15) if path == RawHttp2.TRANSLATE else 0
            took = time.monotonic() - begin
        # The allocator keeps some of it for the next ones.
        settled = wait_until(lambda: daemon.rss() < memory._before + memory.promised / 2, 10)
        for raw, _ in opened:
            raw.socket.close()
        text = f"{mib(sent)} sent; {other.summary()}"
        if path == RawHttp2.TRANSLATE:
            text += f"; {left} calls open {took:.0f} s later"
        check(left == 0, text)
        check(settled, f"{text}; {mib(daemon.rss() - memory._before)} are held")
        check(not other.failures, f"{text}: {collections.Counter(other.failures)}")
        _serves(daemon)
        return memory.check(text)


@attack("half_sent_requests", issue=12, limit=90)
def half_sent_requests():
    """60 streams of 15 MiB each that never end, on one connection."""
    return _half_sent_attack(1, 60, 15 * MIB, 16 * MIB)


@attack("half_sent_many", issue=12, limit=90)
def half_sent_many():
    """8 connections with 100 streams of 1 MiB each: every one of them could be a request."""
    return _half_sent_attack(8, 100, MIB, MIB + 10)


@attack("endless_message", issue=12, limit=90)
def endless_message():
    """4 connections, each with one message of 4 GiB, of which 300 MiB come."""
    return _half_sent_attack(4, 1, 300 * MIB, 0xFFFFFFF0)


@attack("half_sent_health", issue=12, limit=90)
def half_sent_health():
    """The same at a method that gRPC itself serves."""
    return _half_sent_attack(4, 4, 64 * MIB, 0xFFFFFFF0, HEALTH)


# ------------------------------------------------------------------ connections


def _connections(daemon, over=OverGrpc):
    samples = daemon.samples()
    outcomes = ("accepted", "refused")
    return sum(samples[f'dragoman_connections_total{{port="{over.port}",outcome="{o}"}}'] for o in outcomes)


def descriptors(soft, hard, over=OverGrpc, count=1100):
    """So many silent connections at these limits on open files."""
    with Daemon(*over.flags, limits={resource.RLIMIT_NOFILE: (soft, hard)}) as daemon:
        limits = _network_limits(daemon)
        idle = daemon.fds()
        host, port = over.address(daemon).rsplit(":", 1)
        opened = []
        for _ in range(count):
            with contextlib.suppress(OSError):
                opened.append(socket.create_connection((host, int(port)), 5))
        check(wait_until(lambda: daemon.http("/livez", 1)[0] == 200, 5), "/livez is not 200")
        wait_until(lambda: _connections(daemon, over) >= count, 20)
        used = daemon.fds()
        for one in opened:
            one.close()
        took = _serves(daemon, over=over)
        check(wait_until(lambda: daemon.fds() <= idle + 6, 10), f"{daemon.fds()} descriptors, {idle} before")
        samples = daemon.samples()
        refused = int(samples[f'dragoman_connections_total{{port="{over.port}",outcome="refused"}}'])
        daemon.stop()
        text = (
            f"{count} connections, {used} descriptors, {refused} refused; all closed: "
            f"a new client is served after {took * 1e3:.0f} ms"
        )
        return Outcome(text, f"{limits[over.connections]} connections")


@attack("descriptors_soft", issue=12, limit=60)
def descriptors_soft():
    """1,100 connections at a soft limit of 1,024 open files below a higher hard one."""
    return descriptors(1024, 4096)


@attack("descriptors_hard", issue=12, limit=60)
def descriptors_hard():
    """The same where the hard limit is 1,024 too."""
    return descriptors(1024, 1024)


def _may_open(count):
    """Raises this process's own limit on open files; fails where it cannot be that high."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    check(hard == resource.RLIM_INFINITY or hard >= count, f"needs {count} open files, may have {hard}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (count, hard))


def thousands(*flags, over=OverGrpc):
    """5,000 connections that each begin a call, beside a client that was there before."""
    _may_open(5200)
    flags = ("--receive-timeout-seconds", 60, *over.flags, *flags)
    with Daemon(*flags, limits={resource.RLIMIT_NOFILE: (16384, 16384)}) as daemon:
        memory = Memory(daemon, over=over)
        limit = _network_limits(daemon)[over.connections]
        idle = daemon.fds()
        opened = []
        with Bystander(over.address(daemon), client=over.client) as bystander:
            for _ in range(5000):
                with contextlib.suppress(OSError):
                    opened.append(over.begin(daemon))
            check(wait_until(lambda: _connections(daemon, over) >= 5001, 30), "not all were accepted or refused")
            samples = daemon.samples()
        check(not bystander.failures, bystander.summary())
        there = int(samples[f'dragoman_connections{{port="{over.port}"}}'])
        refused = int(samples[f'dragoman_connections_total{{port="{over.port}",outcome="refused"}}'])
        check(there == min(limit, 5001), f"{there} connections, of 5,001", str(limit))
        check(there + refused == 5001, f"{there} connections and {refused} refused, of 5,001")
        for raw in opened:
            raw.close()
        took = _serves(daemon, over=over)
        check(wait_until(lambda: daemon.fds() <= idle + 6, 20), f"{daemon.fds()} descriptors, {idle} before")
        outcome = memory.check(f"{there} there, {refused} refused; {bystander.summary()}; all closed: a new client is "
                               f"served after {took * 1e3:.0f} ms")  # fmt: skip
        daemon.stop()
        return outcome


@attack("five_thousand", issue=15, limit=150)
def five_thousand():
    """5,000 connections at the default limit of 4,096."""
    return thousands()


@attack("five_thousand_taken", issue=15, limit=150)
def five_thousand_taken():
    """The same where all may come."""
    return thousands("--max-connections", 5100)


def headers_alone(over=OverGrpc):
    """1,500 connections with calls of which only the headers came."""
    with Daemon("--receive-timeout-seconds", 60, *over.flags) as daemon:
        memory = Memory(daemon, over=over)
        opened = [over.begin(daemon, calls=20) for _ in range(1500)]
        text = f"{len(opened)} connections: {(daemon.rss() - memory._before) / len(opened) / 1024:.0f} KiB each"
        _serves(daemon, over=over)
        for raw in opened:
            raw.close()
        outcome = memory.check(text)
        left = f'dragoman_connections{{port="{over.port}"}}'
        check(wait_until(lambda: daemon.samples()[left] == 0, 10), "connections stay")
        return outcome


@attack("idle_connections", issue=12, limit=90)
def idle_connections():
    """1,500 connections with 20 calls each of which only the headers came."""
    return headers_alone()


def silence(address_of, ask, *flags):
    """500 silent connections to a port and 100 that send a byte a second, renewed as they are
    closed; ask(daemon) is tried all the while, and raises or returns what it got and expected."""
    with Daemon(*flags) as daemon:
        host, port = address_of(daemon).rsplit(":", 1)
        stop = threading.Event()

        def hold(count, talk):
            held = []
            while not stop.is_set():
                while len(held) < count:
                    with contextlib.suppress(OSError):
                        held.append(socket.create_connection((host, int(port)), 2))
                for one in list(held):
                    one.setblocking(False)
                    try:
                        if talk:
                            one.send(b"G")
                        if one.recv(10) == b"":
                            raise OSError
                    except BlockingIOError:
                        continue
                    except OSError:
                        held.remove(one)
                        one.close()
                stop.wait(1 if talk else 0.5)
            for one in held:
                one.close()

        attackers = [threading.Thread(target=hold, args=args) for args in ((500, False), (100, True))]
        for one in attackers:
            one.start()
        worst = 0.0
        probes = 0
        end = time.monotonic() + 15
        try:
            while time.monotonic() < end:
                begin = time.monotonic()
                got, wanted = ask(daemon)
                took = time.monotonic() - begin
                worst = max(worst, took)
                probes += 1
                check(got == wanted and took < 1, f"{got} after {took:.2f} s")
                time.sleep(0.1)
        finally:
            stop.set()
            for one in attackers:
                one.join()
        scraped = daemon.samples()["dragoman_ready"]
        check(scraped == 1, "not ready")
    return Outcome(f"{probes} requests, at most {worst * 1e3:.0f} ms", "1 s")


@attack("silent_http", issue=12, limit=90)
def silent_http():
    """The port of metrics, with /livez."""
    return silence(lambda daemon: daemon.metrics, lambda daemon: (daemon.http("/livez", 5)[0], 200))


# ------------------------------------------------------------------ floods of HTTP/2


def _flood(send, seconds=8, connections=2, resets=False, longest=None):
    """Connections on which send(raw) runs again and again, renewed when they are closed, beside
    another client. Memory stays in what was promised, and no call of the other takes longer than
    `longest` seconds."""
    with Daemon() as daemon:
        memory = Memory(daemon, resets)
        with Bystander(daemon.grpc) as other:
            time.sleep(2)
        alone = other.quantile(0.99)
        counts = collections.Counter()
        stop = threading.Event()

        def run():
            while not stop.is_set():
                with contextlib.suppress(Exception), RawHttp2(daemon.grpc) as raw:
                    counts["connections"] += 1
                    while not stop.is_set():
                        counts["frames"] += send(raw)
                        with contextlib.suppress(TimeoutError, BlockingIOError):
                            raw.socket.setblocking(False)
                            if raw.socket.recv(1 << 20) == b"":
                                break
                        raw.socket.settimeout(2)

        begin = time.monotonic()
        busy = daemon.cpu_seconds()
        with Bystander(daemon.grpc) as other:
            attackers = [threading.Thread(target=run) for _ in range(connections)]
            for one in attackers:
                one.start()
            time.sleep(seconds)
            stop.set()
            for one in attackers:
                one.join()
        busy = (daemon.cpu_seconds() - busy) / (time.monotonic() - begin)
        text = (
            f"{counts['frames']} frames, {counts['connections']} connections, {busy:.1f} processors; "
            f"{other.summary()}, at most {max(other.seconds, default=0) * 1e3:.0f} ms (alone p99 {alone * 1e3:.0f} ms)"
        )
        if other.failures:
            text += f" {dict(collections.Counter(other.failures))}"
        check(not other.failures and other.seconds, text)
        check(longest is None or max(other.seconds) <= longest, text, f"{longest} s")
        _serves(daemon, 20)
        return memory.check(text)


def _raw_frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def _rapid_resets(path, connections, beside_a_call=False):
    """Calls that are reset right after their headers, tens of thousands a second (CVE-2023-44487).
    beside_a_call: each connection first has a call whose request does not come."""

    def send(raw):
        if beside_a_call and not hasattr(raw, "call"):
            raw.call = raw.begin()
            time.sleep(0.1)  # so that the daemon knows of it; no condition of the outcome
        if not hasattr(raw, "block"):
            raw.block = raw.h2.encoder.encode(
                [(":method", "POST"), (":scheme", "http"), (":path", path),
                 (":authority", "x"), ("te", "trailers"), ("content-type", "application/grpc")],
            )
            raw.next = raw.h2.get_next_available_stream_id()
        out = bytearray()
        for _ in range(100):
            # The first block fills the table of the peer; later ones repeat it.
            out += _raw_frame(1, 4, raw.next, raw.block)
            out += _raw_frame(3, 0, raw.next, struct.pack(">I", 8))
            raw.next += 2
        raw.socket.sendall(out)
        return 200

    return _flood(send, connections=connections, resets=True)


@attack("rapid_reset", issue=12, limit=150)
def rapid_reset():
    return _rapid_resets(RawHttp2.TRANSLATE, connections=2)


@attack("rapid_reset_many", issue=12, limit=150)
def rapid_reset_many():
    """The same from many connections, none of which does much."""
    return _rapid_resets(RawHttp2.TRANSLATE, connections=64)


@attack("rapid_reset_hundreds", issue=15, limit=150)
def rapid_reset_hundreds():
    return _rapid_resets(RawHttp2.TRANSLATE, connections=256)


@attack("rapid_reset_beside_calls", issue=15, limit=150)
def rapid_reset_beside_calls():
    """From many connections, each of which has a call whose request may yet come."""
    return _rapid_resets(RawHttp2.TRANSLATE, connections=64, beside_a_call=True)


@attack("rapid_reset_health", issue=12, limit=150)
def rapid_reset_health():
    """The same of health checks, which are none of our calls."""
    return _rapid_resets("/grpc.health.v1.Health/Check", connections=2)


@attack("rapid_reset_unknown", issue=12, limit=150)
def rapid_reset_unknown():
    """The same of a method that there is not."""
    return _rapid_resets("/none/None", connections=2)


@attack("many_at_once", issue=12, limit=120)
def many_at_once():
    """No attack: 40 clients with 150 calls each at the same moment, which must not be taken for one."""
    with Daemon("--max-queue-segments", 4000) as daemon:
        clients = [Client(daemon.grpc) for _ in range(40)]
        for client in clients:
            check(client.code("Haus.") == "OK", "a first call")
        calls = [
            client.stub.Translate.future(request("Haus."), timeout=60) for _ in range(150) for client in clients
        ]
        codes = collections.Counter()
        for call in calls:
            codes[call.code().name] += 1
        check(set(codes) <= {"OK", "RESOURCE_EXHAUSTED"}, f"{dict(codes)}")
        for client in clients:
            check(client.code("Haus.") == "OK", "a last call")
            client.channel.close()
    return Outcome(f"{dict(codes)}")


@attack("settings_and_pings", issue=12, limit=60)
def settings_and_pings():
    """Settings and pings without end."""

    def send(raw):
        raw.socket.sendall((_raw_frame(4, 0, 0) + _raw_frame(6, 0, 0, bytes(8))) * 50)
        return 100

    return _flood(send)


@attack("header_flood", issue=12, limit=60)
def header_flood():
    """A header block that never ends: CONTINUATION after CONTINUATION."""

    def send(raw):
        field = b"\x00\x05x-fll\x7f\xe1\x1e" + b"a" * 4000  # a literal of 4,000 bytes
        if not hasattr(raw, "begun"):
            raw.begun = True
            raw.socket.sendall(_raw_frame(1, 0, 1, field))
        raw.socket.sendall(_raw_frame(9, 0, 1, field) * 20)
        return 20

    return _flood(send)


@attack("empty_data", issue=12, limit=60)
def empty_data():
    """Empty DATA frames on an open call."""

    def send(raw):
        if not hasattr(raw, "stream"):
            raw.stream = raw.begin()
        raw.socket.sendall(_raw_frame(0, 0, raw.stream) * 200)
        return 200

    return _flood(send)


def _setting(key, value):
    return struct.pack(">HI", key, value)


# What RFC 9113 forbids, and what it says to overlook: (type, flags, stream, payload), or bytes.
_MALFORMED = {
    "preface of HTTP/1.1": b"GET / HTTP/1.1\r\nhost: x\r\n\r\n",
    "preface cut short": b"PRI * HTTP/2.0\r\n\r\nSM",
    "preface that is no text": bytes(range(256)),
    "no settings first": (6, 0, 0, bytes(8)),
    "frame of 16 MiB": b"\xff\xff\xff\x00\x00\x00\x00\x00\x01" + bytes(70_000),
    "type that is not known": (0x7A, 0xFF, 3, b"x" * 100),
    "reserved bit": (6, 0, 1 << 31, bytes(8)),
    "data on no stream": (0, 0, 0, b"x"),
    "data on an idle stream": (0, 0, 9, b"x" * 1000),
    "data with more padding than data": (0, 0x8, 1, b"\xff" + b"x"),
    "headers on no stream": (1, 4, 0, b"\x82"),
    "headers on an even stream": (1, 4, 2, b"\x83\x86"),
    "headers with more padding than headers": (1, 0xC, 1, b"\xff\x83"),
    "headers that depend on themselves": (1, 0x24, 1, b"\x00\x00\x00\x01\x10\x83\x86"),
    "headers that refer to no entry": (1, 4, 1, b"\xff\xff\xff\x7f"),
    "headers with index 0": (1, 4, 1, b"\x80"),
    "headers whose table is too large": (1, 4, 1, b"\x3f\xff\xff\xff\x7f"),
    "headers with Huffman's end": (1, 4, 1, b"\x00\x01x\x84\xff\xff\xff\xff"),
    "headers that end within a field": (1, 4, 1, b"\x00\x7fabc"),
    "headers without any field": (1, 5, 1, b""),
    "priority of 4 bytes": (2, 0, 1, bytes(4)),
    "reset of 3 bytes": (3, 0, 1, bytes(3)),
    "reset of an idle stream": (3, 0, 11, bytes(4)),
    "reset of no stream": (3, 0, 0, bytes(4)),
    "settings of 5 bytes": (4, 0, 0, bytes(5)),
    "settings of a stream": (4, 0, 1, b""),
    "acknowledgement with settings": (4, 1, 0, _setting(4, 1)),
    "window above 2^31": (4, 0, 0, _setting(4, 1 << 31)),
    "frames of a byte at most": (4, 0, 0, _setting(5, 1)),
    "push that is neither on nor off": (4, 0, 0, _setting(2, 7)),
    "table of 4 GiB": (4, 0, 0, _setting(1, 0xFFFFFFFF)),
    "push promise of a client": (5, 4, 1, b"\x00\x00\x00\x02\x82"),
    "ping of 7 bytes": (6, 0, 0, bytes(7)),
    "ping on a stream": (6, 0, 1, bytes(8)),
    "end of 3 bytes": (7, 0, 0, bytes(3)),
    "end, and then more": (7, 0, 0, bytes(8)),
    "window grown by 0": (8, 0, 0, bytes(4)),
    "window grown by 2^31 - 1": (8, 0, 0, b"\x7f\xff\xff\xff"),
    "window of an idle stream": (8, 0, 13, b"\x00\x00\x00\x01"),
    "window of 2 bytes": (8, 0, 0, bytes(2)),
    "continuation of nothing": (9, 4, 1, b"\x82"),
    "headers, and ping before their end": _raw_frame(1, 0, 1, b"\x83\x86") + _raw_frame(6, 0, 0, bytes(8)),
    "headers twice": _raw_frame(1, 4, 1, b"\x83\x86") * 2,
    "streams that go back": _raw_frame(1, 4, 5, b"\x83\x86") + _raw_frame(1, 4, 3, b"\x83\x86"),
}


_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"


def _malformed(name):
    """The bytes of a connection that does this."""
    what = _MALFORMED[name]
    if name.startswith("preface"):
        return what
    settings = b"" if name == "no settings first" else _raw_frame(4, 0, 0)
    return _PREFACE + settings + (what if isinstance(what, bytes) else _raw_frame(*what))


def _malformed_at_random(rng):
    """One of the above, or frames most of which have a type that there is and a length that is right."""
    if rng.random() < 0.5:
        return _malformed(rng.choice(list(_MALFORMED)))
    frames = [_PREFACE, _raw_frame(4, 0, 0)]
    for _ in range(rng.randrange(1, 30)):
        kind = rng.randrange(10) if rng.random() < 0.9 else rng.randrange(256)
        payload = rng.randbytes(rng.choice((0, 1, 4, 5, 8, 9, 40, 2000)))
        part = _raw_frame(kind, rng.choice((0, 1, 4, 5, 8, 0x20, 0xFF)), rng.choice((0, 1, 1, 2, 3, 0x7FFFFFFF)),
                          payload)
        if rng.random() < 0.1:
            part = bytes([part[0], part[1], rng.randrange(256)]) + part[3:]
        frames.append(part)
    return b"".join(frames)


@attack("malformed_frames", issue=15, limit=90)
def malformed_frames():
    """Frames that HTTP/2 forbids, each kind by itself, and at random, from two clients for ten seconds."""
    with Daemon() as daemon:
        host, port = daemon.grpc.rsplit(":", 1)
        memory = Memory(daemon)
        with Bystander(daemon.grpc) as other:
            time.sleep(2)
        alone = other.quantile(0.99)
        ends = collections.Counter()
        stop = threading.Event()

        def send(data, wait):
            with contextlib.suppress(ConnectionError), socket.create_connection((host, int(port)), 5) as raw:
                raw.sendall(data)
                raw.settimeout(wait)
                try:
                    while raw.recv(1 << 16):
                        pass
                except TimeoutError:
                    ends["left open"] += 1
                    return
            ends["closed"] += 1

        def run(seed):
            rng = random.Random(seed)
            while not stop.is_set():
                send(_malformed_at_random(rng), 0.02)

        for name in _MALFORMED:
            send(_malformed(name), 0.1)
            check(daemon.alive(), f"the daemon is dead: {name}: {daemon.errors()[-300:]}")
        begin = time.monotonic()
        busy = daemon.cpu_seconds()
        with Bystander(daemon.grpc) as other:
            attackers = [threading.Thread(target=run, args=(seed,)) for seed in (1, 2)]
            for one in attackers:
                one.start()
            time.sleep(10)
            stop.set()
            for one in attackers:
                one.join()
        busy = (daemon.cpu_seconds() - busy) / (time.monotonic() - begin)
        text = (
            f"{len(_MALFORMED)} kinds, {ends.total()} connections, of which the server closed {ends['closed']}, "
            f"{busy:.1f} processors; {other.summary()}, at most {max(other.seconds, default=0) * 1e3:.0f} ms (alone p99 "
            f"{alone * 1e3:.0f} ms)"
        )
        check(not other.failures and other.seconds, f"{text} {other.failures[:5]}")
        check(max(other.seconds) < 1, text, "1 s")
        check(wait_until(lambda: daemon.samples()['dragoman_connections{port="grpc"}'] <= 1, 10), f"{text}; connections are left")
        _serves(daemon)
        return memory.check(text)


# ------------------------------------------------------------------ the end


def drained(rounds, over=OverGrpc, calls_each=2):
    """Drains amid calls of 32 clients: each call ends as OK or UNAVAILABLE, and what the daemon
    counted as OK has arrived."""
    totals = collections.Counter()
    for _ in range(rounds):
        with Daemon(*over.flags) as daemon:
            stop = threading.Event()
            counts = collections.Counter()

            def call(client):
                while not stop.is_set():
                    code = client.code("Hallo.", timeout=20)
                    counts[code] += 1
                    if code == "UNAVAILABLE" and not daemon.alive():
                        return

            clients = [over.client(over.address(daemon)) for _ in range(32)]
            threads = [threading.Thread(target=call, args=(c,)) for c in clients for _ in range(calls_each)]
            for thread in threads:
                thread.start()
            time.sleep(1)
            daemon.stop(30)
            stop.set()
            for thread in threads:
                thread.join()
            for client in clients:
                client.__exit__()
            finished = sum(1 for line in daemon.log("call") if line["code"] == "OK")
            totals["lost"] += max(0, finished - counts["OK"])
            totals.update(counts)
    text = ", ".join(f"{name} {count}" for name, count in sorted(totals.items()))
    check(set(totals) <= {"OK", "UNAVAILABLE", "lost"} and not totals["lost"], text)
    return f"{rounds} drains, {32 * calls_each} calls at once: {text}"


@attack("drains", issue=12, limit=240)
def drains():
    """Over gRPC, ten times."""
    return drained(10)
