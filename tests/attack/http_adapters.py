"""Attacks through the adapters of --http, with the bundled model: streams that are not read, bodies that cost more than
they look, keys and pages where they do not belong, and names that are scripts."""

import collections
import contextlib
import json
import pathlib
import tempfile
import threading
import time

from harness import MIB, MODEL, Bystander, Daemon, HttpClient, Outcome, attack, check, mib, wait_until
from http_transport import BODY, RUNNING, connect, daemon_of, no_connection_is_left, post, read_all, serves
from security import keys_file
from transport import Memory, OverHttp
from web_sockets import WebSocket

MODEL_NAME = "de-en"
CONNECTIONS = 'dragoman_connections{port="http"}'

# A request of each dialect that translates: path, content type, body.
ADAPTERS = {
    "REST": ("/v1/translate", "application/json", {"contents": ["Hallo."]}),
    "REST stream": ("/v1/translate:stream", "application/json", {"contents": ["Hallo."]}),
    "LibreTranslate": ("/translate", "application/json", {"q": "Hallo.", "source": "de", "target": "en"}),
    "DeepL": ("/v2/translate", "application/json", {"text": ["Hallo."], "source_lang": "DE", "target_lang": "EN"}),
    "Google v3": (
        "/v3/projects/p:translateText",
        "application/json",
        {"contents": ["Hallo."], "sourceLanguageCode": "de", "targetLanguageCode": "en"},
    ),  # fmt: skip
    "Google v2": ("/language/translate/v2", "application/json", {"q": "Hallo.", "source": "de", "target": "en"}),
    "OpenAI": (
        "/v1/chat/completions",
        "application/json",
        {"model": MODEL_NAME, "messages": [{"role": "user", "content": "Hallo."}]},
    ),  # fmt: skip
}

# They take forms, and JSON that is said to be plain text.
TAKE_FORMS = {"LibreTranslate", "DeepL"}


def _ask(daemon, method, path, body=None, headers=None, timeout=30.0):
    with HttpClient(daemon.api_address) as client:
        return client.ask(method, path, body, headers, timeout)


def _ask_adapter(daemon, name, path=None, headers=None, **fields):
    adapter_path, kind, body = ADAPTERS[name]
    return _ask(
        daemon, "POST", path or adapter_path, json.dumps({**body, **fields}), {"Content-Type": kind, **(headers or {})}
    )


# ------------------------------------------------------------------ answers that nobody reads


@attack("unread_answers", issue=31, limit=150)
def unread_answers():
    """Answers of four megabytes, whole and as events, that are never read: 990 texts with 16 translations each."""
    body = {
        "contents": ["Der Hund rennt durch das Haus."] * 990,
        "decoding": {"beamSize": 16, "numAlternatives": 16},
        "returnOptions": {"tokens": True, "scores": True},
    }
    sent = json.dumps(body).encode()
    return _unread("dragoman", [("/v1/translate", sent), ("/v1/translate:stream", sent)], 2)


@attack("unread_completions", issue=31, limit=150)
def unread_completions():
    """10,000 completions as events, five megabytes of them, that are never read."""
    body = {"model": MODEL_NAME, "prompt": ["Der Hund rennt."] * 10_000, "stream": True}
    flags = ("--max-items", 10_000, "--max-code-points", 150_000, "--max-queue-segments", 100_000)
    sent = json.dumps(body).encode()
    return _unread("openai", [("/v1/completions", sent)], 1, *flags, "--max-queue-tokens", 1_000_000)


def _unread(api, requests, connections, *flags):
    """So many connections at a time for each of (path, body), which read nothing."""
    text = []
    with daemon_of("--write-timeout-seconds", 3, *flags) as daemon:
        memory = Memory(daemon, over=OverHttp)
        with Bystander(daemon.api_address, timeout=60.0, client=HttpClient) as other:
            for path, sent in requests:
                begin = time.monotonic()
                raws = [connect(daemon, receive_buffer=4096) for _ in range(connections)]
                for raw in raws:
                    raw.sendall(post(sent, path=path))
                # The bystander's connection stays.
                there = wait_until(lambda: daemon.samples()[CONNECTIONS] > connections, 20, step=0.01)
                there = there and wait_until(lambda: daemon.samples()[RUNNING] > 0, 20, step=0.01)
                check(there, f"{path}: no request runs")
                ended = wait_until(lambda: daemon.samples()[CONNECTIONS] <= 1, 90)
                text.append(f"{path} ended after {time.monotonic() - begin:.0f} s")
                check(ended, f"{path}: connections are left after {time.monotonic() - begin:.0f} s")
                for raw in raws:
                    raw.close()
        check(wait_until(lambda: daemon.rpcs("StreamTranslate", api), 20), f"{'; '.join(text)}: no stream has ended")
        codes = daemon.rpcs("StreamTranslate", api)
        text = f"{'; '.join(text)}; streams {codes}; {other.summary()}"
        check(codes and "OK" not in codes, f"{text}: a stream that was not read is OK")
        check(not other.failures, f"{text} {collections.Counter(other.failures)}")
        check(wait_until(lambda: daemon.samples()[RUNNING] == 0, 10), f"{text}; requests run on")
        serves(daemon, 20)
        outcome = memory.check(text)
        daemon.stop()
        return outcome


@attack("unread_pipelines", issue=31, limit=120)
def unread_pipelines():
    """Connections that ask for one list after the other and read none of the answers, until one is not taken."""
    ask = b"GET /v1/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with daemon_of("--write-timeout-seconds", 3) as daemon:
        memory = Memory(daemon, over=OverHttp)
        with Bystander(daemon.api_address, client=HttpClient) as other:
            raws = [connect(daemon, receive_buffer=4096) for _ in range(50)]
            for raw in raws:
                raw.setblocking(False)
            sent = 0
            end = time.monotonic() + 5
            while time.monotonic() < end:
                for raw in raws:
                    with contextlib.suppress(OSError):
                        sent += raw.send(ask * 100)
                time.sleep(0.01)
            gone = wait_until(lambda: daemon.samples()['dragoman_connections{port="http"}'] <= 1, 20)
        text = f"{sent // len(ask)} requests; {other.summary()}"
        check(gone and not other.failures, f"{text}; connections are left" if not gone else text)
        serves(daemon)
        return memory.check(text)


# ------------------------------------------------------------------ bodies


@attack("bodies_held", issue=31, limit=150)
def bodies_held():
    """300 connections whose requests wait in the queue, each a short text in 2 MiB of white space."""
    body = json.dumps({"contents": ["Der Hund und die Katze. " * 8], "decoding": {"beamSize": 16}}).encode()
    body += b" " * (BODY - len(body))
    flags = ("--max-queue-segments", 400_000, "--max-queue-tokens", 40_000_000, "--max-rows", 16)
    with daemon_of(*flags) as daemon:
        memory = Memory(daemon, over=OverHttp)
        raws = []
        for _ in range(300):
            raw = connect(daemon, 60.0)
            with contextlib.suppress(OSError):
                raw.sendall(post(body))
            raws.append(raw)
            # Bodies that come at once would be refused while they come in.
            for _ in range(2):
                status = _ask(daemon, "GET", "/v1/languages")[0]
                check(status == 200, f"a list is answered with {status}")
        peak = daemon.peak_rss() - memory._before
        answered = collections.Counter()
        for raw in raws:
            raw.settimeout(0.001)
            with contextlib.suppress(TimeoutError, ConnectionError):
                answered[raw.recv(12)[9:].decode()] += 1
            raw.close()
        text = f"600 MiB sent; {mib(peak)} at the peak; {300 - answered.total()} wait, the others got {dict(answered)}"
        check(no_connection_is_left(daemon), f"{text}; connections are left")
        check(wait_until(lambda: daemon.samples()[RUNNING] == 0, 30), f"{text}; requests run on")
        # Twice what requests may hold: as they came, and as text and fields.
        receive = daemon.log("network limits")[0]["receive_bytes"]
        check(peak < 2 * receive + 48 * MIB, text, mib(2 * receive + 48 * MIB))
        serves(daemon)
        return Outcome(text, mib(2 * receive + 48 * MIB))


def _costly_bodies():
    """Bodies of up to 2 MiB that a careless parser takes long for: (what, path, body, or its type and it).

    RequestWorkTest has those of single fields, http_costs those of names and tags.
    """
    most = BODY - 200
    deepl = {"source_lang": "DE", "target_lang": "EN", "tag_handling": "xml"}
    yield "nested XML", "/v2/translate", {**deepl, "text": ["<a>" * 200_000 + "</a>" * 200_000]}
    yield "HTML", "/translate", {"q": "<a><b>" * 300_000, "source": "de", "target": "en", "format": "html"}
    yield "nested JSON", "/v1/translate", "[" * most
    yield "fields of JSON", "/v1/translate", "{" + ",".join(f'"a{i}":1' for i in range(150_000)) + "}"
    yield "one field again", "/v1/translate", "{" + ",".join(['"model":"m"'] * 150_000) + "}"
    yield "labels", "/v1/translate", {"contents": ["a"], "labels": {f"a{i}": "b" for i in range(60_000)}}
    terms = [{"source": f"a{i}", "target": "b"} for i in range(20_000)]
    yield "terms", "/v1/translate", {"contents": ["a"], "terms": terms}
    yield "number", "/v1/translate", '{"contents": ["a"], "decoding": {"beamSize": ' + "9" * (most - 100) + "}}"
    multipart = "multipart/form-data; boundary="
    part = '--x\r\nContent-Disposition: form-data; name="q"\r\n\r\na\r\n'
    yield "parts", "/translate", (multipart + "x", part * (most // len(part)) + "--x--")
    almost = "\r\nContent-Disposition: form-data; name=q\r\n\r\n\r\n" + "-" * (most - 200)
    yield "almost boundaries", "/translate", (multipart + "-" * 68, "-" * 70 + almost)
    yield "headers of a part", "/translate", (multipart + "x", "--x\r\n" + "a: b\r\n" * (most // 6 - 10))


@attack("costly_bodies", issue=31, limit=150)
def costly_bodies():
    """Bodies at every adapter that would take long to read: none holds up another client for long."""
    slowest, busy = {}, {}
    with daemon_of() as daemon:
        memory = Memory(daemon, over=OverHttp)
        for name, path, body in _costly_bodies():
            kind = "application/json"
            if isinstance(body, tuple):
                kind, body = body
            data = body if isinstance(body, str) else json.dumps(body, separators=(",", ":"))
            check(len(data) <= BODY, f"{name}: {len(data)} bytes are more than a request may have")
            waits, stop = [], threading.Event()

            def probe(waits=waits, stop=stop):
                while not stop.is_set():
                    begin = time.monotonic()
                    with connect(daemon) as raw:
                        raw.sendall(b"GET /v1/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n")
                        raw.recv(100)
                    waits.append(time.monotonic() - begin)
                    time.sleep(0.005)

            prober = threading.Thread(target=probe)
            prober.start()
            before = daemon.cpu_seconds()
            status = _ask(daemon, "POST", path, data, {"Content-Type": kind})[0]
            busy[name] = daemon.cpu_seconds() - before
            stop.set()
            prober.join()
            slowest[name] = max(waits)
            check(400 <= status < 500 or status == 200, f"{name}: {status}")
        worst = sorted(busy, key=busy.get)[-4:]
        text = ", ".join(f"{name} {busy[name]:.2f} s (others waited {slowest[name]:.2f} s)" for name in worst)
        text = f"{len(slowest)} kinds; the most of a processor: {text}"
        # Of a processor, because others may be busy with something else.
        check(max(busy.values()) < 0.5, text, "0.5 s of a processor")
        return memory.check(text)


# ------------------------------------------------------------------ keys, pages of other sites, names


@attack("keys_in_queries", issue=31, limit=60)
def keys_in_queries():
    """A key in the query, by every name that servers have for it: taken only where a dialect demands it, and never
    in the log."""
    file, keys = keys_file(web={})
    key = keys["web"]
    names = ("key", "api_key", "api-key", "auth_key", "token", "access_token", "authorization")
    taken = {name: set() for name in ADAPTERS}
    with daemon_of("--api-keys", file.name, "--log-level", "debug") as daemon:
        for name, (path, _, _) in ADAPTERS.items():
            check(_ask_adapter(daemon, name)[0] in (401, 403), f"{name}: a request without a key is answered")
            status, _, body = _ask_adapter(daemon, name, headers={"Authorization": f"Bearer {key}"})
            check(status == 200, f"{name}: {status} {body[:100]!r} with the key in the header")
            for parameter in names:
                status, headers, body = _ask_adapter(daemon, name, path=f"{path}?{parameter}={key}")
                text = f"{name}, ?{parameter}=: {status} {body[:200]!r}"
                check(key.encode() not in body and key not in str(headers), f"{text}: the answer has the key")
                if status == 200:
                    taken[name].add(parameter)
                else:
                    check(status in (401, 403), text)
        wanted = {"LibreTranslate": {"token"}, "Google v2": {"key"}, "Google v3": {"key"}}
        check(taken == {name: wanted.get(name, set()) for name in ADAPTERS}, f"taken: {taken}")
        # LibreTranslate's api_key stands beside the other parameters, wherever those are.
        path = f"/translate?api_key={key}&source=de&target=en&q=Hallo."
        status, _, body = _ask(daemon, "POST", path)
        check(status == 200, f"LibreTranslate, all in the query: {status} {body[:100]!r}")
        one = WebSocket(daemon, path=f"/translate?token={key}")
        one.send("Hallo.".encode())
        opcode, _ = one.receive()
        check(opcode == 1, "Marian's adapter does not take a token, which its clients cannot send otherwise")
        check(key not in daemon.errors() and key.removeprefix("dgm_") not in daemon.errors(), "the log has the key")
        daemon.stop()
    return f"taken from the query: {', '.join(sorted(name for name in wanted))} and WebSockets; never logged"


@attack("pages_of_others", issue=31, limit=60)
def pages_of_others():
    """A page of another site: which adapters let it read answers, and which take what it may send unasked."""
    origin = {"Origin": "https://evil.example"}
    preflight = {**origin, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}
    with daemon_of() as daemon:
        readable = set()
        for name, (path, _, _) in ADAPTERS.items():
            status, headers, _ = _ask(daemon, "OPTIONS", path, headers=preflight)
            allowed = headers.get("Access-Control-Allow-Origin")
            check((status < 300) == (allowed is not None), f"{name}: the preflight gets {status}, {allowed}")
            # Beside "*" no browser heeds it.
            credentials = headers.get("Access-Control-Allow-Credentials")
            check(credentials is None or allowed == "*", f"{name}: credentials are allowed for {allowed}")
            status, headers, body = _ask_adapter(daemon, name, headers=origin)
            check(status == 200, f"{name}: {status} {body[:100]!r}")
            check(headers.get("Access-Control-Allow-Origin") == allowed, f"{name}: the answer has {headers}")
            if allowed is not None:
                check(allowed == "*", f"{name}: {allowed}")
                readable.add(name)
        check(readable == {"LibreTranslate"}, f"readable: {readable}")
        for path in ("/", "/v1/languages", "/v1/models", "/v2/languages", "/v1/info", "/nothing"):
            _, headers, _ = _ask(daemon, "GET", path, headers=origin)
            check("Access-Control-Allow-Origin" not in headers, f"{path}: {headers}")
        # These need no preflight. A site's page may send them, as it may send a form; it cannot read the answer.
        for kind in ("text/plain", "text/plain; charset=application/json", None):
            for name, (path, _, body) in ADAPTERS.items():
                headers = {**origin, "Content-Type": kind} if kind else origin
                status, _, answer = _ask(daemon, "POST", path, json.dumps(body), headers)
                wanted = 200 if kind and name in TAKE_FORMS else 400
                check(status == wanted, f"{name}: {kind} gets {status} {answer[:100]!r}, expected {wanted}")
        for header in (b"Origin: https://evil.example", b"Origin: null", b"Origin: http://localhost.evil.example"):
            one = WebSocket(daemon, [header])
            check(one.status == b"403", f"a WebSocket with {header}: {one.answer[:60]!r}")
        one = WebSocket(daemon, [b"Origin: http://localhost"])
        check(one.status == b"101", f"a WebSocket of the same origin: {one.answer[:60]!r}")
        _, headers, _ = _ask(daemon, "GET", "/")
        policy = headers.get("Content-Security-Policy", "")
        check("default-src 'none'" in policy and "unsafe" not in policy, f"the page's policy: {policy!r}")
        check("frame-ancestors 'none'" in policy, f"the page may be framed: {policy!r}")
    return "only LibreTranslate's answers are readable; no preflight elsewhere; WebSockets of other origins: 403"


SCRIPT = "<img src=x onerror=alert(1)>"


@attack("names_that_are_scripts", issue=31, limit=60)
def names_that_are_scripts():
    """A glossary and texts that are HTML: every answer that has them is JSON, and says so. A model has no such name."""
    refused = Daemon("--model", f"<script>={MODEL}", wait=0)
    status = refused.wait(20)
    refused.kill()
    check(status not in (0, None) and "<script>" in refused.errors(), f"a model named <script>: status {status}")
    with tempfile.TemporaryDirectory(prefix="attack-glossaries-") as folder:
        (pathlib.Path(folder) / f"{SCRIPT}.tsv").write_text(f"{SCRIPT}\tdog\n")
        with daemon_of("--glossary-dir", folder) as daemon:
            found = 0
            for path in ("/v1/info/models", "/v1/languages", "/v1/info", "/v1/models", "/v2/glossaries",
                         "/v3/projects/p/glossaries", "/languages", "/frontend/settings", "/v1/models/%3Cscript%3E",
                         "/%3Cscript%3Ealert(1)%3C/script%3E", "/v1/languages?model=%3Cscript%3E", "/spec"):  # fmt: skip
                status, headers, body = _ask(daemon, "GET", path)
                _check_json(path, headers, body)
                check(status in (200, 400, 404), f"{path}: {status}")
                found += b"onerror=alert(1)" in body
            check(found >= 3, f"{found} lists have the glossary's name, expected three")
            for name in ADAPTERS:
                if name == "REST stream":
                    continue
                for fields in (
                    {"q": SCRIPT},
                    {"contents": [SCRIPT]},
                    {"text": [SCRIPT]},
                    {SCRIPT: 1},
                    {"model": SCRIPT},
                ):
                    _, headers, body = _ask_adapter(daemon, name, **fields)
                    _check_json(f"{name} with {fields}", headers, body)
            for data in (b"GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: <script>\r\n\r\n",
                         b"<script>alert(1)</script> / HTTP/1.1\r\nHost: localhost\r\n\r\n"):  # fmt: skip
                with connect(daemon) as raw:
                    raw.sendall(data)
                    answer = read_all(raw).lower()
                    check(b"\r\ncontent-type: text/html" not in answer, f"{data[:30]!r}: {answer[:100]!r}")
            _, headers, page = _ask(daemon, "GET", "/")
            check(SCRIPT.encode() not in page, "the page has the name of the glossary in it")
    return f"{found} lists and all errors are JSON; the page has no names of its own"


def _check_json(where, headers, body):
    kind = headers.get("Content-Type", "")
    check(kind.startswith("application/json"), f"{where}: {kind!r} {body[:80]!r}")
    try:
        json.loads(body)
    except ValueError as error:
        check(False, f"{where}: {error}: {body[:80]!r}")
