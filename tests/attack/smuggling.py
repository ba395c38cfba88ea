"""Requests inside of requests, many in one packet, and other protocols, at the adapters of --http with the bundled model."""

import contextlib
import json
import socket
import ssl

from harness import HttpClient, Outcome, attack, check
from http_transport import HELLO, connect, daemon_of, no_connection_is_left, post, read_all, serves


@attack("pipelined_translations", issue=31, limit=60)
def pipelined_translations():
    """60 requests in one packet, good and bad in turns: every answer comes, in order, and is that of its request."""
    texts = [f"Das ist die Nummer {i}." for i in range(60)]
    with daemon_of() as daemon:
        alone = {}
        with HttpClient(daemon.api_address) as client:
            for text in texts[:3]:
                answer = client.ask(
                    "POST", "/v1/translate", json.dumps({"contents": [text]}), {"Content-Type": "application/json"}
                )
                alone[text] = json.loads(answer[2])["translations"][0]["translatedText"]
        data = b""
        for i, text in enumerate(texts):
            headers = [b"X-Request-Id: number-%d" % i] + ([b"Connection: close"] if i == 59 else [])
            body = b'{"contents": 7}' if i % 5 == 4 else json.dumps({"contents": [text]}).encode()
            data += post(body, headers=headers)
        with connect(daemon) as raw:
            raw.sendall(data)
            stream = raw.makefile("rb")
            for i, text in enumerate(texts):
                status, headers, body = _next_answer(stream)
                check(headers.get("x-request-id") == f"number-{i}", f"answer {i}: {headers}")
                check(status == (400 if i % 5 == 4 else 200), f"answer {i}: {status} {body[:100]!r}")
                if text in alone:
                    check(json.loads(body)["translations"][0]["translatedText"] == alone[text], f"answer {i}: {body!r}")
            check(stream.read() == b"", "bytes after the last answer")
        return "60 answers in order, 12 of them errors that leave the connection as it is"


def _next_answer(stream):
    """(status, headers by their names in lower case, body) of the next answer with a Content-Length."""
    status = int(stream.readline().split(b" ")[1])
    headers = {}
    while (line := stream.readline()) not in (b"\r\n", b""):
        name, _, value = line.decode("latin-1").partition(":")
        headers[name.lower()] = value.strip()
    return status, headers, stream.read(int(headers["content-length"]))


@attack("smuggled_translations", issue=31, limit=90)
def smuggled_translations():
    """Translate requests whose length can be read in two ways, each with another request inside of its body."""
    hidden = post(HELLO, headers=[b"X-Request-Id: hidden"])
    chunk = b"%x\r\n%s\r\n0\r\n\r\n" % (len(hidden), hidden)
    length = b"Content-Length: %d" % len(hidden)
    chunked = b"Transfer-Encoding: chunked"
    tricks = {
        "CL and TE": (length + b"\r\n" + chunked, chunk),
        "TE and CL": (chunked + b"\r\n" + length, chunk),
        "TE and CL 0": (chunked + b"\r\nContent-Length: 0", chunk),
        "two CL": (length + b"\r\nContent-Length: 0", hidden),
        "the same CL twice": (length + b"\r\n" + length, hidden),
        "list of CL": (b"Content-Length: %d, %d" % (len(hidden), len(hidden)), hidden),
        "CL in hex": (b"Content-Length: 0x%x" % len(hidden), hidden),
        "CL with a point": (b"Content-Length: %d.0" % len(hidden), hidden),
        "CL after NBSP": (b"Content-Length: \xa0%d" % len(hidden), hidden),
        "xchunked": (b"Transfer-Encoding: xchunked", chunk),
        "chunked twice": (b"Transfer-Encoding: chunked, chunked", chunk),
        "chunked in quotes": (b'Transfer-Encoding: "chunked"', chunk),
        "chunked; q": (b"Transfer-Encoding: chunked;q=1", chunk),
        "identity": (b"Transfer-Encoding: identity", chunk),
        "folded TE": (b"Transfer-Encoding:\r\n chunked", chunk),
        "folded CL": (b"Content-Length:\r\n %d" % len(hidden), hidden),
        "space before the colon": (b"Transfer-Encoding : chunked", chunk),
        "underscore": (b"Transfer_Encoding: chunked\r\nTransfer-Encoding : chunked", chunk),
        "bare LF": (b"X: y\n" + chunked, chunk),
        "bare CR": (b"X: y\r" + chunked, chunk),
        "no value": (b"Transfer-Encoding:", chunk),
        "size with a sign": (chunked, b"+" + chunk),
        "size in 0x": (chunked, b"0x" + chunk),
        "size of 17 digits": (chunked, b"10000000000000000\r\n" + hidden),
        "LF after a size": (chunked, chunk.replace(b"\r\n", b"\n", 1)),
        "LF in an extension": (chunked, b"%x;a\nb\r\n%s\r\n0\r\n\r\n" % (len(hidden), hidden)),
        "CL in a trailer": (chunked, b"%x\r\n%s\r\n0\r\nContent-Length: 0\r\n\r\n" % (len(hidden), hidden)),
        "chunk that is longer": (chunked, b"5\r\n" + hidden + b"\r\n0\r\n\r\n"),
    }
    with daemon_of() as daemon:
        for name, (framing, body) in tricks.items():
            with connect(daemon, 10.0) as raw:
                with contextlib.suppress(OSError):
                    raw.sendall(post(body, length=framing))
                    raw.shutdown(socket.SHUT_WR)
                answer = read_all(raw)
            check(answer[:12] in (b"HTTP/1.1 400", b"HTTP/1.1 501"), f"{name}: {answer[:80]!r}")
            check(answer.count(b"HTTP/1.1 ") == 1, f"{name}: {answer.count(b'HTTP/1.1 ')} answers, expected one")
            check(b"hidden" not in answer, f"{name}: the hidden request is answered")
        # Chunks with extensions and trailers are one request, whatever stands in them.
        whole = b'%x;name="v;x";b\r\n%s\r\n' % (len(HELLO), HELLO)
        whole += b"0;last\r\nX-Trailer: " + b"y" * 100 + b"\r\nHost: other\r\n\r\n"
        with connect(daemon, 20.0) as raw:
            raw.sendall(post(whole, length=chunked) + post(HELLO, headers=[b"Connection: close"]))
            answer = read_all(raw)
        check(answer.count(b"HTTP/1.1 200 ") == 2, f"extensions and trailers: {answer[:120]!r}")
        calls = daemon.rpcs()
        check(calls == {"OK": 2}, f"counted: {calls}, expected two calls")
        return Outcome(
            f"{len(tricks)} kinds: one answer, 400 or 501, and the end; extensions and trailers are read past",
            "one answer each",
        )


@attack("other_protocols", issue=31, limit=60)
def other_protocols():
    """HTTP/2, TLS, SMTP, a proxy's header and Redis on the plain port."""
    hello, started = ssl.MemoryBIO(), ssl.create_default_context()
    with contextlib.suppress(ssl.SSLWantReadError):
        started.wrap_bio(ssl.MemoryBIO(), hello, server_hostname="localhost").do_handshake()
    upgrade = b"\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\nConnection: Upgrade, HTTP2-Settings\r\n\r\n"
    kinds = {
        "HTTP/2": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(3) + b"\x04" + bytes(5), (b"505", b"400")),
        "TLS": (hello.read(), (b"400",)),
        "SMTP": (b"EHLO localhost\r\nMAIL FROM:<a@b>\r\n", (b"",)),
        "PROXY": (b"PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\nGET / HTTP/1.1\r\nHost: localhost\r\n\r\n", (b"400",)),
        "PROXY v2": (b"\r\n\r\n\x00\r\nQUIT\n" + bytes(20), (b"400",)),
        "Redis": (b"*1\r\n$4\r\nPING\r\n", (b"",)),
        # An upgrade that is not known is overlooked (RFC 9110, 7.8).
        "h2c": (b"GET /v1/info HTTP/1.1\r\nHost: localhost" + upgrade, (b"200",)),
    }
    with daemon_of() as daemon:
        for name, (data, wanted) in kinds.items():
            with connect(daemon, 15.0) as raw:
                raw.sendall(data)
                raw.shutdown(socket.SHUT_WR)
                answer = read_all(raw)
                check(answer[9:12] in wanted, f"{name}: {answer[:80]!r}, expected {wanted}")
        check(no_connection_is_left(daemon), "connections are left")
        serves(daemon)
        return f"{len(kinds)} kinds: refused with an answer, h2c overlooked"
