#!/usr/bin/env python3
"""What serving_sweep.py makes of the reports of several clients, and of the times of threads. Needs no daemon."""
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

import daemon
import serving_sweep


def report(rate, p50, p99, **errors):
    return dict(sentences_per_second=rate, sent=10, ok=10 - sum(errors.values()), refused=sum(errors.values()), errors=errors,
                item_errors={}, latency_ms=dict(p50=p50, p99=p99), send_delay_ms=dict(p99=1.0))


class Together(unittest.TestCase):
    def test_calls_and_errors_add_up_and_the_longest_p99_counts(self):
        found = serving_sweep.together([report(5.0, 10, 40, RESOURCE_EXHAUSTED=2), report(7.0, 20, 30, RESOURCE_EXHAUSTED=1)])
        self.assertEqual((found["sentences_per_second"], found["sent"], found["ok"], found["refused"]), (12.0, 20, 17, 3))
        self.assertEqual(found["errors"], {"RESOURCE_EXHAUSTED": 3})
        self.assertEqual(found["latency_ms"], {"p50": 15, "p99": 40})


class Threads(unittest.TestCase):
    def test_those_of_a_name_are_together_and_idle_ones_left_out(self):
        before = {"1": ("decode", 1.0), "2": ("text", 0.0)}
        after = {"1": ("decode", 3.0), "2": ("text", 0.5), "3": ("text", 1.0), "4": ("idle", 0.0)}
        self.assertEqual(daemon.busy_threads(before, after, 2.0), {
            "decode": {"all": 1.0, "busiest": 1.0, "threads": 1},
            "text": {"all": 0.75, "busiest": 0.5, "threads": 2},
        })

    def test_a_thread_has_the_name_of_its_process(self):
        with subprocess.Popen(["sleep", "60"]) as process:
            try:
                (name, seconds), = daemon.thread_seconds(process).values()
            finally:
                process.kill()
        self.assertEqual((name, seconds >= 0), ("sleep", True))


if __name__ == "__main__":
    unittest.main()
