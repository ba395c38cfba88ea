"""The extra for MCP with the SDK's own client, by every revision that it knows, and a checker of servers."""

import asyncio
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import dragoman
import mcp_types
from dragoman.mcp import MAX_PAIRS, LanguagesArguments, Tools
from dragoman.v1 import translation_pb2 as pb
from harness import CLIENT, ROOT, Daemon
from mcp import Client, MCPError, StdioServerParameters
from scripted import ScriptedServer

PROGRAM = [sys.executable, "-m", "dragoman.mcp"]


def server(*flags, **environment):
    environment["PYTHONPATH"] = os.environ["PYTHONPATH"]
    return StdioServerParameters(command=PROGRAM[0], args=[*PROGRAM[1:], *map(str, flags)], env=environment)


def run(parameters, check, mode="auto"):
    async def connect():
        async with Client(parameters, mode=mode, read_timeout_seconds=60) as client:
            await check(client)

    asyncio.run(asyncio.wait_for(connect(), 120))


class Mcp(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon("--language-model", ROOT / "deploy/models/lid.176/lid.176.ftz")
        cls.addClassCleanup(cls.daemon.kill)
        cls.server = server("--server", cls.daemon.grpc)

    def in_modes(self, modes, check):
        for mode in modes:
            with self.subTest(mode):
                run(self.server, check, mode)

    def test_the_tools_by_the_handshake_and_without_one(self):
        async def check(client):
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            self.assertEqual(set(tools), {"translate", "detect", "languages", "glossaries"})
            self.assertTrue(tools["translate"].annotations.read_only_hint)
            # The client itself compares structured results with the tools' schemas.
            done = []

            async def progress(now, total, message):
                done.append((now, total))

            arguments = {"texts": ["Guten Morgen!", "Wo ist der nächste Bahnhof?"], "to": "en"}
            result = await client.call_tool("translate", arguments, progress_callback=progress)
            self.assertFalse(result.is_error, result)
            texts = [content.text for content in result.content]
            with dragoman.Client(self.daemon.grpc) as grpc_client:
                expected = [each.text for each in grpc_client.translate(arguments["texts"], to="en")]
            self.assertEqual(texts, expected)
            self.assertEqual([item["text"] for item in result.structured_content["translations"]], texts)
            self.assertEqual(done, [(1, 2), (2, 2)])
            pairs = await client.call_tool("languages", {})
            self.assertEqual(pairs.structured_content["pairs"], [{"source": "de", "target": "en"}])
            self.assertFalse((await client.call_tool("glossaries", {})).is_error)
            found = await client.call_tool("detect", {"texts": ["Wo ist der nächste Bahnhof?", "12"]})
            self.assertEqual([content.text for content in found.content], ["de", "unknown"])
            self.assertGreater(found.structured_content["detections"][0]["languages"][0]["confidence"], 0.5)

        self.in_modes(("legacy", "auto", "2026-07-28"), check)

    def test_every_argument_reaches_the_request(self):
        async def check(client):
            arguments = {
                "text": "<p>Der Hund schläft im Garten von Müller.</p>",
                "from": "de",
                "to": "en",
                "model": "de-en",
                "html": True,
                "terms": {"Garten": "yard"},
                "do_not_translate": ["Müller"],
            }
            result = await client.call_tool("translate", arguments)
            self.assertFalse(result.is_error, result)
            (item,) = result.structured_content["translations"]
            self.assertEqual(item["model"], "de-en")
            self.assertRegex(item["text"], "^<p>.*</p>$")
            self.assertEqual([item["text"].count(word) for word in ("yard", "Müller")], [1, 1], item["text"])
            several = await client.call_tool("translate", {"text": "Guten Morgen!", "alternatives": 2})
            (item,) = several.structured_content["translations"]
            self.assertEqual(len(item["alternatives"]), 1)
            self.assertEqual(several.content[0].text, f"{item['text']}\n{item['alternatives'][0]['text']}")
            refused = await client.call_tool("translate", {"text": "Hallo", "glossary": "law"})
            self.assertRegex(refused.content[0].text, "^NOT_FOUND: .*glossar")
            # Models write null for what they leave out.
            left_out = await client.call_tool("translate", {"text": "Guten Morgen!", "texts": None, "to": None})
            self.assertEqual(left_out.content[0].text, "Good morning.")

        run(self.server, check)

    def test_what_is_wrong_reaches_the_model_or_the_program(self):
        async def check(client):
            for tool, arguments, message in (
                ("translate", {"text": "Hallo", "model": "x"}, "NOT_FOUND: model: found 'x', expected one of de-en"),
                ("translate", {"txet": "Hallo"}, "INVALID_ARGUMENT: txet: Extra inputs are not permitted"),
                ("translate", {}, "INVALID_ARGUMENT: found neither text nor texts, expected one of them"),
                ("detect", {"text": "a", "texts": ["b"]}, "INVALID_ARGUMENT: found text and texts, expected one of them"),
                ("translate", {"text": 5}, "INVALID_ARGUMENT: text: Input should be a valid string"),
                (
                    "translate",
                    {"text": "Hallo", "alternatives": 65},
                    "INVALID_ARGUMENT: alternatives: Input should be less than or equal to 64",
                ),
                ("glossaries", {"model": "x"}, "NOT_FOUND: model: found 'x', expected one of de-en"),
            ):
                result = await client.call_tool(tool, arguments)
                self.assertEqual((result.is_error, result.content[0].text), (True, message))
            with self.assertRaises(MCPError) as raised:
                await client.call_tool("sing", {})
            self.assertEqual(raised.exception.code, mcp_types.INVALID_PARAMS)

        self.in_modes(("legacy", "auto"), check)

    def test_a_call_that_its_caller_leaves_ends_at_the_daemon_at_once(self):
        lines = [line for line in (ROOT / "tests/data/german.txt").read_text().splitlines() if line][:200]

        def accepted():
            return self.daemon.samples()['dragoman_segments_accepted_total{model="de-en"}']

        def cancelled():
            return self.daemon.rpcs("StreamTranslate").get("CANCELLED", 0)

        async def check(client):
            calls, segments = cancelled(), accepted()
            arguments = {"texts": lines, "to": "en", "alternatives": 64}
            task = asyncio.ensure_future(client.call_tool("translate", arguments))
            while accepted() == segments:
                await asyncio.sleep(0.01)
            # No call waits for another.
            self.assertFalse((await client.call_tool("languages", {})).is_error)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            while cancelled() == calls:
                await asyncio.sleep(0.01)
            self.assertFalse((await client.call_tool("languages", {})).is_error)

        self.in_modes(("legacy", "auto"), check)

    def test_auto_takes_the_newest_revision(self):
        async def check(client):
            self.assertEqual(client.protocol_version, "2026-07-28")

        run(self.server, check)

    def test_a_checker_of_servers_finds_nothing(self):
        arguments = {
            "translate": [{"text": "Guten Morgen!", "to": "en"}, {"texts": ["Guten Morgen!"], "alternatives": 2}],
            "detect": {"texts": ["Guten Morgen!"]},
        }
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(arguments, file)
            file.flush()
            checked = subprocess.run(
                [sys.executable, "-m", "amagi_mcp_probe", "--strict", "--args", file.name, "--"]
                + [*PROGRAM, "--server", self.daemon.grpc],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=120,
            )
        self.assertEqual(checked.returncode, 0, checked.stdout)
        self.assertIn("4 tools: 4 passed", checked.stdout)


class Results(unittest.TestCase):
    @staticmethod
    def one_good(request, context, call):
        yield pb.StreamTranslateResponse(item=0, translation=pb.Translation(translated_text="good", model="scripted"))

    @classmethod
    def one_of_two(cls, request, context, call):
        yield from cls.one_good(request, context, call)
        failed = pb.StreamTranslateResponse(item=1)
        failed.error.code, failed.error.message = 3, "too long"
        yield failed

    def ask(self, handler, arguments):
        results = []

        async def check(client):
            results.append(await client.call_tool("translate", arguments))

        with ScriptedServer(stream_handler=handler) as scripted:
            run(server("--server", scripted.address), check)
        return results[0]

    def test_a_text_that_fails_alone_is_told_next_to_the_others(self):
        result = self.ask(self.one_of_two, {"texts": ["a", "b"]})
        self.assertFalse(result.is_error)
        good, bad = result.structured_content["translations"]
        self.assertEqual(good, {"text": "good", "model": "scripted"})
        self.assertEqual(bad, {"error": {"code": "INVALID_ARGUMENT", "message": "too long"}})
        self.assertEqual(result.content[1].text, "This text was not translated: INVALID_ARGUMENT: too long")

    def test_a_text_without_an_answer_is_an_error(self):
        result = self.ask(self.one_good, {"texts": ["a", "b"]})
        self.assertTrue(result.is_error)
        self.assertRegex(result.content[0].text, "^INTERNAL: .*no result for some of the texts")


class Settings(unittest.TestCase):
    def test_the_address_and_the_key_come_from_flags_or_the_environment(self):
        made = subprocess.run([CLIENT, "key", "assistant"], stdout=subprocess.PIPE, text=True, check=True)
        key, entry, _ = made.stdout.splitlines()

        async def check(client):
            self.assertEqual((await client.call_tool("translate", {"text": "Guten Morgen!"})).content[0].text, "Good morning.")

        async def check_without_a_key(client):
            result = await client.call_tool("translate", {"text": "Guten Morgen!"})
            self.assertTrue(result.is_error)
            self.assertRegex(result.content[0].text, "^UNAUTHENTICATED: ")

        with tempfile.TemporaryDirectory() as folder:
            keys, key_file = pathlib.Path(folder, "keys.json"), pathlib.Path(folder, "key")
            keys.write_text('{"clients": [' + entry + "]}")
            keys.chmod(0o600)
            key_file.write_text(key + "\n")
            with Daemon("--api-keys", keys) as daemon:
                run(server("--server", daemon.grpc, "--api-key-file", key_file), check)
                run(server(DRAGOMAN_SERVER=daemon.grpc, DRAGOMAN_API_KEY=key), check)
                run(server("--server", daemon.grpc), check_without_a_key)

    def test_a_server_that_is_not_there_is_a_result(self):
        async def check(client):
            result = await client.call_tool("languages", {})
            self.assertTrue(result.is_error)
            self.assertRegex(result.content[0].text, "^UNAVAILABLE: no server answers at 127.0.0.1:1 ")

        run(server("--server", "127.0.0.1:1", "--timeout", "5"), check)

    def test_wrong_flags_are_refused_before_anything_is_served(self):
        for flags, message in (
            (["--server", "http://localhost:50051"], "has a scheme, expected host:port alone"),
            (["--cert", "client.crt"], "found cert without key, expected both"),
            (["--api-key-file", "/nowhere/key"], "No such file or directory: '/nowhere/key'"),
            (["--sever", "localhost:1"], "unrecognized arguments: --sever"),
        ):
            result = subprocess.run(PROGRAM + flags, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=60)
            self.assertEqual(result.returncode, 2)
            self.assertIn(message, result.stderr)


class ManyPairs(unittest.TestCase):
    class Client:
        """A server of a model with 300 pairs, and one that takes any source."""

        async def languages(self, model):
            response = pb.ListLanguagesResponse()
            for i in range(300):
                response.pairs.add(source_language_code=f"s{i % 3}", target_language_code=f"t{i}")
            response.pairs.add(target_language_code="en")
            return response

    def ask(self, **arguments):
        tools = Tools(self.Client())
        return asyncio.run(tools._languages(LanguagesArguments.model_validate(arguments)))

    def test_a_list_that_would_fill_a_context_is_cut_and_says_so(self):
        result = self.ask()
        self.assertEqual(len(result.structured_content["pairs"]), MAX_PAIRS)
        self.assertEqual(result.structured_content["pair_count"], 301)
        self.assertTrue(result.content[0].text.endswith("and 101 more pairs: ask for those of one language, with from or to"))

    def test_from_and_to_narrow_it(self):
        self.assertEqual(self.ask(**{"from": "s1"}).structured_content["pair_count"], 101)
        self.assertEqual(self.ask(to="en").content[0].text, "any language to en")
        self.assertEqual(self.ask(**{"from": "s1", "to": "t1"}).structured_content["pairs"], [{"source": "s1", "target": "t1"}])
        self.assertEqual(self.ask(to="xx").content[0].text, "There is no such pair of languages.")


if __name__ == "__main__":
    unittest.main()
