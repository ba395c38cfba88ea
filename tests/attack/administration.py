"""Attacks on the admin port, and what administration leaves behind: names, series, answers that wait."""

import threading
import time

from harness import MIB, ROOT, Daemon, Outcome, RawHttp2, attack, check, frame, mib
from transport import SLACK, compressed_zeros

TINY = ROOT / "tests/data/models/tiny-a"
LOAD = "/dragoman.v1.AdminService/LoadModel"

# The limit on messages of the admin port: server/api/admin_server.cc.
ADMIN_MESSAGES = 8 * MIB


def _administrated(*flags):
    return Daemon("--admin-listen", "127.0.0.1:0", *flags)


class Admin:
    """Calls of AdminService on a connection of its own."""

    def __init__(self, daemon):
        import grpc
        from dragoman.v1 import translation_pb2, translation_pb2_grpc

        self._messages = translation_pb2
        self._channel = grpc.insecure_channel(daemon.admin)
        self._stub = translation_pb2_grpc.AdminServiceStub(self._channel)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._channel.close()

    def call(self, method, timeout=60.0, **fields):
        """(code, message) of a call; ("OK", "") if it did well."""
        import grpc

        request = getattr(self._messages, f"{method}Request")(**fields)
        try:
            getattr(self._stub, method)(request, timeout=timeout)
        except grpc.RpcError as error:
            return error.code().name, error.details()
        return "OK", ""

    def load(self, name, directory=TINY):
        return self.call("LoadModel", name=name, directory=str(directory))


def _probe(daemon):
    """How long /livez and /readyz take; both must say 200."""
    begin = time.monotonic()
    for path in ("/livez", "/readyz"):
        status, body = daemon.http(path, timeout=30.0)
        check(status == 200, f"{path} answers {status} {body}")
    return time.monotonic() - begin


@attack("compressed_bomb", issue=29, limit=120)
def compressed_bomb():
    """A megabyte that inflates to 1 GiB, by gzip and by deflate."""
    with _administrated() as daemon:
        before = daemon.rss()
        for name, bomb in (
            ("gzip", compressed_zeros(gzip=True, count=256)),
            ("deflate", compressed_zeros(gzip=False, count=256)),
        ):
            with RawHttp2(daemon.admin) as raw:
                stream = raw.begin(LOAD, headers=[("grpc-encoding", name)])
                raw.send(stream, frame(bomb, compressed=1), end=True)
                kind, code, message = raw.outcome(stream, 60)
                check((kind, code) == ("status", "12"), f"{name}: {kind} {code} {message}")
        grown = daemon.peak_rss() - before
        bound = f"{mib(ADMIN_MESSAGES)} more than idle"
        text = f"gzip and deflate: UNIMPLEMENTED; {mib(max(0, grown))} more at the peak"
        check(grown <= ADMIN_MESSAGES + SLACK, text, bound)
        return Outcome(text, bound)


@attack("large_messages", issue=29, limit=120)
def large_messages():
    """8 connections that send 512 MiB each, of which none is a request."""
    with _administrated() as daemon:
        before = daemon.rss()
        chunk = bytes(MIB)
        sent = [0] * 8

        def send(number):
            with RawHttp2(daemon.admin) as raw:
                stream = raw.begin(LOAD)
                raw.send(stream, frame(b"", length=512 * MIB))
                for _ in range(512):
                    went = raw.send(stream, chunk, timeout=5.0)
                    sent[number] += went
                    if went < len(chunk):
                        return

        def swallow(number):
            try:
                send(number)
            except OSError:
                pass  # the connection was closed

        threads = [threading.Thread(target=swallow, args=(i,), daemon=True) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(100)
        grown = daemon.peak_rss() - before
        bound = f"{mib(ADMIN_MESSAGES)} more than idle"
        text = f"{mib(sum(sent))} sent, {mib(max(0, grown))} more at the peak"
        check(daemon.alive(), text)
        check(grown <= ADMIN_MESSAGES + SLACK, text, bound)
        with Admin(daemon) as admin:
            code, message = admin.load("afterwards")
            check(code == "OK", f"afterwards a load ends with {code}: {message}")
        return Outcome(text, bound)


@attack("names_of_nothing", issue=29, limit=300)
def names_of_nothing():
    """1,000 loads of as many names that fail, half of which are unloaded again; then names that are
    none."""
    with _administrated() as daemon, Admin(daemon) as admin:
        before = len(daemon.http("/metrics")[1])
        for i in range(1000):
            code, message = admin.load(f"n{i}", "/nowhere")
            check(code == "NOT_FOUND", f"{code}: {message}")
            if i % 2 == 0:
                admin.call("UnloadModel", name=f"n{i}")
        begin = time.monotonic()
        after = len(daemon.http("/metrics", timeout=60.0)[1])
        took = time.monotonic() - begin
        for name in (".", "..", "a/b", "a b", ""):
            code, message = admin.load(name)
            check(code == "INVALID_ARGUMENT", f"the name {name!r}: {code} {message}")
        text = f"a scrape of {after} bytes, {before} before, in {took * 1e3:.0f} ms"
        check(after < before + 8192, text, "no series of a name that is not served")
        return Outcome(text, "no series of a name that is not served")


@attack("probes_beside_scrapes", issue=29, limit=300)
def probes_beside_scrapes():
    """40 models, and 32 clients who scrape them all the time."""
    with _administrated("--max-rows", "8", "--kv-memory-mb", "8") as daemon, Admin(daemon) as admin:
        for i in range(40):
            code, message = admin.load(f"m{i}")
            check(code == "OK", f"model {i}: {code} {message}")
        stop = threading.Event()
        scrapes = []

        def scrape():
            while not stop.is_set():
                try:
                    status, body = daemon.http("/metrics", timeout=30.0)
                except OSError:
                    continue
                scrapes.append((status, len(body)))

        threads = [threading.Thread(target=scrape, daemon=True) for _ in range(32)]
        for thread in threads:
            thread.start()
        took = []
        end = time.monotonic() + 10
        while time.monotonic() < end:
            took.append(_probe(daemon))
        stop.set()
        for thread in threads:
            thread.join(35)
        done = [size for status, size in scrapes if status == 200]
        check(bool(done), "no scrape was answered")
        took.sort()
        text = (
            f"{len(done)} scrapes of {max(done)} bytes, {len(scrapes) - len(done)} refused; "
            f"{len(took)} probes, p50 {took[len(took) // 2] * 1e3:.0f} ms, "
            f"at most {took[-1] * 1e3:.0f} ms"
        )
        check(took[-1] < 2.0, text, "probes within 2 s")
        return Outcome(text, "probes within 2 s")
