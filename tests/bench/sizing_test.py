"""The arithmetic of sizing.py."""
import unittest

import sizing


class Sizing(unittest.TestCase):
    # 96 calls of 50 characters in flight, 2.4 s each.
    REPORT = {"latency_ms": {"p99": 3000, "mean": 2400}, "sentences": 300, "characters": 15_000}
    FULL = dict(cores=1.6, resident=140)

    def row(self, **more):
        made = sizing.figures(96, self.REPORT, self.FULL, {"latency_ms": {"p99": 120}, "ok": 77}, 80)
        return dict(model="bundled", type="int8", workers=2, **made, **more)

    def test_rates_are_of_processor_time_and_cost_of_what_is_reserved(self):
        row = self.row()
        self.assertEqual(row["characters_per_core_second"], 1250)
        self.assertEqual(row["characters_per_second"], 2000)
        self.assertEqual(row["cores_used"], 1.6)
        self.assertAlmostEqual(row["core_hours_per_million"], 1e6 / 875 / 3600)
        self.assertEqual((row["p99_ms"], row["p99_full_ms"], row["rest_mib"], row["load_mib"]), (120, 3000, 80, 140))

    def test_slow_calls_are_measured_for_longer(self):
        self.assertEqual(sizing.window(20, 0.5), (10, 20))
        self.assertEqual(sizing.window(20, 15), (30, 75))

    def test_errors_are_of_the_mean_of_two_plans(self):
        def plan(share):
            return dict(characters_per_core_second=1250 * share, rest_mib=80, load_mib=140)
        off, apart = sizing.errors([self.row(plans=[plan(1.0), plan(1.2)])])["characters_per_core_second"]
        self.assertAlmostEqual(off[0], 0.1)
        self.assertAlmostEqual(apart[0], 0.2)
        self.assertEqual(sizing.errors([self.row(plans=[plan(1), plan(2)])])["rest_mib"], ([0], [0]))
        self.assertEqual(sizing.median_and_worst([0.01, 0.02, 0.3]), "2.0 % (median), 30.0 % (worst)")

    def test_the_table_has_a_line_for_each_row(self):
        lines = sizing.table([self.row()]).splitlines()
        self.assertEqual(lines[2], "| bundled (6.8 M), int8, 2 | 1,250 | 80; 140 | 120 | 0.317 |")


if __name__ == "__main__":
    unittest.main()
