"""The arithmetic of sizing.py."""
import unittest

import sizing


class Sizing(unittest.TestCase):
    FULL = dict(seconds=20, characters=40_000, cpu=32, resident=140)

    def row(self, **more):
        made = sizing.figures({"latency_ms": {"p99": 900}}, self.FULL, {"latency_ms": {"p99": 120}, "ok": 77}, 80)
        return dict(model="bundled", type="int8", workers=2, **made, **more)

    def test_rates_are_of_processor_time_and_cost_of_what_is_reserved(self):
        row = self.row()
        self.assertEqual(row["characters_per_core_second"], 1250)
        self.assertEqual(row["characters_per_second"], 2000)
        self.assertEqual(row["cores_used"], 1.6)
        self.assertAlmostEqual(row["core_hours_per_million"], 1e6 / 875 / 3600)
        self.assertEqual((row["p99_ms"], row["p99_full_ms"], row["rest_mib"], row["load_mib"]), (120, 900, 80, 140))

    def test_slow_calls_are_measured_for_longer(self):
        self.assertEqual(sizing.window(20, 0.5), (10, 20))
        self.assertEqual(sizing.window(20, 15), (30, 75))

    def test_errors_are_the_median_and_the_worst_of_all_rows_with_a_plan(self):
        plans = [dict(characters_per_core_second=1250 * x, rest_mib=80, load_mib=140 * x) for x in (0.9, 1.02, 1.3)]
        errors = sizing.errors([*(self.row(plan=plan) for plan in plans), self.row()])
        self.assertAlmostEqual(errors["characters_per_core_second"][0], 0.1)
        self.assertAlmostEqual(errors["load_mib"][1], 0.3)
        self.assertEqual(errors["rest_mib"], (0, 0))

    def test_the_table_has_a_line_for_each_row(self):
        lines = sizing.table([self.row()]).splitlines()
        self.assertEqual(lines[2], "| bundled (6.8 M), int8, 2 | 1,250 | 80; 140 | 120 | 0.317 |")


if __name__ == "__main__":
    unittest.main()
