"""Clients that have more waiting than others of the same priority."""

import statistics
import threading
import time

from harness import Client, Daemon, Outcome, attack, check, wait_until

SENTENCE = "Wenn ich Zeit hätte, würde ich heute eine neue Sprache lernen."
BACKLOG = 400
WINDOW = 64  # segments, the default


@attack("backlog_beside_a_sentence", issue=12, limit=300)
def backlog_beside_a_sentence():
    """400 sentences at beam 8 of one client, single sentences of another: delayed by a window at most."""
    from dragoman.v1 import translation_pb2 as pb

    # On both families of addresses, so that two peers of the loopback are two clients.
    with Daemon("--listen", "[::]:0") as daemon:
        port = daemon.grpc.rsplit(":", 1)[1]
        with Client(f"127.0.0.1:{port}") as crowd, Client(f"[::1]:{port}") as other:

            def single():
                begin = time.monotonic()
                other.translate(SENTENCE, timeout=120)
                return time.monotonic() - begin

            alone = statistics.median(single() for _ in range(10))
            took = []

            def backlog():
                begin = time.monotonic()
                crowd.translate(*[SENTENCE] * BACKLOG, timeout=280, decoding=pb.DecodingOptions(beam_size=8))
                took.append(time.monotonic() - begin)

            thread = threading.Thread(target=backlog)
            thread.start()
            check(wait_until(lambda: daemon.samples()['dragoman_segments_running{model="de-en"}'] > 0, 60),
                  "the backlog never ran")
            beside = []
            while thread.is_alive() and len(beside) < 20:
                beside.append(single())
            thread.join()
            # Of the time that the backlog took: the stay of those that run when it comes, all alike and so
            # ending together, a window's part, and its own stay in full batches.
            window = took[0] * WINDOW / BACKLOG
            stay = took[0] * daemon.samples()["dragoman_decode_rows_capacity{model=\"de-en\"}"] / 8 / BACKLOG
            worst = max(beside[:-1] or beside)  # the last may have outlived the backlog
            text = (f"alone {alone * 1e3:.0f} ms; beside {BACKLOG} sentences at beam 8, which took {took[0]:.1f} s: "
                    f"p50 {statistics.median(beside) * 1e3:.0f} ms, worst {worst * 1e3:.0f} ms of {len(beside)}")
            most = 2 * stay + window
            bound = f"a full batch, a window and its own stay: {most * 1e3:.0f} ms"
            check(worst <= most, text, bound)
    return Outcome(text, bound)
