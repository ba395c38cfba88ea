"""Attacks on connections, HTTP/2 and the framing of messages."""

import zlib

from harness import MIB, Daemon, Outcome, RawHttp2, attack, check, frame, mib


@attack("compressed_bomb", issue=12)
def compressed_bomb():
    """One message of 2 MB that inflates to 2 GB, by gzip and by deflate."""
    outcomes = []
    with Daemon() as daemon:
        before = daemon.peak_rss()
        for name, bomb in (("gzip", _zeros(gzip=True)), ("deflate", _zeros(gzip=False))):
            with RawHttp2(daemon.grpc) as raw:
                stream = raw.begin(headers=[("grpc-encoding", name)])
                raw.send(stream, frame(bomb, compressed=1), end=True)
                kind, code, message = raw.outcome(stream, 30)
                check((kind, code) == ("status", "12"), f"{name}: {kind} {code} {message}")
                outcomes.append(f"{name}: UNIMPLEMENTED")
        grown = daemon.peak_rss() - before
        check(grown < 64 * MIB, f"{', '.join(outcomes)}, but {mib(grown)} more at its peak")
    return Outcome(f"{', '.join(outcomes)}; {mib(grown)} more at its peak")


def _zeros(gzip, size=2 << 30):
    compressor = zlib.compressobj(9, zlib.DEFLATED, 31 if gzip else 15)
    chunk = bytes(4 * MIB)
    parts = [compressor.compress(chunk) for _ in range(size // len(chunk))]
    return b"".join(parts) + compressor.flush()
