"""Calls from Python by the lines of client/README.md, counted as `dragoman load --json` does.

    python_client.py TARGET SECONDS THREADS DEADLINE

The service configuration and the channel are read from there, so that what is tried is what is shown.
"""

import collections
import json
import pathlib
import re
import sys
import threading
import time

import grpc
from dragoman.v1 import translation_pb2 as pb
from dragoman.v1 import translation_pb2_grpc as rpc

README = pathlib.Path(__file__).resolve().parents[2] / "client/README.md"
SHOWN = "'dns:///dragoman-headless:50051'"


def shown_channel(target):
    text = README.read_text()
    config = re.search(r'^    (\{"loadBalancingConfig".*?)\n\n', text, re.M | re.S).group(1)
    json.loads(config)
    line = re.search(r"^\| Python \| `(.*)` \|$", text, re.M).group(1)
    if SHOWN not in line:
        raise ValueError(f"found {line}, expected {SHOWN} in it")
    return eval(line.replace(SHOWN, repr(target)), {"grpc": grpc, "CONFIG": config})


def main():
    target, seconds, threads, deadline = sys.argv[1], float(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
    client = rpc.TranslationServiceStub(shown_channel(target))
    request = pb.TranslateRequest(contents=["Wo ist der nächste Bahnhof?"])
    end = time.monotonic() + seconds
    lock = threading.Lock()
    took = []
    errors = collections.Counter()
    first_error = []

    def call():
        while time.monotonic() < end:
            begin = time.monotonic()
            code = "OK"
            try:
                client.Translate(request, timeout=deadline)
            except grpc.RpcError as error:
                code = error.code().name
                message = f"{code}: {error.details()}"
            with lock:
                took.append(time.monotonic() - begin)
                if code != "OK":
                    errors[code] += 1
                    if not first_error:
                        first_error.append(message)

    callers = [threading.Thread(target=call) for _ in range(threads)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    took.sort()
    print(json.dumps({
        "sent": len(took), "ok": len(took) - errors.total(), "errors": errors, "item_errors": {},
        "first_error": "".join(first_error),
        "latency_ms": {"p99": took[int(len(took) * 0.99)] * 1e3},
    }))  # fmt: skip


if __name__ == "__main__":
    main()
