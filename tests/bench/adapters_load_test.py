#!/usr/bin/env python3
"""The arithmetic of adapters_load.py. Needs Python's standard library only; takes a second."""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

import adapters_load

REPORT = dict(sent=100, ok=100, item_errors={}, errors={}, first_error="", sentences_per_second=50.0,
              latency_ms=dict(p50=3.0, p99=9.0), client_cpu_seconds=0.5)


def record(number, idle, way, speed, **others):
    return dict(dict.fromkeys(adapters_load.COLUMNS, 1.0), round=number, idle=idle, way=way, texts_per_second=speed, **others)


class Arithmetic(unittest.TestCase):
    def test_each_pair_has_a_turn_in_each_round_and_another_begins(self):
        order = adapters_load.turns(["a", "b", "c"], [0, 9], 3)
        for number in range(3):
            pairs = [(idle, name) for n, idle, name in order if n == number]
            self.assertEqual(sorted(pairs), [(idle, name) for idle in (0, 9) for name in "abc"])
        self.assertEqual([order[6 * number][1:] for number in range(3)], [(0, "a"), (9, "b"), (0, "c")])

    def test_a_record_has_shares_of_a_processor(self):
        kept = adapters_load.record_of(REPORT, dict(at=10.0, cpu=1.0), dict(at=12.0, cpu=4.0))
        self.assertEqual((kept["texts_per_second"], kept["p50_ms"], kept["p99_ms"], kept["calls"]), (50.0, 3.0, 9.0, 100))
        self.assertEqual((kept["client_cpu"], kept["daemon_cpu"]), (0.25, 1.5))

    def test_a_call_that_failed_fails_the_measurement(self):
        for wrong in (dict(ok=99), dict(sent=0, ok=0), dict(item_errors=dict(INTERNAL=1))):
            with self.assertRaisesRegex(RuntimeError, "were answered"):
                adapters_load.record_of({**REPORT, **wrong}, dict(at=0, cpu=0), dict(at=1, cpu=0))

    def test_medians_leave_out_what_failed(self):
        records = [record(n, 0, "a", speed) for n, speed in enumerate((10, 30, 20))]
        records.append(dict(round=3, idle=0, way="a", failure="x"))
        records.append(record(0, 5, "a", 7))
        found = adapters_load.medians(records)
        self.assertEqual({key: row["texts_per_second"] for key, row in found.items()}, {(0, "a"): 20, (5, "a"): 7})

    def test_ratios_are_within_a_round(self):
        records = [record(0, 0, "a", 10), record(0, 0, "b", 5), record(1, 0, "a", 90), record(1, 0, "b", 30),
                   record(0, 7, "a", 8), record(0, 7, "b", 8), record(1, 7, "b", 1),
                   dict(round=1, idle=7, way="a", failure="x")]
        self.assertEqual(adapters_load.ratios(records, "a", "b", "texts_per_second"), (2.0, 1.0, 3.0))
        self.assertIsNone(adapters_load.ratios(records[:1], "a", "b", "texts_per_second"))


if __name__ == "__main__":
    unittest.main()
