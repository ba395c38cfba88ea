#!/usr/bin/env python3
"""The arithmetic of neighbours.py, and its clients. Needs Python's standard library only; takes a second."""
import http.server
import os
import sys
import threading
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

import neighbours


class Arithmetic(unittest.TestCase):
    def test_each_pair_has_a_turn_in_each_round_and_another_load_begins(self):
        order = neighbours.turns(["x", "y"], ["a", "b"], 2)
        self.assertEqual(order, [(0, "x", "a"), (0, "x", "b"), (0, "y", "a"), (0, "y", "b"),
                                 (1, "y", "a"), (1, "y", "b"), (1, "x", "a"), (1, "x", "b")])

    def test_quantiles_are_values_that_were_measured(self):
        self.assertEqual([neighbours.quantile(range(1, 101), share) for share in (50, 99)], [50, 99])
        self.assertEqual(neighbours.quantile([7.0], 99), 7.0)
        self.assertEqual(neighbours.quantile([3, 1, 2], 99), 3)

    def test_a_list_is_as_long_as_a_request_may_be(self):
        texts = neighbours.full_list(["Guten Tag."] * 4000)
        self.assertEqual(len(texts), neighbours.ITEMS)
        self.assertLessEqual(sum(map(len, texts)), neighbours.CODE_POINTS)
        self.assertTrue(all(texts))

    def test_detection_is_all_that_differs(self):
        auto, named = (neighbours.request_of(load, ["x"]) for load in ("auto", "named"))
        self.assertEqual((auto[0], auto[1]["sourceLanguageCode"]), ("/v1/translate", "auto"))
        self.assertEqual({**auto[1], "sourceLanguageCode": "de"}, named[1])


class HogsTest(unittest.TestCase):
    def test_they_come_from_another_address_until_the_end(self):
        peers = set()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                peers.add(self.client_address[0])
                self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
            threading.Thread(target=server.serve_forever).start()
            with neighbours.Hogs(f"127.0.0.1:{server.server_port}", "/x", {}, 3) as hogs:
                end = time.monotonic() + 30
                while sum(hogs.statuses.values()) < 20 and time.monotonic() < end:
                    time.sleep(0.001)
            asked = dict(hogs.statuses)
            server.shutdown()
        self.assertEqual((peers, list(asked)), ({neighbours.HOG_ADDRESS}, [200]))
        self.assertGreaterEqual(asked[200], 20)
        self.assertFalse(any(thread.is_alive() for thread in hogs.threads))


if __name__ == "__main__":
    unittest.main()
