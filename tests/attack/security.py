"""Attacks on TLS, on API keys, and through the known weaknesses of gRPC 1.51.

Each CVE of that version that a client alone can reach is tried here or in transport.py; what came of it stands in
server/SECURITY.md.
"""

import collections
import contextlib
import datetime
import hashlib
import ipaddress
import json
import pathlib
import secrets
import socket
import ssl
import statistics
import struct
import tempfile
import threading
import time

from harness import (
    MIB,
    Bystander,
    Client,
    Daemon,
    Failed,
    Outcome,
    RawHttp2,
    attack,
    check,
    frame,
    request,
    wait_until,
)
from transport import Memory, _flood, _raw_frame, _serves

HEADERS, CONTINUATION = 1, 9
END_STREAM, END_HEADERS = 1, 4


# ------------------------------------------------------------------ certificates and keys


class Certificates:
    """A folder with an authority (ca.pem) and a server's certificate of it (server.pem, server.key)."""

    def __init__(self):
        from cryptography import x509

        self.folder = tempfile.TemporaryDirectory(prefix="attack-tls-")
        self._ca_key = self._ca = None
        self._ca_key, self._ca = self._make("Attack CA", x509.BasicConstraints(ca=True, path_length=None))
        self._write("ca.pem", self._ca.public_bytes(_pem()))
        self.renew()

    def renew(self):
        """A new pair of the same authority in the place of the server's."""
        from cryptography import x509
        from cryptography.hazmat.primitives import serialization

        names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
        key, own = self._make("localhost", x509.SubjectAlternativeName(names))
        self._write("server.pem", own.public_bytes(_pem()))
        self._write("server.key", key.private_bytes(
            _pem(), serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))

    def _make(self, name, extension):
        """A key and its certificate, signed by the authority if there is one."""
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.asymmetric import ec
        from cryptography.x509.oid import NameOID

        key = ec.generate_private_key(ec.SECP256R1())
        now = datetime.datetime.now(datetime.timezone.utc)
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._ca.subject if self._ca else subject)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(hours=1))
            .not_valid_after(now + datetime.timedelta(days=1))
            .add_extension(extension, critical=False)
        )
        return key, builder.sign(self._ca_key or key, hashes.SHA256())

    def _write(self, name, data):
        pathlib.Path(self[name]).write_bytes(data)

    def __getitem__(self, name):
        return str(pathlib.Path(self.folder.name) / name)

    def flags(self):
        return ("--tls-cert", self["server.pem"], "--tls-key", self["server.key"])

    def client(self, address):
        import grpc

        roots = pathlib.Path(self["ca.pem"]).read_bytes()
        return Client(address, credentials=grpc.ssl_channel_credentials(roots))


def _pem():
    from cryptography.hazmat.primitives import serialization

    return serialization.Encoding.PEM


def keys_file(**clients):
    """A file for --api-keys and the keys by name. The values are further fields."""
    keys = {name: "dgm_" + secrets.token_urlsafe(32) for name in clients}
    entries = [
        {"name": name, "keys": ["sha256:" + hashlib.sha256(keys[name].encode()).hexdigest()], **fields}
        for name, fields in clients.items()
    ]
    file = tempfile.NamedTemporaryFile("w", prefix="attack-keys-", suffix=".json")
    json.dump({"clients": entries}, file)
    file.flush()
    return file, keys


def bearer(key):
    return [("authorization", "Bearer " + key)]


def connections(daemon):
    return daemon.samples()['dragoman_connections{port="grpc"}']


# ------------------------------------------------------------------ TLS


@attack("plaintext_to_tls", issue=15, limit=90)
def plaintext_to_tls():
    """HTTP/2 without TLS, and noise, at a port that speaks TLS."""
    certificates = Certificates()
    with Daemon(*certificates.flags()) as daemon, certificates.client(daemon.grpc) as friend:
        check(friend.code("Hallo.") == "OK", "a client with TLS is not served")
        with Client(daemon.grpc) as plain:
            code = plain.code("Hallo.", timeout=5)
            check(code == "UNAVAILABLE", f"a client without TLS gets {code}")
        memory = Memory(daemon)
        host, port = daemon.grpc.rsplit(":", 1)
        for _ in range(500):
            with contextlib.suppress(OSError), socket.create_connection((host, int(port)), 5) as noise:
                noise.sendall(secrets.token_bytes(4096))
                noise.settimeout(5)
                noise.recv(4096)
        check(friend.code("Hallo.") == "OK", "afterwards a client with TLS is not served")
        check(wait_until(lambda: connections(daemon) <= 2, 15), "connections stay")
        return memory.check(f"without TLS: {code}; 500 connections of noise are closed")


@attack("half_open_handshakes", issue=15, limit=90)
def half_open_handshakes():
    """1,000 connections that send half a TLS handshake and wait."""
    certificates = Certificates()
    with Daemon(*certificates.flags()) as daemon, certificates.client(daemon.grpc) as friend:
        memory = Memory(daemon)
        host, port = daemon.grpc.rsplit(":", 1)
        context = ssl.create_default_context(cafile=certificates["ca.pem"])
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        with contextlib.suppress(ssl.SSLWantReadError):
            context.wrap_bio(incoming, outgoing, server_hostname="localhost").do_handshake()
        hello = outgoing.read()
        held = [socket.create_connection((host, int(port)), 5) for _ in range(1000)]
        for one in held:
            one.sendall(hello[: len(hello) // 2])
        begin = time.monotonic()
        check(friend.code("Hallo.", timeout=5) == "OK", "meanwhile a client is not served")
        took = time.monotonic() - begin
        gone = wait_until(lambda: connections(daemon) <= 1, 25)
        seconds = time.monotonic() - begin
        check(gone, f"{connections(daemon):.0f} connections stay")
        for one in held:
            one.close()
        return memory.check(f"another client: {took * 1e3:.0f} ms; all are closed after {seconds:.0f} s")


@attack("handshake_flood", issue=15, limit=90)
def handshake_flood():
    """Handshakes as fast as two threads make them, each thrown away."""
    certificates = Certificates()
    with Daemon(*certificates.flags()) as daemon, certificates.client(daemon.grpc) as friend:
        memory = Memory(daemon)
        host, port = daemon.grpc.rsplit(":", 1)
        context = ssl.create_default_context(cafile=certificates["ca.pem"])
        context.set_alpn_protocols(["h2"])
        stop = threading.Event()
        counts = collections.Counter()

        def run():
            while not stop.is_set():
                with contextlib.suppress(OSError), socket.create_connection((host, int(port)), 5) as raw:
                    context.wrap_socket(raw, server_hostname="localhost").close()
                    counts["handshakes"] += 1

        def timed():
            begin = time.monotonic()
            check(friend.code("Hallo.", timeout=20) == "OK", "a client is not served")
            return time.monotonic() - begin

        alone = sorted(timed() for _ in range(100))
        attackers = [threading.Thread(target=run) for _ in range(2)]
        cpu = daemon.cpu_seconds()
        begin = time.monotonic()
        for one in attackers:
            one.start()
        beside = []
        while time.monotonic() < begin + 8:
            beside.append(timed())
        stop.set()
        for one in attackers:
            one.join()
        seconds = time.monotonic() - begin
        beside.sort()
        text = (
            f"{counts['handshakes'] / seconds:.0f} handshakes a second for {(daemon.cpu_seconds() - cpu) / seconds:.1f} "
            f"processors (calls included); another client: p99 {beside[int(len(beside) * 0.99)] * 1e3:.0f} ms, "
            f"alone {alone[98] * 1e3:.0f} ms"
        )
        check(counts["handshakes"] > 100, text)
        return memory.check(text)


# ------------------------------------------------------------------ connections


@attack("connections_5000", issue=15, limit=120)
def connections_5000():
    """5,000 connections from one address, where 4,096 may be and 200 of one address."""
    with Daemon("--max-connections", 4096, "--max-connections-per-peer", 200) as daemon:
        memory = Memory(daemon)
        idle = daemon.fds()
        port = int(daemon.grpc.rsplit(":", 1)[1])
        held = []
        # The other client has an address of its own, and comes when the attack is there.
        for _ in range(5000):
            with contextlib.suppress(OSError):
                held.append(socket.create_connection(("127.0.0.1", port), 5, source_address=("127.0.0.9", 0)))
        refused = 'dragoman_connections_total{port="grpc",outcome="refused"}'
        check(wait_until(lambda: daemon.samples()[refused] >= 4800, 20), f"{daemon.samples()[refused]:.0f} refused")
        used = daemon.fds()
        check(used - idle <= 2 * 200 + 16, f"{used} descriptors, {idle} before")
        with Bystander(daemon.grpc) as other:
            time.sleep(3)
        check(not other.failures and other.seconds, other.summary())
        for one in held:
            one.close()
        check(wait_until(lambda: daemon.fds() <= idle + 8, 20), f"{daemon.fds()} descriptors, {idle} before")
        return memory.check(f"4,800 are refused, {used - idle} descriptors; from another address: {other.summary()}")


@attack("half_open_connections", issue=15, limit=150)
def half_open_connections():
    """200 connections whose peers are gone without a word: they answer no ping any more."""
    with Daemon() as daemon:
        memory = Memory(daemon)
        idle = daemon.fds()
        held = []
        for _ in range(200):
            raw = RawHttp2(daemon.grpc)
            raw.receive(5)
            held.append(raw)
        begin = time.monotonic()
        check(wait_until(lambda: connections(daemon) == 0, 100, step=1), f"{connections(daemon):.0f} stay")
        seconds = time.monotonic() - begin
        check(seconds > 30, f"they are closed after {seconds:.0f} s already")
        check(wait_until(lambda: daemon.fds() <= idle + 6, 10), f"{daemon.fds()} descriptors, {idle} before")
        for raw in held:
            raw.socket.close()
        return memory.check(f"closed after {seconds:.0f} s")


# ------------------------------------------------------------------ keys


@attack("wrong_keys", issue=15, limit=90)
def wrong_keys():
    """Calls with wrong keys and large requests as fast as four threads send them."""
    file, keys = keys_file(web={})
    with file, Daemon("--api-keys", file.name) as daemon, Client(daemon.grpc) as friend:
        memory = Memory(daemon)

        def timed():
            begin = time.monotonic()
            check(friend.code("Hallo.", timeout=20, metadata=bearer(keys["web"])) == "OK", "the right key is refused")
            return time.monotonic() - begin

        alone = sorted(timed() for _ in range(100))
        stop = threading.Event()
        codes = collections.Counter()

        def run():
            with Client(daemon.grpc) as wrong:
                while not stop.is_set():
                    code = wrong.code("Hallo. " * 3000, metadata=bearer("dgm_" + secrets.token_urlsafe(32)))
                    codes[code] += 1

        attackers = [threading.Thread(target=run) for _ in range(4)]
        for one in attackers:
            one.start()
        begin = time.monotonic()
        beside = []
        while time.monotonic() < begin + 6:
            beside.append(timed())
        stop.set()
        for one in attackers:
            one.join()
        beside.sort()
        check(set(codes) == {"UNAUTHENTICATED"}, f"{dict(codes)}")
        accepted = daemon.samples()['dragoman_segments_accepted_total{model="de-en"}']
        check(accepted == len(alone) + len(beside), f"{accepted} segments were accepted")
        return memory.check(
            f"{sum(codes.values())} refused; another client: p99 {beside[int(len(beside) * 0.99)] * 1e3:.0f} ms, "
            f"alone {alone[98] * 1e3:.0f} ms"
        )


@attack("backlog_of_one_key", issue=15, limit=300)
def backlog_of_one_key():
    """10,000 segments of one key wait, single sentences of another come from the same address: delayed by a window."""
    from dragoman.v1 import translation_pb2 as pb

    sentence = "Wenn ich Zeit hätte, würde ich heute eine neue Sprache lernen."
    file, keys = keys_file(crowd={}, other={})
    flags = ("--api-keys", file.name, "--max-queue-segments", 20000, "--max-queue-tokens", 2_000_000)
    with file, Daemon(*flags) as daemon, Client(daemon.grpc) as client:
        beam = pb.DecodingOptions(beam_size=4)

        def single():
            begin = time.monotonic()
            client.translate(sentence, timeout=120, decoding=beam, metadata=bearer(keys["other"]))
            return time.monotonic() - begin

        single()
        alone = statistics.median(single() for _ in range(10))
        calls = [
            client.stub.Translate.future(
                request(*[sentence] * 400, decoding=beam), timeout=280, metadata=bearer(keys["crowd"]))
            for _ in range(25)
        ]
        waiting = 'dragoman_queue_segments{model="de-en",stage="encode"}'
        check(wait_until(lambda: daemon.samples()[waiting] > 9000, 60), f"{daemon.samples()[waiting]:.0f} wait")
        done = 'dragoman_segments_total{model="de-en",outcome="eos"}'
        before, begin = daemon.samples()[done], time.monotonic()
        beside, overtaking = [], []
        for _ in range(20):
            ended = daemon.samples()[done]
            beside.append(single())
            overtaking.append(daemon.samples()[done] - ended - 1)
        rate = (daemon.samples()[done] - before) / (time.monotonic() - begin)
        left = daemon.samples()[waiting]
        for call in calls:
            call.cancel()
        check(left > 1000, f"only {left:.0f} are left: the backlog was too short")
        rows = daemon.samples()['dragoman_decode_rows_capacity{model="de-en"}']
        # A window, those that were in the batch when it came, and those that end while it is in the batch: counted and
        # not timed, so that other work on the machine changes nothing.
        # 32: of the time that the two scrapes take.
        bound = 64 + 2 * rows / 4 + 32
        text = (
            f"beside 10,000 segments ({rate:.0f} a second, {10_000 / rate:.0f} s in all) at most {max(overtaking):.0f} of "
            f"them end before a sentence of the other key, p50 {statistics.median(overtaking):.0f}; it takes p50 "
            f"{statistics.median(beside) * 1e3:.0f} ms, worst {max(beside) * 1e3:.0f} ms, alone {alone * 1e3:.0f} ms"
        )
        limit = f"a window and two full batches: {bound:.0f} segments"
        check(max(overtaking) <= bound, text, limit)
        return Outcome(text, limit)


@attack("deadlines_behind_a_backlog", issue=15, limit=240)
def deadlines_behind_a_backlog():
    """Calls with two seconds left behind a backlog of their own client of more than that."""
    from dragoman.v1 import translation_pb2 as pb

    sentence = "Wenn ich Zeit hätte, würde ich heute eine neue Sprache lernen."
    flags = ("--max-queue-segments", 20000, "--max-queue-tokens", 2_000_000)
    with Daemon(*flags) as daemon, Client(daemon.grpc) as client:
        wide = pb.DecodingOptions(beam_size=32)
        calls = [
            client.stub.Translate.future(request(*[sentence] * 400, decoding=wide), timeout=110) for _ in range(40)
        ]
        waiting = 'dragoman_queue_segments{model="de-en",stage="encode"}'
        refused = 'dragoman_rejected_total{reason="deadline"}'
        if not wait_until(lambda: daemon.samples()[waiting] > 9000, 60):
            ended = collections.Counter(str(call.exception()) for call in calls if call.done())
            raise Failed(f"{daemon.samples()[waiting]:.0f} wait; ended: {dict(ended)}")
        codes = collections.Counter()
        took = []
        end = time.monotonic() + 15
        while len(took) < 20 and time.monotonic() < end:
            begin = time.monotonic()
            code = client.code(sentence, timeout=2)
            codes[code] += 1
            if code == "RESOURCE_EXHAUSTED":
                took.append(time.monotonic() - begin)
                time.sleep(0.05)
        check(daemon.samples()[waiting] > 1000, "the backlog was too short")
        counted = daemon.samples()[refused]
        for call in calls:
            call.cancel()
        text = f"{dict(codes)}; refused after {statistics.median(took or [9]) * 1e3:.1f} ms"
        check(counted == len(took) > 10, f"{text}, {counted:.0f} counted")
        check(wait_until(lambda: daemon.samples()[waiting] == 0, 20), "the cancelled stay")
        # Without a backlog the same call is taken.
        check(client.code(sentence, timeout=5) == "OK", f"{text}; afterwards it is refused still")
        return Outcome(text)


# ------------------------------------------------------------------ known weaknesses of gRPC 1.51


def _literal(name, value, index=True):
    """A header field, written out; it goes into the peer's table if `index`. Lengths below 127."""
    return bytes([0x40 if index else 0, len(name)]) + name + bytes([len(value)]) + value


def _usual(raw):
    return raw.h2.encoder.encode([
        (":method", "POST"), (":scheme", "http"), (":path", RawHttp2.TRANSLATE),
        (":authority", "x"), ("te", "trailers"), ("content-type", "application/grpc"),
    ])


# A header's string, with the name before it, that says it has 2 GB: 0x7f, and what 2^31 - 128 is beyond it, seven bits
# at a time.
_HUGE_STRING = b"\x00\x05x-big" + b"\x7f" + b"\x80\xff\xff\xff\x07"


def _continued(field, data, times):
    """Sends headers that end with `field`, then that many CONTINUATION frames of `data` at a time."""

    def send(raw):
        if not hasattr(raw, "begun"):
            raw.begun = True
            raw.stream = getattr(raw, "stream", 1)
            raw.socket.sendall(_raw_frame(HEADERS, 0, raw.stream, _usual(raw) + field))
        raw.socket.sendall(_raw_frame(CONTINUATION, 0, raw.stream, data) * times)
        return times

    return send


@attack("cve_2023_33953_string", issue=15, limit=60)
def cve_2023_33953_string():
    """A header string that says it has 2 GB, byte by byte: buffered before its length was looked at (CVE-2023-33953)."""
    return _flood(_continued(_HUGE_STRING, b"a" * 16000, 10))


@attack("cve_2023_33953_varint", issue=15, limit=60)
def cve_2023_33953_varint():
    """A number of HPACK with zeros without end (CVE-2023-33953)."""
    return _flood(_continued(b"\x00\x05x-big\x7f", b"\x80" * 16000, 10))


@attack("cve_2023_33953_copies", issue=15, limit=60)
def cve_2023_33953_copies():
    """A header string in CONTINUATION frames of one byte: each was copied with all before it (CVE-2023-33953)."""
    return _flood(_continued(_HUGE_STRING, b"a", 500), longest=4)


def _copies_beside(calls, pause=0.0, seconds=8):
    """The same on a connection with that many calls whose requests do not come, each of which may send 2 MiB; with a
    pause after every 5 KB."""
    copies = _continued(_HUGE_STRING, b"a", 500)

    def send(raw):
        if not hasattr(raw, "calls"):
            raw.calls = calls
            for stream in range(3, 3 + 2 * calls, 2):
                raw.socket.sendall(_raw_frame(HEADERS, END_HEADERS, stream, _usual(raw)))
            raw.stream = 3 + 2 * calls
        time.sleep(pause)
        return copies(raw)

    return _flood(send, seconds, longest=4)


@attack("cve_2023_33953_beside_a_call", issue=15, limit=120)
def cve_2023_33953_beside_a_call():
    """Copies of a header string (CVE-2023-33953) on a connection with a call whose request does not come."""
    return _copies_beside(1)


@attack("cve_2023_33953_beside_calls", issue=15, limit=120)
def cve_2023_33953_beside_calls():
    """The same with 16 such calls."""
    return _copies_beside(16)


@attack("cve_2023_33953_slowly", issue=15, limit=120)
def cve_2023_33953_slowly():
    """The same, not so fast that more waits than gRPC reads, for as long as its calls are waited for."""
    return _copies_beside(16, pause=0.02, seconds=15)


@attack("cve_2023_1428", issue=15, limit=60)
def cve_2023_1428():
    """Values of te, :scheme and others that gRPC does not know, and then more than 8 KiB of headers: an assertion that
    failed (CVE-2023-1428)."""
    strange = [(b"te", b"x"), (b":scheme", b"x"), (b"grpclb_client_stats", b"x"), (b"grpc-timeout", b"x"),
               (b"content-type", b"x"), (b":method", b"x"), (b"grpc-encoding", b"x"), (b"grpc-status", b"x")]
    with Daemon() as daemon:
        tried = 0
        for size in (100, 7900, 8300, 12000):
            for field in strange + [None]:
                with contextlib.suppress(ConnectionError, TimeoutError), RawHttp2(daemon.grpc) as raw:
                    block = _usual(raw) + b"".join(_literal(*one) for one in (strange if field is None else [field]))
                    while size > 0:
                        block += _literal(b"x-%d" % size, b"b" * min(size, 100))
                        size -= 100
                    _open(raw, 1)
                    raw.socket.sendall(_raw_frame(HEADERS, END_HEADERS, 1, block))
                    raw.receive(1)
                tried += 1
                check(daemon.alive(), f"the daemon is dead: {field}, {size} bytes: {daemon.errors()[-300:]}")
        _serves(daemon)
        return Outcome(f"{tried} combinations; alive")


def _open(raw, stream):
    """Lets h2 know of a stream whose headers are sent by hand."""
    raw.h2.send_headers(stream, [(":method", "POST"), (":scheme", "http"), (":path", "/"), (":authority", "x")])
    raw.h2.data_to_send()  # thrown away


def _call_with(raw, stream, block):
    """Sends a call with this block of headers; how it ends."""
    _open(raw, stream)
    message = frame(request("Hallo.").SerializeToString())
    raw.socket.sendall(_raw_frame(HEADERS, END_HEADERS, stream, block) + _raw_frame(0, END_STREAM, stream, message))
    return raw.outcome(stream, 5)


def _after_a_bad_block(daemon, bad):
    """Sends a call with a block of headers that is refused and enters fields into the table on its way, and then a
    call that refers to such a field: what becomes of both. If the tables of the two sides differ afterwards, the second
    call has another request id than it says, or none."""
    with RawHttp2(daemon.grpc) as raw:
        raw.receive(1)
        usual = [
            (0x83), (0x86),  # POST, http
        ]
        static = bytes(usual) + b"".join((
            _literal(b":path", RawHttp2.TRANSLATE.encode(), index=False), _literal(b":authority", b"x", index=False),
            _literal(b"te", b"trailers", index=False), _literal(b"content-type", b"application/grpc", index=False)))
        # What others would have put there before: 62 is the newest entry of the table.
        first = _call_with(raw, 1, static + _literal(b"x-request-id", b"old"))
        bad_block = static + bad + _literal(b"x-request-id", b"new")
        try:
            second = _call_with(raw, 3, bad_block)
            third_headers = {}
            _open(raw, 5)
            raw.socket.sendall(
                _raw_frame(HEADERS, END_HEADERS, 5, static + b"\xbe")
                + _raw_frame(0, END_STREAM, 5, frame(request("Hallo.").SerializeToString())))
            deadline = time.monotonic() + 5
            while 5 not in raw._ended and time.monotonic() < deadline:
                for event in raw.receive(1):
                    if type(event).__name__ == "ResponseReceived" and event.stream_id == 5:
                        third_headers = {bytes(k): bytes(v) for k, v in event.headers}
            return first, second, third_headers.get(b"x-request-id", b"?").decode()
        except (ConnectionError, TimeoutError, OSError):
            return first, ("connection closed", "", ""), "-"


@attack("cve_2023_32731_2024_7246", issue=15, limit=60)
def cve_2023_32731_2024_7246():
    """Blocks of headers that are refused and change the table on their way: behind a proxy the next client's fields
    would be taken for others (CVE-2023-32731, CVE-2024-7246), or its connection be closed (CVE-2023-32732)."""
    big = b"".join(_literal(b"x-%d" % i, b"b" * 120, index=False) for i in range(90))
    cases = {
        "more than 8 KiB": big,
        "a -bin field that is no base64": _literal(b"x-bin", b"!!!"),
        "an indexed -bin field that is no base64": _literal(b"x-bin", b"\xff\xff"),
        "an empty name": _literal(b"", b"x"),
        "a capital letter": _literal(b"X-Capital", b"x"),
    }
    outcomes = []
    with Daemon() as daemon:
        for name, bad in cases.items():
            first, second, seen = _after_a_bad_block(daemon, bad)
            check(first[:2] == ("status", "0"), f"the first call: {first}")
            check(seen in ("new", "-"), f"{name}: then a call has the request id {seen!r}, expected 'new'")
            outcomes.append(f"{name}: {second[0]} {second[1]}, tables agree" if seen == "new" else f"{name}: {second[0]}")
        _serves(daemon)
    return Outcome("; ".join(outcomes))
