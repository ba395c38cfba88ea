#!/usr/bin/env python3
"""A daemon's spans at an OpenTelemetry collector that this program plays.

    tests/tracing/otlp.py

Where the Python package opentelemetry-proto is, every body is checked against the real schema; where
grpcio is, calls bring a traceparent. Without them these parts are skipped, and said so
(tests/tracing/run.sh has both).
"""

import base64
import http.server
import json
import os
import pathlib
import ssl
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "attack"))
from harness import CLIENT, Daemon, Failed, ROOT, check, wait_until  # noqa: E402

TEXT = ROOT / "tests/data/german.txt"
STAGES = ["accept", "tokenize", "queue", "encode", "slot_wait", "decode", "detokenize", "send"]
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT = "00f067aa0ba902b7"

try:
    from google.protobuf import json_format
    from opentelemetry.proto.collector.trace.v1 import trace_service_pb2
except ImportError:
    trace_service_pb2 = None
try:
    import grpc
except ImportError:
    grpc = None


class Collector:
    """Takes OTLP/HTTP. silent: takes connections and never answers. tls: an ssl.SSLContext."""

    def __init__(self, silent=False, port=0, tls=None):
        self.bodies = []
        self.headers = []
        self.posts = []
        self._go_on = threading.Event()
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if silent:
                    outer._go_on.wait()
                    return
                outer.posts.append((self.path, self.headers["Content-Type"]))
                outer.headers.append(dict(self.headers))
                outer.bodies.append(json.loads(body))
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.end_headers()
                self.wfile.write(b"{}")

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._server.daemon_threads = True
        self._server.handle_error = lambda *_: None  # a handshake that fails is a case, not an error
        self._scheme = "https" if tls else "http"
        if tls:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True, do_handshake_on_connect=False)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def flag(self):
        return ("--otlp", f"{self._scheme}://127.0.0.1:{self.port}")

    def spans(self):
        return [
            span
            for body in list(self.bodies)
            for resource in body["resourceSpans"]
            for scope in resource["scopeSpans"]
            for span in scope["spans"]
        ]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._go_on.set()
        self._server.shutdown()
        self._server.server_close()


def check_schema(body):
    """Against ExportTraceServiceRequest: no field that it does not know, no value of another kind.
    Its JSON writes ids in hexadecimal, unlike protobuf's own, which the parser expects."""
    body = json.loads(json.dumps(body))
    for resource in body["resourceSpans"]:
        for scope in resource["scopeSpans"]:
            for span in scope["spans"]:
                for field in ("traceId", "spanId", "parentSpanId"):
                    if field in span:
                        span[field] = base64.b64encode(bytes.fromhex(span[field])).decode()
    parsed = json_format.ParseDict(body, trace_service_pb2.ExportTraceServiceRequest())
    for resource in parsed.resource_spans:
        names = {attribute.key for attribute in resource.resource.attributes}
        check({"service.name", "service.version", "service.instance.id"} <= names, f"resource: {names}")
        for scope in resource.scope_spans:
            for span in scope.spans:
                check(len(span.trace_id) == 16 and len(span.span_id) == 8, f"ids of {span}")
                check(span.start_time_unix_nano <= span.end_time_unix_nano, f"times of {span}")


def check_trees(spans):
    """Every call has its stages, inside its time; returns the number of calls."""
    now = time.time_ns()
    calls = [span for span in spans if span["kind"] == 2]
    for call in calls:
        children = [s for s in spans if s.get("parentSpanId") == call["spanId"]]
        names = {s["name"] for s in children}
        check(names == set(STAGES), f"a call has the stages {sorted(names)}")
        begin, end = int(call["startTimeUnixNano"]), int(call["endTimeUnixNano"])
        check(now - 300 * 10**9 < begin <= end <= now, f"a call from {begin} to {end}, and it is {now}")
        for child in children:
            check(child["traceId"] == call["traceId"], "a stage of another trace")
            inside = begin <= int(child["startTimeUnixNano"]) <= int(child["endTimeUnixNano"]) <= end
            check(inside, f"{child['name']} is not within its call")
    return len(calls)


def outcomes(daemon):
    return {
        outcome: daemon.samples().get(f'dragoman_spans_total{{outcome="{outcome}"}}')
        for outcome in ("exported", "queue_full", "failed")
    }


def load(daemon, *flags):
    command = [CLIENT, "load", "--server", daemon.grpc, "--input", str(TEXT), "--json", "--beam-size", "1"]
    done = subprocess.run(command + list(flags), capture_output=True, text=True, timeout=120)
    check(done.returncode == 0, f"dragoman load: {done.stderr[-300:]}")
    return json.loads(done.stdout)


def every_call_has_its_stages():
    with Collector() as collector, Daemon(*collector.flag, "--cpu-workers", 1) as daemon:
        load(daemon, "--concurrency", "4", "--requests", "40")
        load(daemon, "--concurrency", "4", "--requests", "10", "--stream")
        daemon.stop()
        spans = collector.spans()  # the last of them were sent at the end
        check(check_trees(spans) == 50, f"{check_trees(spans)} calls, expected 50")
        check({s["name"] for s in spans if s["kind"] == 2} == {"Translate", "StreamTranslate"}, "names")
        check(set(collector.posts) == {("/v1/traces", "application/json")}, f"{set(collector.posts)}")
        if trace_service_pb2 is None:
            print("SKIPPED the check against the schema: no Python package opentelemetry-proto")
        else:
            for body in collector.bodies:
                check_schema(body)
        return f"{len(spans)} spans of 50 calls in {len(collector.bodies)} bodies"


def a_traceparent_goes_through():
    if grpc is None:
        return "SKIPPED: no Python package grpcio"
    request = b"\x0a\x0dGuten Morgen!"  # contents = 1
    with Collector() as collector, Daemon(*collector.flag, "--cpu-workers", 1) as daemon:
        with grpc.insecure_channel(daemon.grpc) as channel:
            call = channel.unary_unary("/dragoman.v1.TranslationService/Translate")
            for flags in ("01", "00"):
                call(request, metadata=[("traceparent", f"00-{TRACE}-{PARENT}-{flags}")], timeout=30)
        daemon.stop()
        calls = [s for s in collector.spans() if s["kind"] == 2]
        check(len(calls) == 1, f"{len(calls)} calls, expected the sampled one")
        check((calls[0]["traceId"], calls[0]["parentSpanId"]) == (TRACE, PARENT), f"{calls[0]}")
        check({s["traceId"] for s in collector.spans()} == {TRACE}, "another trace")
        logged = [line.get("trace_id") for line in daemon.log("call")]
        check(logged == [TRACE, TRACE], f"the log has {logged}")
        return "one call sampled, one not"


def a_silent_collector_holds_up_nobody():
    with Collector(silent=True) as collector, Daemon(*collector.flag, "--cpu-workers", 1) as daemon:
        report = load(daemon, "--concurrency", "16", "--requests", "2000")
        check(report["ok"] == 2000, f"{report['ok']} of 2000 calls, {report['errors']}")
        # The exporter gives up after 2 s and tries again 1 s later. If calls waited for it, each try would hold up all
        # 16 calls in flight, one in fifty; the slowest call of all says what else the machine had to do.
        check(report["latency_ms"]["p99"] < 1000, f"99th percentile {report['latency_ms']['p99']} ms")
        counts = outcomes(daemon)
        check(counts["queue_full"] > 0, f"{counts}")
        check(counts["exported"] == 0, f"{counts}")
        begin = time.monotonic()
        daemon.stop()
        seconds = time.monotonic() - begin
        check(seconds < 5, f"the end took {seconds:.1f} s")
        return f"2000 calls, {counts['queue_full']:.0f} spans dropped, p99 {report['latency_ms']['p99']:.0f} ms"


def a_collector_that_comes_late_gets_what_follows():
    with Collector() as first:
        port = first.port
    with Daemon("--otlp", f"http://127.0.0.1:{port}", "--cpu-workers", 1) as daemon:
        load(daemon, "--concurrency", "1", "--requests", "5")
        lost = wait_until(lambda: outcomes(daemon)["failed"] > 0, 30)
        check(lost, f"{outcomes(daemon)}")
        check(len(daemon.log("spans are not exported")) == 1, "no line says that spans are lost")
        with Collector(port=port) as collector:
            load(daemon, "--concurrency", "1", "--requests", "5")
            came = wait_until(lambda: outcomes(daemon)["exported"] > 0, 30)
            check(came, f"{outcomes(daemon)}")
            check(check_trees(collector.spans()) == 5, "not the five calls")
            daemon.stop()
        check(len(daemon.log("spans are exported again")) == 1, "no line says that they go again")
        return "lost, said so, and went on"


class Certificates:
    """An authority, a collector's certificate and a client's, in a folder of their own."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self._openssl("req", "-x509", *self._new("ca"), "-days", "2", "-subj", "/CN=authority")
        for name, usage in (("server", "serverAuth"), ("client", "clientAuth")):
            self._openssl("req", *self._new(name), "-subj", f"/CN={name}", "-out", self[f"{name}.csr"])
            (self.folder / "extensions").write_text(f"subjectAltName=IP:127.0.0.1\nextendedKeyUsage={usage}\n")
            self._openssl("x509", "-req", "-in", self[f"{name}.csr"], "-CA", self["ca.crt"], "-CAkey", self["ca.key"],
                          "-days", "2", "-CAcreateserial", "-extfile", self["extensions"], "-out", self[f"{name}.crt"])

    def __getitem__(self, name):
        return str(self.folder / name)

    def _new(self, name):
        new = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", self[f"{name}.key"]]
        return new + (["-out", self["ca.crt"]] if name == "ca" else [])

    def _openssl(self, *arguments):
        subprocess.run(["openssl", *arguments], check=True, capture_output=True, timeout=60)

    def context(self):
        """Of a collector that asks for certificates of the authority."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self["server.crt"], self["server.key"])
        context.load_verify_locations(self["ca.crt"])
        context.verify_mode = ssl.CERT_REQUIRED
        return context


def a_hosted_collector_gets_headers_over_tls():
    with tempfile.TemporaryDirectory() as folder:
        files = Certificates(folder)
        headers = pathlib.Path(folder) / "headers"
        headers.write_text("Authorization=Basic%20Zmlyc3Q=\nx-scope-orgid=7\n")
        tls = ("--otlp-ca", files["ca.crt"], "--otlp-cert", files["client.crt"], "--otlp-key", files["client.key"])
        with Collector(tls=files.context()) as collector, Daemon(
                *collector.flag, *tls, "--otlp-headers", str(headers), "--cpu-workers", 1) as daemon:
            load(daemon, "--concurrency", "1", "--requests", "5")
            check(wait_until(lambda: outcomes(daemon)["exported"] > 0, 30), f"{outcomes(daemon)}")
            sent = {(h["Authorization"], h["x-scope-orgid"]) for h in collector.headers}
            check(sent == {("Basic Zmlyc3Q=", "7")}, f"headers {sent}")
            # A key that is exchanged is used without a restart.
            changed = headers.with_name("headers.new")
            changed.write_text("Authorization=Basic%20c2Vjb25k")
            changed.replace(headers)
            load(daemon, "--concurrency", "1", "--requests", "5")
            came = wait_until(lambda: collector.headers[-1]["Authorization"] == "Basic c2Vjb25k", 30)
            check(came, f"{collector.headers[-1]}")
            check(collector.headers[-1].get("x-scope-orgid") is None, "an old header")
            daemon.stop()
            check("Zmlyc3Q" not in daemon.errors() and "c2Vjb25k" not in daemon.errors(), "a secret in the log")
        # Whom it does not trust it sends nothing, and says why.
        with Collector(tls=files.context()) as collector, Daemon(*collector.flag, "--cpu-workers", 1) as daemon:
            load(daemon, "--concurrency", "1", "--requests", "5")
            check(wait_until(lambda: outcomes(daemon)["failed"] > 0, 30), f"{outcomes(daemon)}")
            why = daemon.log("spans are not exported")[0]["error"]
            check(why.startswith("TLS: certificate of 127.0.0.1: "), why)
            check(collector.bodies == [], "spans at a collector of no known authority")
        return "mutual TLS, headers, exchanged; refused without the authority"


def headers_come_from_the_environment():
    os.environ["OTEL_EXPORTER_OTLP_HEADERS"] = "api-key=general,x=1"
    try:
        with Collector() as collector, Daemon(*collector.flag, "--cpu-workers", 1) as daemon:
            load(daemon, "--concurrency", "1", "--requests", "3")
            daemon.stop()
            check(collector.headers[0]["api-key"] == "general", f"{collector.headers[0]}")
        os.environ["OTEL_EXPORTER_OTLP_TRACES_HEADERS"] = "api-key=of%20traces"
        with Collector() as collector, Daemon(*collector.flag, "--cpu-workers", 1) as daemon:
            load(daemon, "--concurrency", "1", "--requests", "3")
            daemon.stop()
            check(collector.headers[0]["api-key"] == "of traces", f"{collector.headers[0]}")
            check("x" not in collector.headers[0], "both variables at once")
    finally:
        for name in ("OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS"):
            os.environ.pop(name, None)
    return "of traces before those of all signals"


def main():
    failed = 0
    for test in (
        every_call_has_its_stages,
        a_traceparent_goes_through,
        a_silent_collector_holds_up_nobody,
        a_collector_that_comes_late_gets_what_follows,
        a_hosted_collector_gets_headers_over_tls,
        headers_come_from_the_environment,
    ):
        try:
            outcome = test()
        except (Failed, OSError, subprocess.SubprocessError) as error:
            failed += 1
            outcome = f"FAILED {error}"
        print(f"{test.__name__}: {outcome}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
