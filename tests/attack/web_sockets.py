"""Attacks on WebSockets, through Marian's adapter with the bundled model."""

import base64
import collections
import contextlib
import os
import struct
import time

from harness import Bystander, HttpClient, Outcome, attack, check, mib, wait_until
from http_transport import RUNNING, connect, daemon_of, no_connection_is_left, serves
from transport import Memory, OverHttp


class WebSocket:
    """A connection to Marian's adapter, by frames."""

    def __init__(self, daemon, headers=(), path="/translate", receive_buffer=None, timeout=30.0):
        self.raw = connect(daemon, timeout, receive_buffer)
        key = base64.b64encode(os.urandom(16))
        self.raw.sendall(b"\r\n".join([
            b"GET %s HTTP/1.1" % path.encode(), b"Host: localhost", b"Upgrade: websocket", b"Connection: Upgrade",
            b"Sec-WebSocket-Version: 13", b"Sec-WebSocket-Key: " + key, *headers, b"", b""]))  # fmt: skip
        self.answer = b""
        while b"\r\n\r\n" not in self.answer:
            part = self.raw.recv(1)
            if not part:
                break
            self.answer += part
        self.status = self.answer[9:12]

    def send(self, payload, opcode=1, fin=True, **how):
        self.raw.sendall(ws_frame(payload, opcode, fin, **how))

    def receive(self):
        """(opcode, payload) of the next frame; (8, b"") at the end of the connection."""
        head = self._exactly(2)
        if len(head) < 2:
            return 8, b""
        size = head[1] & 0x7F
        if size >= 126:
            size = int.from_bytes(self._exactly(2 if size == 126 else 8), "big")
        return head[0] & 15, self._exactly(size)

    def _exactly(self, count):
        data = b""
        with contextlib.suppress(OSError):
            while len(data) < count and (part := self.raw.recv(count - len(data))):
                data += part
        return data

    def close_code(self):
        """The code of the close frame, after whatever comes before it; 0 where the connection just ends."""
        while True:
            opcode, payload = self.receive()
            if opcode == 8:
                return int.from_bytes(payload[:2], "big")


def ws_frame(payload, opcode=1, fin=True, length=None, masked=True, reserved=0):
    """A frame of a client; `length` lies about how long it is."""
    size = len(payload) if length is None else length
    head = bytes([(0x80 if fin else 0) | reserved | opcode])
    mask = 0x80 if masked else 0
    if size < 126:
        head += bytes([mask | size])
    elif size < 1 << 16:
        head += bytes([mask | 126]) + struct.pack(">H", size)
    else:
        head += bytes([mask | 127]) + struct.pack(">Q", size)
    # A key of zeros leaves the payload as it is.
    return head + (bytes(4) if masked else b"") + payload


@attack("floods", issue=31, limit=180)
def floods():
    """Messages, pings, pongs and empty fragments without end, from clients that read nothing."""
    floods = {
        "messages": ws_frame("Hallo Welt.".encode()) * 200,
        "pings": ws_frame(bytes(125), 9) * 200,
        "pongs": ws_frame(bytes(125), 10) * 200,
        "empty fragments": ws_frame(b"", 0, fin=False) * 2000,
    }
    figures = []
    with daemon_of("--write-timeout-seconds", 3, "--receive-timeout-seconds", 3) as daemon:
        memory = Memory(daemon, over=OverHttp)
        with Bystander(daemon.api_address, client=HttpClient) as other:
            for name, flood in floods.items():
                busy, begin = daemon.cpu_seconds(), time.monotonic()
                ones = [WebSocket(daemon, receive_buffer=4096) for _ in range(8)]
                sent = 0
                for one in ones:
                    if name == "empty fragments":
                        one.send(b"x", fin=False)
                    one.raw.setblocking(False)
                end = time.monotonic() + 5
                while time.monotonic() < end:
                    moved = 0
                    for one in ones:
                        with contextlib.suppress(OSError):
                            moved += one.raw.send(flood)
                    sent += moved
                    if not moved:
                        time.sleep(0.01)
                busy = (daemon.cpu_seconds() - busy) / (time.monotonic() - begin)
                figures.append(f"{name} {mib(sent)}, {busy:.1f} processors")
                for one in ones:
                    one.raw.close()
        text = f"{'; '.join(figures)}; {other.summary()}"
        check(not other.failures, f"{text} {collections.Counter(other.failures)}")
        check(no_connection_is_left(daemon, 15), f"{text}; connections are left")
        check(wait_until(lambda: daemon.samples()[RUNNING] == 0, 10), f"{text}; requests run on")
        serves(daemon)
        return memory.check(text)


@attack("endless", issue=31, limit=90)
def endless():
    """Messages that never end: a byte at a time, empty fragments, an announced frame that does not come."""
    with daemon_of("--receive-timeout-seconds", 3) as daemon:
        memory = Memory(daemon, over=OverHttp)
        slow = [WebSocket(daemon) for _ in range(20)]
        silent = [WebSocket(daemon) for _ in range(20)]
        for one in slow:
            one.send(b"x", fin=False)
        for one in silent:
            one.raw.sendall(ws_frame(b"Hallo", length=100_000))
        begin = time.monotonic()
        open_ones = set(slow)
        while open_ones and time.monotonic() < begin + 12:
            for one in list(open_ones):
                try:
                    one.raw.sendall(ws_frame(b"y", 0, fin=False) + ws_frame(b"", 0, fin=False))
                    one.raw.setblocking(False)
                    if one.raw.recv(100) is not None:
                        open_ones.remove(one)
                except BlockingIOError:
                    one.raw.setblocking(True)
                    continue
                except OSError:
                    open_ones.discard(one)
            time.sleep(0.1)
        took = time.monotonic() - begin
        check(not open_ones, f"{len(open_ones)} of 20 are open after {took:.0f} s")
        codes = collections.Counter(one.close_code() for one in silent)
        check(set(codes) == {1008}, f"those that announced more: {dict(codes)}")
        for one in slow:
            one.raw.close()
        serves(daemon)
        return Outcome(
            f"40 messages ended after {took:.1f} s; {mib(max(0, daemon.peak_rss() - memory._before))} more", "3 s"
        )


@attack("idle", issue=31, limit=90)
def idle():
    """1,000 WebSockets that say nothing, each opened with 30 KiB of headers."""
    with daemon_of("--max-connections", 1300) as daemon:
        memory = Memory(daemon, over=OverHttp)
        before = daemon.rss()
        headers = [b"X-%d: %s" % (i, b"a" * 1000) for i in range(30)]
        ones = [WebSocket(daemon, headers) for _ in range(1000)]
        opened = sum(one.status == b"101" for one in ones)
        each = (daemon.rss() - before) / len(ones) / 1024
        check(opened == 1000, f"{opened} of 1,000 were opened")
        waited = serves(daemon)
        # One of them that speaks is answered.
        ones[500].send("Hallo.".encode())
        opcode, answer = ones[500].receive()
        check(opcode == 1 and answer, f"one of them gets {opcode}, {answer[:60]!r}")
        text = f"{each:.0f} KiB each; a new client waits {waited * 1e3:.0f} ms; {answer.decode()!r}"
        check(each < 64, text, "64 KiB a connection")
        for one in ones:
            one.raw.close()
        check(no_connection_is_left(daemon), f"{text}; connections are left")
        return memory.check(text)
