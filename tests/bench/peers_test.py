#!/usr/bin/env python3
"""What peers.sh does without its peers: results, turns, reports. Needs Python's standard library only; takes a second."""
import json
import os
import sys
import tempfile
import types
import unittest
import xml.etree.ElementTree

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "../attack")]
sys.dont_write_bytecode = True

from peers import libretranslate
from peers.parts import Turns
from peers.results import Results
from peers.worker import PeerFailed

RUN = dict(date="2000-01-01", machine=dict(cpu="C", processors=2, flags="avx2", load=0.5), versions={"x": "1"}, command="c")


def contestant(name, ours=False):
    return types.SimpleNamespace(name=name, type="float32", ours=ours, setting="defaults")


class FolderTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        out, sys.stdout = sys.stdout, open(os.devnull, "w")
        self.addCleanup(setattr, sys, "stdout", out)
        self.addCleanup(sys.stdout.close)

    def stem(self):
        return os.path.join(self.folder, "r")

    def derived(self, kind):
        with open(f"{self.stem()}.json", encoding="utf-8") as f:
            return [row for row in map(json.loads, f) if row["kind"] == kind]


class ResultsTest(FolderTest):
    def measured(self, values):
        results = Results(self.stem(), RUN)
        results.begin("throughput", "bundled", 4)
        for name, speeds in values.items():
            for number, speed in enumerate(speeds):
                results.measured(contestant(name, name == "Dragoman"), "texts/s", speed, number)
        return results

    def test_ratio_is_of_medians(self):
        self.measured({"Dragoman": [30, 10, 20], "peer": [10, 40, 5]})
        self.assertEqual([(r["of"], r["to"], r["ratio"]) for r in self.derived("ratio")], [("Dragoman", "peer", 2.0)])

    def test_measuring_again_replaces_that_part_alone(self):
        first = self.measured({"Dragoman": [1]})
        first.begin("throughput", "bundled", 1)
        first.measured(contestant("Dragoman", True), "texts/s", 7, 0)
        self.measured({"Dragoman": [2, 3]})
        self.assertEqual(sorted((r["beam"], r["value"]) for r in self.derived("measurement")), [(1, 7), (4, 2), (4, 3)])
        self.assertEqual(len(self.derived("run")), 2)

    def test_failures_are_in_table_and_picture(self):
        results = self.measured({"Dragoman": [2]})
        results.add("failure", contestant="peer", type="int8", ours=False, error="out of <memory>")
        paths = results.write_report()
        self.assertIn("| peer |  | FAILED |  |  | 0 |  | out of <memory> |", results.table())
        xml.etree.ElementTree.parse(paths[-1])


class TurnsTest(FolderTest):
    def test_who_fails_is_out_and_the_others_go_on(self):
        failed, ran = [], []
        results = Results(self.stem(), RUN)
        bench = types.SimpleNamespace(results=results, options=types.SimpleNamespace(rounds=3),
                                      failed=lambda c, e: failed.append((c.name, str(e))))
        those = [contestant("a"), contestant("b")]
        for c in those:
            c.stop = lambda: None

        def measure(c, number):
            ran.append(c.name)
            if c.name == "a" and number == 1:
                raise PeerFailed("no")

        with Turns(bench, "latency", types.SimpleNamespace(name="bundled"), 4, those) as turns:
            turns.rounds(measure)
        self.assertEqual(failed, [("a", "no")])
        self.assertEqual("".join(ran), "abbab")


class LibreTranslateTest(unittest.TestCase):
    REPORT = dict(sent=40, ok=40, seconds=2.0, latency_ms=dict(p50=3.0, p99=9.0), first_error="")

    def test_a_report_is_texts_in_the_time_of_all(self):
        self.assertEqual(libretranslate.read_report(self.REPORT), (20.0, 3.0, 9.0))

    def test_a_call_without_a_translation_fails_the_contestant(self):
        for wrong in (dict(ok=39, first_error="UNKNOWN: status 500"), dict(sent=0, ok=0)):
            with self.assertRaisesRegex(PeerFailed, "were answered"):
                libretranslate.read_report({**self.REPORT, **wrong})


if __name__ == "__main__":
    unittest.main()
