"""`dragoman mcp` with the reference client of the Model Context Protocol, by every revision that both know."""

import asyncio
import unittest

import mcp_types
from dragoman import Client as DragomanClient
from harness import CLIENT, ROOT, Daemon
from mcp import Client, MCPError, StdioServerParameters


class Mcp(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon()
        cls.addClassCleanup(cls.daemon.kill)
        cls.server = StdioServerParameters(command=CLIENT, args=["mcp", "--server", cls.daemon.grpc])

    def run_with_client(self, mode, check):
        async def run():
            async with Client(self.server, mode=mode, read_timeout_seconds=60) as client:
                await check(client)

        asyncio.run(asyncio.wait_for(run(), 120))

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
            with DragomanClient(self.daemon.grpc) as grpc_client:
                expected = [each.text for each in grpc_client.translate(arguments["texts"], to="en")]
            self.assertEqual(texts, expected)
            self.assertEqual([item["text"] for item in result.structured_content["translations"]], texts)
            self.assertEqual(done, [(1, 2), (2, 2)])
            pairs = await client.call_tool("languages", {})
            self.assertEqual(pairs.structured_content["pairs"], [{"source": "de", "target": "en"}])
            self.assertFalse((await client.call_tool("glossaries", {})).is_error)

        for mode in ("legacy", "auto", "2026-07-28"):
            with self.subTest(mode):
                self.run_with_client(mode, check)

    def test_what_is_wrong_reaches_the_model_or_the_program(self):
        async def check(client):
            result = await client.call_tool("translate", {"text": "Hallo", "model": "x"})
            self.assertTrue(result.is_error)
            self.assertEqual(result.content[0].text, "NOT_FOUND: model: found 'x', expected one of de-en")
            result = await client.call_tool("translate", {"txet": "Hallo"})
            self.assertTrue(result.is_error)
            with self.assertRaises(MCPError) as raised:
                await client.call_tool("sing", {})
            self.assertEqual(raised.exception.code, mcp_types.INVALID_PARAMS)

        for mode in ("legacy", "auto"):
            with self.subTest(mode):
                self.run_with_client(mode, check)

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
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            while cancelled() == calls:
                await asyncio.sleep(0.01)
            self.assertFalse((await client.call_tool("languages", {})).is_error)

        for mode in ("legacy", "auto"):
            with self.subTest(mode):
                self.run_with_client(mode, check)

    def test_auto_takes_the_newest_revision(self):
        async def check(client):
            self.assertEqual(client.protocol_version, "2026-07-28")

        self.run_with_client("auto", check)


if __name__ == "__main__":
    unittest.main()
