"""The client against real daemons with the bundled model."""

import asyncio
import concurrent.futures
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import unittest

import dragoman
from harness import CLIENT, ROOT, Daemon, own_loopback_address, wait_until

LINES = [line for line in (ROOT / "tests/data/german.txt").read_text().splitlines() if line][:200]


def run_python(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        timeout=120,
        universal_newlines=True,
    )


class OneDaemon(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon()
        cls.addClassCleanup(cls.daemon.kill)
        cls.client = dragoman.Client(cls.daemon.grpc)
        cls.addClassCleanup(cls.client.close)

    def test_one_line_of_python(self):
        code = 'import dragoman; print(dragoman.translate("Guten Morgen!", to="en"))'
        result = run_python(code, DRAGOMAN_SERVER=self.daemon.grpc)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "Good morning.\n", ""))

    def test_documents(self):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder, "a.html")
            source.write_text("<p>Guten <b>Morgen</b>!</p>")
            target = pathlib.Path(folder, "b.html")
            report = self.client.translate_file(source, target, to="en")
            self.assertEqual(report, dragoman.FileReport(lines=1, kept=0, failed=[]))
            self.assertEqual(target.read_text(), "<p>Good <b>morning</b>.</p>")
            with self.assertRaises(FileExistsError):
                self.client.translate_file(source, target, to="en")
            self.assertEqual(self.client.translate_file(source, target, to="en", resume=True).kept, 1)
            table = pathlib.Path(folder, "table.txt")
            table.write_text("id,text\nGuten Morgen!,Guten Morgen!\n")
            self.client.translate_file(table, folder + "/c.csv", to="en", format="csv", fields=["text"])
            self.assertEqual(pathlib.Path(folder, "c.csv").read_text(), "id,text\nGuten Morgen!,Good morning.\n")
            broken = pathlib.Path(folder, "broken.docx")
            broken.write_text("no archive")
            with self.assertRaisesRegex(dragoman.InvalidArgument, "not a zip archive"):
                self.client.translate_file(broken, folder + "/d.docx", to="en")

            async def run():
                async with dragoman.AsyncClient(self.daemon.grpc) as client:
                    return await client.translate_file(source, folder + "/e.html", to="en")

            self.assertEqual(asyncio.run(run()).lines, 1)

    def test_all_ways_give_the_same(self):
        single = [self.client.translate(line, to="en").text for line in LINES[:20]]
        whole = [result.text for result in self.client.translate(LINES[:20], to="en")]
        lines = [result.text for result in self.client.translate_lines(LINES[:20], to="en")]
        streamed = {}
        for update in self.client.stream(LINES[:20], to="en"):
            if update.translation is not None:
                streamed[update.item] = update.translation.text
        command = subprocess.run(
            [CLIENT, "translate", "--server", self.daemon.grpc, "--to", "en"],
            input="\n".join(LINES[:20]) + "\n",
            stdout=subprocess.PIPE,
            universal_newlines=True,
            check=True,
        )
        self.assertEqual(single, whole)
        self.assertEqual(single, lines)
        self.assertEqual(single, [streamed[i] for i in range(20)])
        self.assertEqual(single, command.stdout.splitlines())

    def test_partials_are_prefixes_of_their_segments(self):
        known, finals = {}, {}
        for update in self.client.stream(" ".join(LINES[:10]), to="en", partials=True):
            if update.translation is None:
                before = known.get(update.segment, "")
                self.assertTrue(update.text.startswith(before), (before, update.text))
                known[update.segment] = update.text
                if update.final:
                    finals[update.segment] = update.text
        self.assertEqual(known, finals)
        self.assertGreater(len(finals), 5)

    def test_what_was_asked_for_comes_back(self):
        result = self.client.translate(
            "Der Hund schläft im Garten.",
            to="en",
            from_="de",
            num_alternatives=2,
            beam_size=4,
            terms={"Garten": "yard"},
            return_scores=True,
            return_tokens=True,
            return_alignment=True,
            return_timings=True,
            request_id="mine",
        )
        self.assertIn("yard", result.text)
        self.assertEqual((result.model, result.finish_reason, result.request_id), ("de-en", "eos", "mine"))
        self.assertLess(result.score, 0)
        self.assertEqual(len(result.alternatives), 1)
        self.assertGreater(len(result.tokens.target), 2)
        self.assertGreater(len(result.alignment), 2)
        self.assertGreater(result.timings.total, 0)
        draw = self.client.translate("Der Hund schläft.", to="en", sampling=True)
        same = self.client.translate("Der Hund schläft.", to="en", sampling=True, sampling_seed=draw.seed)
        self.assertEqual(same.text, draw.text)

    def test_markdown(self):
        result = self.client.translate("## Guten **Morgen**!", to="en", markdown=True)
        self.assertEqual(str(result), "## Good **morning**.")

    def test_html(self):
        result = self.client.translate("<p>Guten <b>Morgen</b>!</p>", to="en", html=True)
        self.assertTrue(result.text.startswith("<p>") and "<b>" in result.text, result.text)

    def test_the_server_names_what_is_wrong(self):
        with self.assertRaises(dragoman.InvalidArgument) as raised:
            self.client.translate("Hallo", to="en", beam_size=99, patience=0)
        fields = [violation.field for violation in raised.exception.violations]
        self.assertEqual(fields, ["decoding.beam_size", "decoding.patience"])
        with self.assertRaises(dragoman.NotFound):
            self.client.translate("Hallo", model="x")
        results = self.client.translate(["Hallo", "Guten Tag. Auf Wiedersehen."], split="sentences", return_alignment=True)
        self.assertIsNone(results[0].error)
        self.assertIsInstance(results[1].error, dragoman.InvalidArgument)

    def test_scores_are_those_of_the_search(self):
        found = self.client.translate(LINES[:4], to="en", return_scores=True, return_token_scores=True, return_tokens=True)
        texts = [one.text for one in found]
        scored = self.client.score(LINES[:4], texts, to="en", return_tokens=True)
        for one, translation in zip(scored, found):
            message = translation.message
            self.assertEqual(list(one.tokens), list(message.tokens.target))
            self.assertEqual(len(one.token_scores), len(message.tokens.target_scores))
            for given, searched in zip(one.token_scores, message.tokens.target_scores):
                self.assertAlmostEqual(given, searched, delta=1e-5)  # the model is served in int8
            self.assertAlmostEqual(one.score, message.score, delta=1e-5)
        alone = self.client.score(LINES[0], texts[0])
        self.assertEqual(list(alone.token_scores), list(scored[0].token_scores))
        self.assertEqual(len(alone.tokens), 0)
        better = self.client.score("Guten Morgen!", "Good morning!", length_penalty=0.0)
        self.assertEqual(better.score, better.log_prob)
        self.assertGreater(better.log_prob, self.client.score("Guten Morgen!", "A large bicycle.").log_prob)

        async def again():
            async with dragoman.AsyncClient(self.daemon.grpc) as client:
                return await client.score(LINES[0], texts[0])

        self.assertEqual(list(asyncio.run(again()).token_scores), list(alone.token_scores))

    def test_pairs_that_cannot_be_scored(self):
        sources = ["Guten Tag.", "Haus " * 600, "Ja."]
        found = self.client.score(sources, ["x " * 900, "House.", "Yes."], to="en")
        self.assertIn("pairs[0].target", found[0].error.message)
        self.assertIn("tokens", found[1].error.message)
        self.assertLess(found[2].log_prob, 0)
        with self.assertRaises(ValueError):
            self.client.score(["Guten Tag."], ["Hello.", "Hi."])
        with self.assertRaises(TypeError):
            self.client.score(["Guten Tag."], "Hello.")
        with self.assertRaisesRegex(TypeError, "beam_size"):
            self.client.score("Guten Tag.", "Hello.", beam_size=4)
        request = dragoman.v1.translation_pb2.ScoreRequest(source_language_code="auto")
        request.pairs.add(source="Hallo", target="Hello")
        request.decoding.beam_size = 4
        with self.assertRaises(dragoman.InvalidArgument) as raised:
            self.client._unary("Score", request, 10)
        fields = [violation.field for violation in raised.exception.violations]
        self.assertEqual(fields, ["source_language_code", "decoding.beam_size"])

    def test_what_is_there(self):
        self.assertTrue(self.client.healthy())
        self.assertTrue(self.client.healthy("de-en"))
        with self.assertRaises(dragoman.NotFound):
            self.client.healthy("x")
        self.assertEqual([model.name for model in self.client.models()], ["de-en"])
        pairs = [(pair.source_language_code, pair.target_language_code) for pair in self.client.languages().pairs]
        self.assertEqual(pairs, [("de", "en")])
        self.assertGreater(self.client.server_info().limits.max_items, 1)

    def test_detection_is_the_servers(self):
        async def again():
            async with dragoman.AsyncClient(self.daemon.grpc) as client:
                return await client.detect(["Guten Morgen!"])

        if self.client.server_info().detects_languages:
            found = self.client.detect(["Guten Morgen!", "12"])
            self.assertEqual([one.languages[0].language_code for one in found[:1]], ["de"])
            self.assertEqual(len(found[1].languages), 0)
            self.assertEqual(asyncio.run(again())[0].languages[0].language_code, "de")
            return
        with self.assertRaisesRegex(dragoman.Unimplemented, "--language-model"):
            self.client.detect(["Guten Morgen!"])
        with self.assertRaisesRegex(dragoman.Unimplemented, "--language-model"):
            asyncio.run(again())

    def test_500_tasks_of_asyncio(self):
        async def run():
            async with dragoman.AsyncClient(self.daemon.grpc) as client:
                tasks = [client.translate(LINES[i % len(LINES)], to="en") for i in range(500)]
                self.assertTrue(await client.healthy())
                return [result.text for result in await asyncio.gather(*tasks)]

        expected = [result.text for result in self.client.translate_lines(LINES, to="en")]
        self.assertEqual(asyncio.run(run()), [expected[i % len(LINES)] for i in range(500)])

    def test_a_cancelled_task_cancels_its_call(self):
        async def run():
            async with dragoman.AsyncClient(self.daemon.grpc) as client:
                before = self.segments("accepted")
                task = asyncio.ensure_future(client.translate(LINES, to="en", beam_size=64))
                while self.segments("accepted") == before:
                    await asyncio.sleep(0.01)
                task.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await task

        cancelled = self.daemon.rpcs().get("CANCELLED", 0)
        asyncio.run(run())
        self.assertTrue(wait_until(lambda: self.daemon.rpcs().get("CANCELLED", 0) == cancelled + 1, 30))

    def segments(self, which):
        return self.daemon.samples()[f'dragoman_segments_{which}_total{{model="de-en"}}']


class Restarts(unittest.TestCase):
    def check(self, end, run):
        """Translates lines while the daemon is ended by `end` in the midst and started again on its port."""
        with Daemon("--listen", own_loopback_address() + ":0") as daemon:
            address = daemon.grpc
            with dragoman.Client(address) as client:
                expected = [result.text for result in client.translate_lines(LINES, to="en")]
            half = threading.Event()
            results = []

            def texts():
                for i in range(3000):
                    if i == 1500:
                        half.set()
                    yield LINES[i % len(LINES)]

            caller = threading.Thread(target=lambda: results.extend(run(address, texts)))
            caller.start()
            self.assertTrue(half.wait(120))
            end(daemon)
            with Daemon("--listen", address):
                caller.join(240)
                self.assertFalse(caller.is_alive())
        self.assertEqual(results, [expected[i % len(LINES)] for i in range(3000)])

    @staticmethod
    def run_sync(address, texts):
        with dragoman.Client(address) as client:
            return [result.text for result in client.translate_lines(texts(), to="en")]

    @staticmethod
    def run_async(address, texts):
        async def run():
            async with dragoman.AsyncClient(address) as client:
                return [result.text async for result in client.translate_lines(texts(), to="en")]

        return asyncio.run(run())

    def test_a_server_that_is_killed_and_comes_back_loses_and_doubles_nothing(self):
        self.check(Daemon.kill, self.run_sync)

    def test_a_server_that_drains_and_comes_back_loses_and_doubles_nothing(self):
        def drain(daemon):
            daemon.stop(60)

        self.check(drain, self.run_async)


class StandsStill(unittest.TestCase):
    def test_calls_to_a_server_that_stands_still_go_to_the_other_one(self):
        with Daemon() as still, Daemon() as well, dragoman.Client(f"{still.grpc},{well.grpc}", timeout=20) as client:
            # Busy connections, whose bandwidth gRPC measures.
            for _ in range(20):
                client.translate("Guten Morgen!", to="en")
            still.process.send_signal(signal.SIGSTOP)
            with concurrent.futures.ThreadPoolExecutor(8) as pool:
                results = list(pool.map(lambda text: client.translate(text, to="en").text, ["Guten Abend!"] * 8))
            still.process.send_signal(signal.SIGCONT)
            self.assertEqual(results, [client.translate("Guten Abend!", to="en").text] * 8)
            self.assertGreater(still.samples()['dragoman_segments_accepted_total{model="de-en"}'], 9)


def make_certificate(folder, name):
    """name.crt and name.key, which signs itself."""
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
        + ["-keyout", folder / f"{name}.key", "-out", folder / f"{name}.crt", "-subj", f"/CN={name}"]
        + ["-addext", "subjectAltName=DNS:translations.example"],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


class Security(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        for name in ("server", "other"):
            make_certificate(cls.folder, name)
        made = subprocess.run([CLIENT, "key", "web"], stdout=subprocess.PIPE, universal_newlines=True, check=True)
        cls.key, entry, _ = made.stdout.splitlines()
        keys = cls.folder / "keys.json"
        keys.write_text('{"clients": [' + entry + "]}")
        keys.chmod(0o600)
        certificates = ("--tls-cert", cls.folder / "server.crt", "--tls-key", cls.folder / "server.key")
        cls.daemon = Daemon(*certificates, "--api-keys", keys)
        cls.addClassCleanup(cls.daemon.kill)

    def client(self, **arguments):
        once = dragoman.RetryPolicy(max_attempts=1)
        name = "translations.example"
        return dragoman.Client(self.daemon.grpc, tls_server_name=name, timeout=30, retry=once, **arguments)

    def test_tls_and_a_key(self):
        with self.client(ca=self.folder / "server.crt", api_key=self.key) as client:
            self.assertEqual(client.translate("Guten Morgen!", to="en").text, "Good morning.")
        with self.client(ca=(self.folder / "server.crt").read_bytes(), api_key=self.key) as client:
            self.assertEqual([update.final for update in client.stream("Guten Morgen!", to="en")], [True, False])

    def test_a_wrong_key_and_none(self):
        for key in ("dgm_wrong", None):
            with self.client(ca=self.folder / "server.crt", api_key=key) as client:
                self.assertRaises(dragoman.Unauthenticated, client.translate, "Hallo", to="en")

    def test_a_certificate_that_is_not_trusted(self):
        with self.client(ca=self.folder / "other.crt", api_key=self.key) as client:
            self.assertRaises(dragoman.Unavailable, client.translate, "Hallo", to="en")

    def test_the_key_does_not_travel_unencrypted(self):
        with self.assertRaisesRegex(ValueError, "the API key would travel to 'example.org:50051' unencrypted"):
            dragoman.Client("example.org:50051", api_key="k")
        dragoman.Client("example.org:50051", api_key="k", plaintext_key=True).close()
        dragoman.Client("example.org:50051", api_key="k", tls=True).close()
        dragoman.Client("localhost:50051", api_key="k").close()
        with self.assertRaisesRegex(ValueError, "not printable ASCII"):
            dragoman.Client("localhost:50051", api_key="a b")
        with self.assertRaisesRegex(ValueError, "found cert without key, expected both"):
            dragoman.Client("localhost:50051", cert=b"x")
        with self.assertRaisesRegex(ValueError, "found key without cert, expected both"):
            dragoman.Client("localhost:50051", key=b"x")


class MutualTls(unittest.TestCase):
    """A daemon that asks for a client's certificate."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        for name in ("server", "client", "other"):
            make_certificate(cls.folder, name)
        certificates = ("--tls-cert", cls.folder / "server.crt", "--tls-key", cls.folder / "server.key")
        cls.daemon = Daemon(*certificates, "--tls-client-ca", cls.folder / "client.crt")
        cls.addClassCleanup(cls.daemon.kill)

    def arguments(self, name=None, read=False):
        """A client's, with the certificate of that name, as paths or as bytes."""
        found = {"ca": self.folder / "server.crt"}
        if name is not None:
            found.update(cert=self.folder / f"{name}.crt", key=self.folder / f"{name}.key")
        if read:
            found = {key: path.read_bytes() for key, path in found.items()}
        once = dragoman.RetryPolicy(max_attempts=1)
        return dict(found, tls_server_name="translations.example", timeout=30, retry=once)

    def translate(self, **arguments):
        with dragoman.Client(self.daemon.grpc, **arguments) as client:
            return client.translate("Guten Morgen!", to="en").text

    def translate_async(self, **arguments):
        async def run():
            async with dragoman.AsyncClient(self.daemon.grpc, **arguments) as client:
                return (await client.translate("Guten Morgen!", to="en")).text

        return asyncio.run(run())

    def test_a_client_with_its_certificate_is_served(self):
        for translate in (self.translate, self.translate_async):
            for read in (False, True):
                with self.subTest(translate.__name__, read=read):
                    self.assertEqual(translate(**self.arguments("client", read)), "Good morning.")

    def test_one_without_or_with_another_is_not(self):
        for translate in (self.translate, self.translate_async):
            for name in (None, "other"):
                with self.subTest(translate.__name__, name=name):
                    with self.assertRaises(dragoman.Unavailable):
                        translate(**self.arguments(name))

    def test_a_key_of_another_certificate_is_an_error(self):
        arguments = dict(self.arguments("client"), key=self.folder / "other.key")
        with self.assertRaises(dragoman.Unavailable):
            self.translate(**arguments)


if __name__ == "__main__":
    unittest.main()
