"""Attacks on the port of --http: slow, large, silent and lying clients of HTTP/1.1. The path asked for is one that no
adapter has: what is attacked comes before any adapter."""

import contextlib
import selectors
import socket
import ssl
import time

from harness import MIB, Bystander, Daemon, Outcome, attack, check, mib, wait_until
from security import Certificates
from transport import _serves

GET = b"GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n"
# The largest request of the default settings.
BODY = 2 * MIB
HEADER_SECONDS = 10


def _daemon(*flags):
    return Daemon("--http", "127.0.0.1:0", *flags)


def _connect(daemon, timeout=30.0):
    host, port = daemon.api_address.rsplit(":", 1)
    return socket.create_connection((host, int(port)), timeout)


def _read_all(raw):
    """What comes until the connection ends."""
    parts = []
    with contextlib.suppress(OSError):
        while part := raw.recv(65536):
            parts.append(part)
    return b"".join(parts)


def _ask(daemon, timeout=10.0):
    """Seconds that a new client waits for an answer."""
    begin = time.monotonic()
    with _connect(daemon, timeout) as raw:
        raw.sendall(GET)
        answer = raw.recv(65536)
    check(answer.startswith(b"HTTP/1.1 404 "), f"a new client gets {answer[:60]!r}")
    return time.monotonic() - begin


def _await_ends(daemon, connections, seconds):
    """The first bytes that each connection got before it ended; fails if one is still open then."""
    end = time.monotonic() + seconds
    answers = {raw: b"" for raw in connections}
    slowest = 0.0
    with selectors.DefaultSelector() as selector:
        for raw in connections:
            raw.setblocking(False)
            selector.register(raw, selectors.EVENT_READ)
        asked = 0.0
        while selector.get_map() and time.monotonic() < end:
            for key, _ in selector.select(0.2):
                try:
                    part = key.fileobj.recv(4096)
                except OSError:
                    part = b""
                answers[key.fileobj] += part
                if not part:
                    selector.unregister(key.fileobj)
            if time.monotonic() - asked > 0.5:
                asked = time.monotonic()
                slowest = max(slowest, _ask(daemon))
        check(not selector.get_map(), f"{len(selector.get_map())} of {len(connections)} are open after {seconds} s")
    return list(answers.values()), slowest


@attack("slow_headers", issue=31, limit=90)
def slow_headers():
    """500 connections that send their headers a byte at a time."""
    with _daemon() as daemon, Bystander(daemon.grpc) as bystander:
        raws = [_connect(daemon) for _ in range(500)]
        begin = time.monotonic()
        for byte in GET[:20]:
            for raw in raws:
                raw.send(bytes([byte]))
        answers, slowest = _await_ends(daemon, raws, HEADER_SECONDS + 10)
        seconds = time.monotonic() - begin
        refused = sum(answer.startswith(b"HTTP/1.1 408 ") for answer in answers)
        text = f"all ended after {seconds:.0f} s, {refused} with 408; others waited {slowest * 1e3:.0f} ms at most"
        check(refused == 500 and not bystander.failures, f"{text}; {bystander.summary()}")
        _serves(daemon)
        return Outcome(text, f"{HEADER_SECONDS} s for headers")


@attack("slow_bodies", issue=31, limit=90)
def slow_bodies():
    """500 connections that announce a body and send a part of it."""
    head = b"POST /nothing HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % BODY
    with _daemon("--receive-timeout-seconds", 4) as daemon:
        before = daemon.rss()
        raws = [_connect(daemon) for _ in range(500)]
        for raw in raws:
            raw.sendall(head + b"part")
        answers, slowest = _await_ends(daemon, raws, 20)
        refused = sum(answer.startswith(b"HTTP/1.1 408 ") for answer in answers)
        grown = daemon.peak_rss() - before
        text = f"{refused} of 500 ended with 408; {mib(grown)} more at the peak for 1,000 MiB announced"
        check(refused == 500 and grown < 64 * MIB, text)
        return Outcome(f"{text}; others waited {slowest * 1e3:.0f} ms at most", "4 s for a request")


@attack("chunk_bombs", issue=31, limit=90)
def chunk_bombs():
    """Chunks of one byte with extensions of kilobytes, sizes that overflow, and trailers without end."""
    head = b"POST /nothing HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
    bombs = {
        "extensions": (b"1;a=" + b"x" * 4000 + b"\r\ny\r\n") * 8000,
        "one extension": b"1;a=" + b"x" * MIB,
        "overflow": b"fffffffffffffffff\r\n",
        "too large": b"%x\r\n" % (BODY + 1),
        "trailers": b"0\r\n" + b"a: b\r\n" * 100_000,
    }
    with _daemon() as daemon:
        before = daemon.rss()
        for name, bomb in bombs.items():
            with _connect(daemon) as raw:
                with contextlib.suppress(OSError):
                    raw.sendall(head + bomb)
                answer = _read_all(raw)
                check(answer[:12] in (b"HTTP/1.1 400", b"HTTP/1.1 413"), f"{name}: {answer[:60]!r}")
        grown = daemon.peak_rss() - before
        check(grown < 16 * MIB, f"{mib(grown)} more at the peak")
        _ask(daemon)
        return Outcome(f"{len(bombs)} kinds: 400 or 413; {mib(max(0, grown))} more at the peak", "8 bytes on the wire a byte")


@attack("smuggling", issue=31, limit=60)
def smuggling():
    """Requests in which another one hides for a reader who takes their length otherwise."""
    hidden = b"GET /hidden HTTP/1.1\r\nHost: localhost\r\n\r\n"
    length = b"Content-Length: %d\r\n" % len(hidden)
    chunked = b"Transfer-Encoding: chunked\r\n"
    tricks = {
        "CL.TE": length + chunked,
        "TE.CL": chunked + length,
        "TE.TE": chunked + b"Transfer-Encoding: identity\r\n",
        "CL.CL": length + b"Content-Length: 0\r\n",
        "list": b"Content-Length: 0, %d\r\n" % len(hidden),
        "sign": b"Content-Length: +%d\r\n" % len(hidden),
        "space before the colon": b"Content-Length : %d\r\n" % len(hidden),
        "folded": b"X: y\r\n " + length,
        "LF": b"X: y\n" + length,
        "CR": b"X: y\r" + length,
        "NUL": b"X: \0\r\n" + length,
        "gzip": b"Transfer-Encoding: gzip\r\n",
        "chunked, identity": b"Transfer-Encoding: chunked, identity\r\n",
        "vertical tab": b"Transfer-Encoding:\x0bchunked\r\n",
        "two hosts": b"Host: other\r\n" + length,
    }
    with _daemon() as daemon:
        for name, headers in tricks.items():
            with _connect(daemon, 10.0) as raw:
                raw.sendall(b"POST /nothing HTTP/1.1\r\nHost: localhost\r\n" + headers + b"\r\n" + hidden)
                raw.shutdown(socket.SHUT_WR)
                answer = _read_all(raw)
            check(answer[:12] in (b"HTTP/1.1 400", b"HTTP/1.1 501"), f"{name}: {answer[:80]!r}")
            check(answer.count(b"HTTP/1.1 ") == 1, f"{name}: {answer.count(b'HTTP/1.1 ')} answers, expected one")
        # The same without a trick is two requests.
        with _connect(daemon) as raw:
            raw.sendall(GET + GET.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
            check(_read_all(raw).count(b"HTTP/1.1 404 ") == 2, "two requests in one packet are not answered")
        return Outcome(f"{len(tricks)} kinds: one answer, 400 or 501, and the end", "one answer each")


@attack("idle_connections", issue=31, limit=90)
def idle_connections():
    """As many silent connections as are allowed, again and again: others still come in."""
    with _daemon("--max-connections", 1000) as daemon:
        before = daemon.rss()
        raws, waits = [], []
        for _ in range(4):
            raws += [_connect(daemon) for _ in range(1000)]
            begin = time.monotonic()
            check(wait_until(lambda: _gets_in(daemon), 15), "no new client gets in within 15 s")
            waits.append(time.monotonic() - begin)
        grown = daemon.peak_rss() - before
        text = f"a new client waited {max(waits):.1f} s at most; {mib(max(0, grown))} more at the peak"
        check(max(waits) < 10 and daemon.alive(), text)
        for raw in raws:
            raw.close()
        check(wait_until(lambda: daemon.samples()['dragoman_connections{port="http"}'] == 0, 10), "connections stay")
        return Outcome(text, "a second for silent ones when most are taken")


def _gets_in(daemon):
    with contextlib.suppress(OSError), _connect(daemon, 2.0) as raw:
        raw.sendall(GET)
        return raw.recv(100).startswith(b"HTTP/1.1 404 ")
    return False


@attack("tls_garbage", issue=31, limit=90)
def tls_garbage():
    """Bytes that are no TLS, handshakes that stop half way, and plain HTTP, beside a client who does it right."""
    certificates = Certificates()
    context = ssl.create_default_context(cafile=certificates["ca.pem"])
    with _daemon(*certificates.flags()) as daemon:
        hello = ssl.MemoryBIO()
        started = context.wrap_bio(ssl.MemoryBIO(), hello, server_hostname="localhost")
        with contextlib.suppress(ssl.SSLWantReadError):
            started.do_handshake()
        hello = hello.read()
        silent = [_connect(daemon) for _ in range(100)]
        half = [_connect(daemon) for _ in range(100)]
        for raw in half:
            raw.sendall(hello[: len(hello) // 2])
        for garbage in (GET, b"\x16\x03\x01\xff\xff" + bytes(5000), b"\0" * 70_000, hello + bytes(1000)):
            with _connect(daemon, 15.0) as raw:
                with contextlib.suppress(OSError):
                    raw.sendall(garbage)
                answer = _read_all(raw)
                check(not answer.startswith(b"HTTP/"), f"{garbage[:10]!r}: {answer[:40]!r}")
        begin = time.monotonic()
        with context.wrap_socket(_connect(daemon), server_hostname="localhost") as client:
            client.sendall(GET)
            check(client.recv(100).startswith(b"HTTP/1.1 404 "), "a client with TLS is not answered")
        waited = time.monotonic() - begin
        gone = wait_until(lambda: daemon.samples()['dragoman_connections{port="http"}'] == 0, HEADER_SECONDS + 10)
        text = f"200 handshakes that never end were ended; a client beside them waited {waited * 1e3:.0f} ms"
        check(gone, text)
        for raw in silent + half:
            raw.close()
        return Outcome(text, f"{HEADER_SECONDS} s for a handshake")
