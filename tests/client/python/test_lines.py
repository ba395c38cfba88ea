"""translate_lines, sync and asyncio: order, bounded memory, what fails alone and what ends the run."""

import asyncio
import concurrent.futures
import pathlib
import random
import tempfile
import threading
import time
import unittest

import dragoman
import grpc
from dragoman.v1 import translation_pb2 as pb
from dragoman.v1 import translation_pb2_grpc as rpc
from scripted import ScriptedServer, bracketed, fail, violation


def sync_lines(address, texts, **arguments):
    with dragoman.Client(address) as client:
        return list(client.translate_lines(texts, **arguments))


def async_lines(address, texts, **arguments):
    async def run():
        async with dragoman.AsyncClient(address) as client:
            return [result async for result in client.translate_lines(texts, **arguments)]

    return asyncio.run(run())


class Lines(unittest.TestCase):
    def each(self, texts, handler=None, **arguments):
        """The results of both clients, with the server that each had."""
        for run in (sync_lines, async_lines):
            with self.subTest(run.__name__), ScriptedServer(handler) as server:
                yield run(server.address, texts, **arguments), server

    def test_order_is_kept_whatever_is_answered_first(self):
        seed = random.Random(1)
        waits = [seed.random() / 50 for _ in range(1000)]

        def handle(request, context, call):
            time.sleep(waits[call])
            return bracketed(request)

        texts = [str(i) for i in range(2000)]
        for results, _ in self.each(texts, handle, batch=7):
            self.assertEqual([result.text for result in results], [f"<{text}>" for text in texts])

    def test_requests_have_at_most_a_batch_or_16_kib(self):
        texts = ["x" * 5000] * 10 + ["y"] * 40 + ["z" * 20000, "z"]
        for results, server in self.each(texts):
            self.assertEqual([len(result.text) for result in results], [len(text) + 2 for text in texts])
            for request in server.requests:
                self.assertLessEqual(len(request.contents), 16)
                # A text that reaches the limit is the last; one that has the size alone is the only one.
                self.assertLess(sum(map(len, request.contents[:-1])), 16 << 10)
                if any(len(text) >= 16 << 10 for text in request.contents):
                    self.assertEqual(len(request.contents), 1)

    def test_an_empty_text_is_not_sent(self):
        for results, server in self.each(["", "a", "", "", "b", ""]):
            self.assertEqual([result.text for result in results], ["", "<a>", "", "", "<b>", ""])
            self.assertEqual([list(request.contents) for request in server.requests], [["a", "b"]])
        for results, server in self.each(["", ""]):
            self.assertEqual(([result.text for result in results], server.requests), (["", ""], []))
        for results, server in self.each([]):
            self.assertEqual((results, server.requests), ([], []))

    def test_a_line_end_of_a_text_is_neither_sent_nor_returned(self):
        for results, server in self.each(["a\n", "b\r\n", "c\n\n", "\n", "d"]):
            self.assertEqual([result.text for result in results], ["<a>", "<b>", "<c\n>", "", "<d>"])
            self.assertEqual(list(server.requests[0].contents), ["a", "b", "c\n", "d"])

    def test_a_bad_text_fails_alone(self):
        def handle(request, context, call):
            for place, text in enumerate(request.contents):
                if text == "bad":
                    fail(context, grpc.StatusCode.INVALID_ARGUMENT, "bad", violation(f"contents[{place}]", "bad"))
            return bracketed(request)

        for results, _ in self.each(["a", "bad", "b", "\ud800", "c"], handle):
            self.assertEqual([result.error is None for result in results], [True, False, True, False, True])
            self.assertIsInstance(results[1].error, dragoman.InvalidArgument)
            self.assertIn("surrogates", str(results[3].error))
            self.assertEqual([results[i].text for i in (0, 2, 4)], ["<a>", "<b>", "<c>"])

    def test_what_concerns_all_ends_the_run_after_what_came_before(self):
        def handle(request, context, call):
            if "end" in request.contents:
                fail(context, grpc.StatusCode.NOT_FOUND, "model: found 'x'")
            return bracketed(request)

        texts = [str(i) for i in range(100)] + ["end"] + [str(i) for i in range(10**6)]
        with ScriptedServer(handle) as server, dragoman.Client(server.address) as client:
            came = []
            with self.assertRaises(dragoman.NotFound):
                for result in client.translate_lines(texts, batch=10):
                    came.append(result.text)
            self.assertEqual(came, [f"<{i}>" for i in range(100)])
            self.assertLess(len(server.requests), 1000)

    def test_an_answer_of_another_length_is_an_error_and_shifts_nothing(self):
        def handle(request, context, call):
            response = bracketed(request)
            if "b" in request.contents:
                del response.translations[0]
            return response

        for results, _ in self.each(["a", "b", "c", "d"], handle, batch=2):
            self.assertEqual([result.error and result.error.code for result in results], ["INTERNAL"] * 2 + [None] * 2)
            self.assertEqual(results[2].text, "<c>")

    def test_memory_is_bounded_though_nobody_reads(self):
        read = 0

        def texts():
            nonlocal read
            while True:
                read += 1
                yield "x"

        with ScriptedServer() as server, dragoman.Client(server.address) as client:
            lines = client.translate_lines(texts(), batch=4, concurrency=2)
            self.assertEqual(read, 0)
            for taken in range(1, 2000):
                next(lines)
                self.assertLessEqual(read - taken, 4 * 4 * 2)
            lines.close()

    def test_the_number_of_requests_in_flight_is_bounded(self):
        lock, now, most = threading.Lock(), 0, 0

        def handle(request, context, call):
            nonlocal now, most
            with lock:
                now += 1
                most = max(most, now)
            time.sleep(0.005)
            with lock:
                now -= 1
            return bracketed(request)

        for _, server in self.each(map(str, range(300)), handle, batch=2, concurrency=3):
            self.assertLessEqual(most, 3)
            self.assertGreater(most, 1)

    def test_leaving_the_iteration_ends_what_is_in_flight(self):
        leave = threading.Event()
        arrived, cancelled = threading.Semaphore(0), threading.Semaphore(0)

        def handle(request, context, call):
            if list(request.contents) == ["0"]:
                for _ in range(3):
                    arrived.acquire(timeout=30)
            else:
                context.add_callback(cancelled.release)
                arrived.release()
                leave.wait(60)
            return bracketed(request)

        with ScriptedServer(handle) as server, dragoman.Client(server.address) as client:
            for _ in client.translate_lines(map(str, range(1000)), batch=1, concurrency=4):
                break
            for _ in range(3):
                self.assertTrue(cancelled.acquire(timeout=30))
            leave.set()
        end = time.monotonic() + 30
        while any(thread.name.startswith("dragoman") for thread in threading.enumerate()):
            self.assertLess(time.monotonic(), end, threading.enumerate())
            time.sleep(0.01)

    def test_wrong_arguments_are_refused_before_anything_is_read(self):
        client = dragoman.Client("127.0.0.1:1")
        for arguments, message in [
            ({"batch": 1025}, "batch is 1025, expected 1..1024"),
            ({"concurrency": 0}, "concurrency is 0, expected 1..1024"),
            ({"sampling": True, "sampling_seed": 1, "batch": 2}, "batch is 2, expected 1 with sampling_seed"),
        ]:
            with self.assertRaisesRegex(ValueError, message):
                client.translate_lines(["a"], **arguments)
        with self.assertRaisesRegex(TypeError, "target_prefixes is for translate"):
            client.translate_lines(["a"], target_prefixes=["b"])
        with self.assertRaisesRegex(TypeError, "a text is of type int, expected str"):
            list(client.translate_lines(["a", 1]))

    def test_an_async_source(self):
        async def texts():
            for i in range(100):
                await asyncio.sleep(0)
                yield str(i)

        with ScriptedServer() as server:
            results = async_lines(server.address, texts())
        self.assertEqual([result.text for result in results], [f"<{i}>" for i in range(100)])


class Streams(unittest.TestCase):
    @staticmethod
    def stream(request, context, call):
        from dragoman.v1 import translation_pb2 as pb

        if call == 0:
            fail(context, grpc.StatusCode.UNAVAILABLE, "draining", pushback="1")
        yield pb.StreamTranslateResponse(item=0, text="a", request_id="r")
        if call == 1:
            fail(context, grpc.StatusCode.UNAVAILABLE, "draining", pushback="1")
        yield pb.StreamTranslateResponse(item=0, text="a b", final=True)
        yield pb.StreamTranslateResponse(item=0, translation=pb.Translation(translated_text="a b"))

    def test_a_stream_is_tried_again_only_if_nothing_came(self):
        with ScriptedServer(stream_handler=self.stream) as server, dragoman.Client(server.address) as client:
            came = []
            with self.assertRaises(dragoman.Unavailable):
                for update in client.stream("x", partials=True):
                    came.append(update.text)
            self.assertEqual((came, len(server.requests)), (["a"], 2))
            self.assertTrue(server.requests[0].return_options.partials)
            updates = list(client.stream("x"))
            self.assertEqual([update.final for update in updates], [False, True, False])
            self.assertEqual(str(updates[2].translation), "a b")
            self.assertEqual({update.request_id for update in updates}, {"r"})

    def test_the_same_in_asyncio(self):
        async def run(address):
            async with dragoman.AsyncClient(address) as client:
                came = []
                with self.assertRaises(dragoman.Unavailable):
                    async for update in client.stream("x"):
                        came.append(update.text)
                self.assertEqual(came, ["a"])
                return [update async for update in client.stream("x")]

        with ScriptedServer(stream_handler=self.stream) as server:
            self.assertEqual(str(asyncio.run(run(server.address))[2].translation), "a b")

    def test_leaving_a_stream_cancels_its_call(self):
        from dragoman.v1 import translation_pb2 as pb

        ended = threading.Event()

        def stream(request, context, call):
            context.add_callback(ended.set)
            yield pb.StreamTranslateResponse(text="a")
            ended.wait(60)

        with ScriptedServer(stream_handler=stream) as server, dragoman.Client(server.address) as client:
            for _ in client.stream("x"):
                break
            self.assertTrue(ended.wait(30))



def sync_file(address, *arguments, **options):
    with dragoman.Client(address) as client:
        return client.translate_file(*arguments, **options)


def async_file(address, *arguments, **options):
    async def run():
        async with dragoman.AsyncClient(address) as client:
            return await client.translate_file(*arguments, **options)

    return asyncio.run(run())


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.source, self.target = (pathlib.Path(folder.name, name) for name in ("source.txt", "target.txt"))

    def each(self, handler=None):
        for run in (sync_file, async_file):
            with self.subTest(run.__name__), ScriptedServer(handler) as server:
                self.target.unlink(missing_ok=True)
                yield lambda run=run, server=server, **options: run(
                    server.address, self.source, str(self.target), **options
                )

    def test_each_line_becomes_one(self):
        self.source.write_bytes(b"a\r\nb\n\nc\xff\nd")
        for run in self.each(
            lambda request, context, call: pb.TranslateResponse(
                translations=[pb.Translation(translated_text=f"<{text}\n>") for text in request.contents]
            )
        ):
            report = run(to="en")
            self.assertEqual(self.target.read_text(), "<a >\n<b >\n\n\n<d >\n")
            self.assertEqual((report.lines, report.kept, [line for line, _ in report.failed]), (5, 0, [4]))
            self.assertIsInstance(report.failed[0][1], dragoman.InvalidArgument)

    def test_resume_goes_on_after_the_last_translation(self):
        self.source.write_text("".join(f"{i}\n" for i in range(6)))
        for run in self.each():
            self.target.write_text("<0>\n\n<2>\n\n<4")
            with self.assertRaisesRegex(FileExistsError, "resume=True"):
                run()
            report = run(resume=True)
            self.assertEqual(self.target.read_text(), "<0>\n\n<2>\n<3>\n<4>\n<5>\n")
            self.assertEqual(report, (6, 3, [], 0))
            self.assertEqual(run(resume=True), (6, 6, [], 0))

    def test_another_source_is_refused(self):
        self.source.write_text("0\n")
        for run in self.each():
            self.target.write_text("<0>\n<1>\n")
            with self.assertRaisesRegex(ValueError, "2 translations.*1 lines"):
                run(resume=True)

    def test_what_was_translated_before_an_error_stays(self):
        self.source.write_text("".join(f"{i}\n" for i in range(40)))

        def handle(request, context, call):
            if "20" in request.contents:
                fail(context, grpc.StatusCode.NOT_FOUND, "no such model")
            return bracketed(request)

        for run in self.each(handle):
            with self.assertRaises(dragoman.NotFound):
                run(batch=10)
            self.assertEqual(self.target.read_text(), "".join(f"<{i}>\n" for i in range(20)))


class Settings(unittest.TestCase):
    def test_a_key_goes_in_plaintext_to_this_machine_alone(self):
        here = ("localhost:1", "127.0.0.1:1", "127.8.9.10:1", "[::1]:1", "unix:/a", "ipv4:127.0.0.1:1", "ipv6:[::1]:1")
        for server in here:
            dragoman.Client(server, api_key="k").close()
        for server in (
            "127.evil.example:1",
            "127.0.0.1.evil.example:1",
            "localhost.evil.example:1",
            "localhost:1,127.evil.example:1",
            "ipv4:127.evil.example:1",
            "ipv4:10.0.0.1:1",
            "[::1].evil.example:1",
            "dns:///localhost:1",
            "unixx:1",
        ):
            with self.assertRaisesRegex(ValueError, "unencrypted", msg=server):
                dragoman.Client(server, api_key="k")

    def test_a_scheme_in_an_address_is_explained(self):
        for server in ("http://localhost:8080", "https://a:1", "grpc://localhost:50051"):
            with self.assertRaisesRegex(ValueError, "has a scheme, expected host:port"):
                dragoman.Client(server)

    def test_a_reason_of_a_newer_server_has_its_number(self):
        self.assertEqual(dragoman.Translation(pb.Translation(finish_reason=77)).finish_reason, "unknown_77")
        self.assertEqual(dragoman.Translation(pb.Translation(finish_reason=pb.EOS)).finish_reason, "eos")

    def test_one_text_is_detected_as_one(self):
        class Service(rpc.TranslationServiceServicer):
            def DetectLanguage(self, request, context):
                detections = [
                    pb.Detection(languages=[pb.DetectedLanguage(language_code=text)]) for text in request.contents
                ]
                return pb.DetectLanguageResponse(detections=detections)

        server = grpc.server(concurrent.futures.ThreadPoolExecutor(2))
        rpc.add_TranslationServiceServicer_to_server(Service(), server)
        address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
        server.start()
        self.addCleanup(server.stop, None)
        with dragoman.Client(address) as client:
            self.assertEqual(client.detect("abc").languages[0].language_code, "abc")
            self.assertEqual([one.languages[0].language_code for one in client.detect(["a", "b"])], ["a", "b"])

        async def run():
            async with dragoman.AsyncClient(address) as client:
                return await client.detect("abc")

        self.assertEqual(asyncio.run(run()).languages[0].language_code, "abc")


if __name__ == "__main__":
    unittest.main()
