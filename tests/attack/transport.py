"""Attacks on connections, HTTP/2 and the framing of messages."""

import zlib

from harness import MIB, Daemon, Outcome, RawHttp2, attack, check, frame, mib


@attack("compressed_bomb", issue=12)
def compressed_bomb():
    """A message of 0.5 MB that inflates to 512 MB, by gzip and by deflate."""
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


def _zeros(gzip, count=128):
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
    return b"\x1f\x8b\x08" + bytes(6) + b"\xff" + body + crc.to_bytes(4, "little") + size.to_bytes(4, "little")
