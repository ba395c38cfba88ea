#!/usr/bin/env python3
"""A daemon's spans at an OpenTelemetry collector that this program plays, with OpenTelemetry's own messages.

    tests/tracing/run.sh
"""

import concurrent.futures
import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

# A collector's threads must not run gRPC's handlers of fork() in a daemon that is being started.
os.environ['GRPC_ENABLE_FORK_SUPPORT'] = 'false'
import grpc
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2, trace_service_pb2_grpc
from opentelemetry.proto.trace.v1 import trace_pb2

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "attack"))
from harness import CLIENT, Daemon, Failed, ROOT, check, wait_until  # noqa: E402

TEXT = ROOT / "tests/data/german.txt"
STAGES = ["accept", "tokenize", "queue", "encode", "slot_wait", "decode", "detokenize", "send"]
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT = "00f067aa0ba902b7"


class Collector(trace_service_pb2_grpc.TraceServiceServicer):
    """Takes OTLP over gRPC. silent: takes calls and never answers. tls: grpc.ServerCredentials. By its pool's one thread
    calls come one by one."""

    def __init__(self, silent=False, port=0, tls=None):
        self.requests = []
        self.metadata = []
        self._silent = silent
        self._go_on = threading.Event()
        self._server = grpc.server(concurrent.futures.ThreadPoolExecutor(1))
        trace_service_pb2_grpc.add_TraceServiceServicer_to_server(self, self._server)
        self._scheme = "https" if tls else "http"
        address = f"127.0.0.1:{port}"
        self.port = (self._server.add_secure_port(address, tls) if tls else self._server.add_insecure_port(address))
        self._server.start()

    def Export(self, request, context):
        if self._silent:
            self._go_on.wait()
        else:
            self.metadata.append(dict(context.invocation_metadata()))
            self.requests.append(request)
        return trace_service_pb2.ExportTraceServiceResponse()

    @property
    def url(self):
        return f"{self._scheme}://127.0.0.1:{self.port}"

    @property
    def flag(self):
        return ("--otlp", self.url)

    def spans(self):
        return [
            span
            for request in list(self.requests)
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._go_on.set()
        self._server.stop(None).wait()


def without_unknown_fields(message):
    """A copy without the fields that its schema does not know."""
    copy = type(message)()
    copy.CopyFrom(message)
    copy.DiscardUnknownFields()
    return copy


def check_request(request):
    """By the schema: no field that it does not know, ids of its length, and times in order."""
    check(without_unknown_fields(request).SerializeToString() == request.SerializeToString(), "a field of no schema")
    check(len(request.resource_spans) > 0, "no resource")
    for resource in request.resource_spans:
        names = {attribute.key for attribute in resource.resource.attributes}
        check({"service.name", "service.version", "service.instance.id"} <= names, f"resource: {names}")
        for scope in resource.scope_spans:
            check(scope.scope.name == "dragomand", f"scope: {scope.scope}")
            for span in scope.spans:
                check(len(span.trace_id) == 16 and len(span.span_id) == 8, f"ids of {span}")
                check(span.start_time_unix_nano <= span.end_time_unix_nano, f"times of {span}")


def calls_in(spans):
    return [span for span in spans if span.kind == trace_pb2.Span.SPAN_KIND_SERVER]


def check_trees(spans):
    """Every call has its stages, inside its time; returns the number of calls."""
    now = time.time_ns()
    calls = calls_in(spans)
    for call in calls:
        children = [s for s in spans if s.parent_span_id == call.span_id]
        names = {s.name for s in children}
        check(names == set(STAGES), f"a call has the stages {sorted(names)}")
        begin, end = call.start_time_unix_nano, call.end_time_unix_nano
        check(now - 300 * 10**9 < begin <= end <= now, f"a call from {begin} to {end}, and it is {now}")
        for child in children:
            check(child.trace_id == call.trace_id, "a stage of another trace")
            inside = begin <= child.start_time_unix_nano <= child.end_time_unix_nano <= end
            check(inside, f"{child.name} is not within its call")
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
        check({s.name for s in calls_in(spans)} == {"Translate", "StreamTranslate"}, "names")
        for request in collector.requests:
            check_request(request)
        return f"{len(spans)} spans of 50 calls in {len(collector.requests)} batches"


def a_traceparent_goes_through():
    request = b"\x0a\x0dGuten Morgen!"  # contents = 1
    with Collector() as collector, Daemon(*collector.flag, "--cpu-workers", 1) as daemon:
        with grpc.insecure_channel(daemon.grpc) as channel:
            call = channel.unary_unary("/dragoman.v1.TranslationService/Translate")
            for flags in ("01", "00"):
                call(request, metadata=[("traceparent", f"00-{TRACE}-{PARENT}-{flags}")], timeout=30)
        daemon.stop()
        calls = calls_in(collector.spans())
        check(len(calls) == 1, f"{len(calls)} calls, expected the sampled one")
        check((calls[0].trace_id.hex(), calls[0].parent_span_id.hex()) == (TRACE, PARENT), f"{calls[0]}")
        check({s.trace_id.hex() for s in collector.spans()} == {TRACE}, "another trace")
        logged = [line.get("trace_id") for line in daemon.log("call")]
        check(logged == [TRACE, TRACE], f"the log has {logged}")
        return "one call sampled, one not"


def a_silent_collector_holds_up_nobody():
    with Collector(silent=True) as collector, Daemon(*collector.flag, "--cpu-workers", 1) as daemon:
        report = load(daemon, "--concurrency", "16", "--requests", "2000")
        check(report["ok"] == 2000, f"{report['ok']} of 2000 calls, {report['errors']}")
        # The exporter gives a batch up after 10 s. If calls waited for it, each batch would hold up all 16 calls in
        # flight, one in fifty; the slowest call of all says what else the machine had to do.
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

    def collector(self):
        """Of a collector that asks for certificates of the authority."""
        key, certificate, authority = (pathlib.Path(self[name]).read_bytes()
                                       for name in ("server.key", "server.crt", "ca.crt"))
        return grpc.ssl_server_credentials([(key, certificate)], authority, require_client_auth=True)


@contextlib.contextmanager
def environment(**variables):
    """Variables OTEL_EXPORTER_OTLP_... for daemons that start meanwhile."""
    names = {f"OTEL_EXPORTER_OTLP_{name}": value for name, value in variables.items()}
    os.environ.update(names)
    try:
        yield
    finally:
        for name in names:
            del os.environ[name]


def a_hosted_collector_gets_headers_over_tls():
    with tempfile.TemporaryDirectory() as folder:
        files = Certificates(folder)
        with environment(CERTIFICATE=files["ca.crt"], CLIENT_CERTIFICATE=files["client.crt"],
                         CLIENT_KEY=files["client.key"], HEADERS="Authorization=Basic%20Zmlyc3Q=,x-scope-orgid=7"):
            with Collector(tls=files.collector()) as collector, environment(ENDPOINT=collector.url), Daemon(
                    "--cpu-workers", 1) as daemon:
                load(daemon, "--concurrency", "1", "--requests", "5")
                check(wait_until(lambda: outcomes(daemon)["exported"] > 0, 30), f"{outcomes(daemon)}")
                daemon.stop()
                sent = {(m["authorization"], m["x-scope-orgid"]) for m in collector.metadata}
                check(sent == {("Basic Zmlyc3Q=", "7")}, f"headers {sent}")
                check("Zmlyc3Q" not in daemon.errors(), "a secret in the log")
        # It sends nothing to a collector that it does not trust, and says why.
        with Collector(tls=files.collector()) as collector, Daemon(*collector.flag, "--cpu-workers", 1) as daemon:
            load(daemon, "--concurrency", "1", "--requests", "5")
            check(wait_until(lambda: outcomes(daemon)["failed"] > 0, 30), f"{outcomes(daemon)}")
            line = daemon.log("spans are not exported")[0]
            check(line["code"] == "UNAVAILABLE", f"{line}")
            check("certificate verify failed" in daemon.errors(), f"{line}")
            check(collector.requests == [], "spans at a collector of no known authority")
        return "mutual TLS and headers; refused without the authority"


def variables_of_traces_go_first():
    with Collector() as collector, environment(
            ENDPOINT="http://127.0.0.1:1", TRACES_ENDPOINT=collector.url, HEADERS="api-key=general,x=1",
            TRACES_HEADERS="api-key=of%20traces"), Daemon("--cpu-workers", 1) as daemon:
        load(daemon, "--concurrency", "1", "--requests", "3")
        daemon.stop()
        check(collector.metadata[0]["api-key"] == "of traces", f"{collector.metadata[0]}")
        check("x" not in collector.metadata[0], "both variables at once")
    return "of traces before those of all signals"


def main():
    failed = 0
    for test in (
        every_call_has_its_stages,
        a_traceparent_goes_through,
        a_silent_collector_holds_up_nobody,
        a_collector_that_comes_late_gets_what_follows,
        a_hosted_collector_gets_headers_over_tls,
        variables_of_traces_go_first,
    ):
        try:
            outcome = test()
        except (Failed, OSError, subprocess.SubprocessError, grpc.RpcError) as error:
            failed += 1
            outcome = f"FAILED {error}"
        print(f"{test.__name__}: {outcome}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
