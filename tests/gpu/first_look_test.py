#!/usr/bin/env python3
"""The first look at a card (bundle/first.sh) with scripts in the place of the bundle's programs: what runs in which
order and with what off, what the page says, and that nothing stops the rest."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
PASSED = 'echo "1 passed, 0 failed"'
HANGS = 'exec tail -f /dev/null'
TYPES = ('float32', 'float16', 'bfloat16')
ENGINES = (*(f'invariance_{kind}' for kind in TYPES), *(f'engine_{kind}' for kind in TYPES), 'engine_memory')
# Each says in calls.txt what it was asked, and with what off.
STAND_IN = '''#!/bin/bash
echo "$(basename "$0") $* off=${DRAGOMAN_CUDA_OFF:-}" >>"$CALLS"
off=,${DRAGOMAN_CUDA_OFF:-},
%s
'''


def passing(test):
    return f'echo "[ RUN      ] {test}"; echo "[       OK ] {test} (0 ms)"; echo "[  PASSED  ] 1 test."'


def failing(test):
    return (f'echo "[ RUN      ] {test}"; echo "[  FAILED  ] {test}, where GetParam() = 4 (0 ms)"; '
            'echo "[  PASSED  ] 0 tests."; echo "[  FAILED  ] 1 test, listed below:"; exit 1')


class FirstLook(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        self.bundle = self.root / 'bundle'
        self.calls = self.root / 'calls.txt'
        self.calls.touch()
        (self.bundle / 'bin' / 'test').mkdir(parents=True)
        (self.root / 'path').mkdir()
        for script in ('first.sh', 'common.sh'):
            shutil.copy(HERE / 'bundle' / script, self.bundle)
        (self.bundle / 'build.txt').write_text('commit 123abc\nbuilt today\n')
        self.bench = {
            'machine': 'echo "cuda:0 NVIDIA H100 80GB HBM3, compute capability 9.0, 132 multiprocessors"',
            'graph_step': 'echo "  4096     on     80     1500.0     1620.0      0.93"; ' + PASSED,
            'throughput': 'echo "float16, 4096 rows, beam 4: 18000 sentences/s"; ' + PASSED,
            'one_sentence': 'echo "one sentence alone, float16, beam 4: 7.20 ms"; ' + PASSED,
            'graph_step_quantized': PASSED, 'graph_step_4096': PASSED, 'graph_step_4': PASSED}
        self.write('test/kernels_a_test', passing('A.Works'))
        self.write('test/kernels_b_test', passing('B.Works'))
        self.write('test/gpu_engine_test', passing('EngineInvariance.Holds'))

    def write(self, name, body, folder=None):
        path = (folder or self.bundle / 'bin') / name
        path.write_text(STAND_IN % body)
        path.chmod(0o755)

    def look(self, *arguments, seconds='60', code=0):
        # The last argument names the part of gpu_bench.
        cases = '\n'.join(f'  {part}) {body} ;;' for part, body in self.bench.items())
        self.write('gpu_bench', f'case "${{@: -1}}" in\n{cases}\nesac')
        ran = subprocess.run(
            [self.bundle / 'first.sh', *(arguments or (self.root / 'out', seconds))], text=True, capture_output=True,
            check=False, env={'PATH': f'{self.root / "path"}:/usr/bin:/bin', 'CALLS': str(self.calls),
                              'HOME': str(self.root)})
        self.assertEqual(ran.returncode, code, ran.stdout + ran.stderr)
        return ran

    def page(self):
        return (self.root / 'out' / 'first.txt').read_text()

    def table(self):
        return re.findall(r'^\| (\w+) \| (.*) \| \d+ \|$', self.page(), re.M)

    def asked(self, program):
        """What was off in each run of a program or part, in order."""
        lines = self.calls.read_text().splitlines()
        return [re.search(r'off=(\S*)', line)[1] for line in lines if re.search(rf'^(\S* )*{program}\b', line)]

    def test_runs_the_most_telling_part_first_and_shows_the_figures(self):
        ran = self.look()
        self.assertTrue(ran.stdout.endswith('13 passed, 0 failed\n'), ran.stdout)
        parts = ('kernels_a_test', 'kernels_b_test', *ENGINES, 'graph_step', 'throughput', 'one_sentence',
                 'graph_step_quantized')
        self.assertEqual(self.table(), [
            *((part, '1 passed') for part in parts), ('ncu', 'skipped, it is not on this machine')])
        page = self.page()
        self.assertTrue(page.startswith('# First look: NVIDIA H100 80GB HBM3\n'))
        for text in ('* commit 123abc', 'Nothing failed so far', '1500.0     1620.0      0.93', '18000 sentences/s',
                     '7.20 ms'):
            self.assertIn(text, page)
        self.assertEqual(self.asked('gpu_bench graph_step'), [''])
        self.assertIn('cuda:0 NVIDIA H100', (self.root / 'out' / 'machine.txt').read_text())

    def test_a_part_that_hangs_or_fails_stops_nothing(self):
        # Once it was killed, the card is there when it is asked for the third time.
        asked = self.root / 'asked'
        self.write('test/kernels_a_test', f'[[ ! -e "{asked}" || -e "{self.root}/waited" ]] || wc -l <"{asked}" >"{self.root}/waited"; '
                                          f'touch "{asked}"; echo "[ RUN      ] A.Hangs"; {HANGS}')
        self.bench['machine'] = (f'if [[ -e "{asked}" ]]; then echo >>"{asked}"; fi; '
                                 f'if [[ $(wc -l <"{asked}") == [12] ]]; then exit 1; fi; {self.bench["machine"]}')
        self.write('test/kernels_b_test', 'kill -SEGV $$')
        self.bench['throughput'] = 'exit 3'
        ran = self.look(code=1)
        results = dict(self.table())
        self.assertEqual(results['kernels_a_test'], '**failed**, stopped at its limit of 4 s')
        self.assertIn('**failed**, status 139', results['kernels_b_test'])
        self.assertEqual(results['invariance_float32'], '1 passed')
        self.assertEqual(results['throughput'], '**failed**, status 3')
        self.assertEqual(results['one_sentence'], '1 passed')
        self.assertTrue(ran.stdout.endswith('10 passed, 3 failed\n'), ran.stdout)
        self.assertEqual((self.root / 'waited').read_text(), '3\n')
        # Kernels know one switch; the test that hung is tried alone.
        self.assertIn('kernels_a_test --gtest_brief=0 --gtest_filter=-*Emulated* --gtest_filter=A.Hangs off=early-launch',
                      self.calls.read_text())
        self.assertEqual(self.asked('kernels_a_test'), ['', '', 'early-launch'])
        self.assertEqual(self.asked('gpu_bench throughput'), [
            '', 'early-launch', 'fused-output', 'graphs', 'few-rows', 'bucket-algorithms',
            'early-launch,fused-output,graphs,few-rows,bucket-algorithms'])
        self.assertEqual(self.asked('gpu_bench one_sentence'), [''])
        self.assertIn('throughput fails with each of these off, too: early-launch; fused-output; graphs; few-rows; '
                      'bucket-algorithms; all.', self.page())

    def test_what_is_only_slow_is_no_switch_s_fault(self):
        self.write('test/kernels_a_test',
                   f'if [[ "$*" == *A.Slow* ]]; then {passing("A.Slow")}; else echo "[ RUN      ] A.Slow"; {HANGS}; fi')
        self.look(code=1)
        self.assertEqual(self.asked('kernels_a_test'), ['', ''])
        self.assertIn('kernels_a_test ran out of time: what was running then passes by itself.', self.page())
        self.assertEqual(self.asked('gpu_bench graph_step'), [''])

    def test_the_switch_that_helps_stays_off(self):
        self.write('test/gpu_engine_test',
                   f'if [[ $off == *,graphs,* || "$*" == *:-* ]]; then {passing("E.X")}; else {failing("E.X")}; fi')
        self.bench['throughput'] = f'[[ $off == *,few-rows,* ]] || exit 1; {PASSED}'
        self.look(code=1)
        # All began with nothing off. The other two that failed run again with what helped the first, and the last.
        self.assertEqual(self.asked('gpu_engine_test'), 6 * [''] + ['early-launch', 'fused-output'] + 4 * ['graphs'])
        self.assertIn("--gtest_filter=E.X off=graphs", self.calls.read_text())
        self.assertEqual(self.asked('gpu_bench graph_step'), ['graphs'])
        # A second fault is looked for beside the first.
        self.assertEqual(self.asked('gpu_bench throughput'), [
            'graphs', 'graphs,early-launch', 'graphs,fused-output', 'graphs,few-rows'])
        self.assertEqual(self.asked('gpu_bench one_sentence'), ['graphs,few-rows'])
        page = self.page()
        self.assertIn('**invariance_float32 passes with graphs off**', page)
        self.assertIn('`DRAGOMAN_CUDA_OFF=graphs,few-rows`', page)
        self.assertEqual(dict(self.table())['engine_float16'], '1 passed')
        for part, without in (('invariance_float16', 'graphs'), ('one_sentence', 'graphs,few-rows')):
            self.assertEqual(dict(self.table())[part], f'1 passed, without {without}')

    def test_tests_run_together_one_on_each_core(self):
        self.write('nproc', 'echo 2', self.root / 'path')
        os.mkfifo(self.root / 'meet')
        self.write('test/kernels_a_test', f'read <"{self.root}/meet"; {passing("A.Met")}')
        self.write('test/kernels_b_test', f'echo >"{self.root}/meet"; {passing("B.Met")}')
        self.look()
        self.write('nproc', 'echo 1', self.root / 'path')
        for test in ('kernels_a_test', 'kernels_b_test', 'gpu_engine_test'):
            self.write(f'test/{test}', f'mkdir "{self.root}/alone" || exit 1; {passing("A.Alone")}; '
                                       f'rmdir "{self.root}/alone"')
        self.look()

    def test_the_page_has_each_result_as_soon_as_it_is_there(self):
        self.bench['one_sentence'] = f'cp "{self.root}/out/first.txt" "{self.root}/meanwhile.md"; {PASSED}'
        self.look()
        meanwhile = (self.root / 'meanwhile.md').read_text()
        self.assertIn('| throughput | 1 passed |', meanwhile)
        self.assertIn('18000 sentences/s', meanwhile)
        self.assertNotIn('one_sentence', meanwhile)

    def test_profiles_six_kernels_and_leaves_the_clocks_alone(self):
        self.write('ncu', 'echo "  FusedOutputKernel (1, 1, 1)x(384, 1, 1), Context 1"; '
                          'echo "    L2 Cache Throughput  %  87"; echo "    Other  %  1"', self.root / 'path')
        self.look()
        calls = [line for line in self.calls.read_text().splitlines() if line.startswith('ncu ')]
        self.assertEqual(len(calls), 2)
        # Two of the seven are the fused output layer, of which a card has one.
        self.assertEqual(len(set(re.findall(r'\w+Kernel', ' '.join(calls)))), 7)
        self.assertIn('--launch-skip 283', calls[0])
        for call in calls:
            self.assertIn('--clock-control none', call)
            self.assertIn('off=graphs,early-launch', call)
        self.assertIn('L2 Cache Throughput  %  87', self.page())
        self.assertNotIn('Other  %', self.page())

    def test_profiles_the_fold_of_materialized_logits_where_the_output_layer_is_not_fused(self):
        self.write('ncu', PASSED, self.root / 'path')
        for capability in ('7.5', '10.0'):
            self.bench['machine'] = f'echo "cuda:0 Card, compute capability {capability}, 40 multiprocessors"'
            self.calls.write_text('')
            self.look()
            call = next(line for line in self.calls.read_text().splitlines() if line.startswith('ncu '))
            self.assertIn('regex:FoldMaterializedKernel|', call)
            self.assertIn('--launch-skip 280', call)
            self.assertNotIn('Fused', call)

    def test_ends_in_its_time_and_names_what_did_not_run(self):
        # A part begins while three seconds are left, and the first takes one of them.
        self.write('test/kernels_a_test', HANGS)
        self.look(seconds='3', code=1)
        for part in (*ENGINES, 'graph_step', 'throughput', 'one_sentence', 'graph_step_quantized'):
            self.assertEqual(dict(self.table())[part], '**not run**, the time is up')

    def test_what_was_skipped_has_not_passed(self):
        skipped = 'echo "[  PASSED  ] 0 tests."; echo "[  SKIPPED ] 3 tests, listed below:"'
        self.write('test/gpu_engine_test', skipped)
        self.look()
        self.assertEqual(dict(self.table())['invariance_float16'], '**nothing ran**, 3 skipped')
        self.assertIn('* invariance_float16: **nothing ran**, 3 skipped.', self.page())
        self.assertNotIn('Nothing failed so far', self.page())

    def test_without_a_card_no_switch_is_tried(self):
        self.bench['machine'] = 'echo "no CUDA device: no driver"; exit 1'
        self.bench['throughput'] = 'exit 1'
        self.look(code=1)
        self.assertEqual(self.asked('gpu_bench throughput'), [''])
        self.assertTrue(self.page().startswith('# First look: no card'))

    def test_refuses_what_is_no_time(self):
        ran = self.look(self.root / 'out', '9.5m', code=2)
        self.assertIn("found '9.5m' seconds, expected a number", ran.stderr)
        self.assertFalse((self.root / 'out').exists())
        self.look(self.root / 'out', '0', code=2)


if __name__ == '__main__':
    unittest.main()
