#!/usr/bin/env python3
"""The gate of ptxas_report.py fails when it should: on reports as ptxas writes them, and, where there is
a compiler (DRAGOMAN_NVCC), on a kernel that is made to spill."""
import contextlib
import io
import json
import os
import subprocess
import tempfile
import unittest

import ptxas_report
from planted_kernels import SPILLS

SYMBOL = ('_ZN8dragoman4cuda53_GLOBAL__N__db5f2c91_20_output_layer_sm90_cu_cd87c103'
          '17FusedOutputKernelI6__halfLi4EEEv14CUtensorMap_stS4_NS1_9FusedArgsE')
BUDGET = {'FusedOutputKernel': {'registers': {'90a': 168}}}


def report(symbol=SYMBOL, architecture='90a', registers=168, stack=0, spill=0, cumulative=None):
    used = f'Used {registers} registers, used 1 barriers'
    if cumulative is not None:
        used += f', {cumulative} bytes cumulative stack size'
    return (f"ptxas info    : Compiling entry function '{symbol}' for 'sm_{architecture}'\n"
            f'ptxas info    : Function properties for {symbol}\n'
            f'    {stack} bytes stack frame, {spill} bytes spill stores, {spill} bytes spill loads\n'
            f'ptxas info    : {used}\n')


class PtxasReport(unittest.TestCase):
    def run_on(self, *reports, budgets=None):
        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, 'budgets.json')]
            with open(paths[0], 'w', encoding='utf8') as file:
                json.dump(BUDGET if budgets is None else budgets, file)
            for number, text in enumerate(reports):
                paths.append(os.path.join(folder, f'{number}.ptxas'))
                if text is None:
                    continue
                with open(paths[-1], 'w', encoding='utf8') as file:
                    file.write(text)
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                status = ptxas_report.main(paths)
            return status, out.getvalue()

    def expect_failure(self, words, *reports, budgets=None):
        status, out = self.run_on(*reports, budgets=budgets)
        self.assertEqual(status, 1, out)
        self.assertIn(words, out)

    def test_names(self):
        for symbol, name in ((SYMBOL, 'FusedOutputKernel'), ('_Z3foov', 'foo'), ('foo', 'foo'),
                             ('_ZN1a3barILi3EEEvi', 'bar')):
            self.assertEqual(ptxas_report.kernel_name(symbol), name)

    def test_passes_within_the_budget(self):
        status, out = self.run_on(report(), report('_ZN1a5OtherEv', registers=255, spill=8))
        self.assertEqual(status, 0, out)
        self.assertIn('no budget', out)

    def test_registers(self):
        self.expect_failure('169 registers, budget 168', report(registers=169))

    def test_the_worst_instance_counts(self):
        self.expect_failure('12 bytes of spills', report(spill=12) + report(SYMBOL[:-1] + 'iE'))

    def test_stack(self):
        self.expect_failure('16 bytes of stack', report(stack=16))
        self.expect_failure('24 bytes of stack', report(cumulative=24))

    def test_a_spill_may_have_a_budget(self):
        budgets = {'FusedOutputKernel': {'registers': {'90a': 168}, 'spill': 8, 'stack': 8}}
        self.assertEqual(self.run_on(report(spill=8, stack=8), budgets=budgets)[0], 0)
        self.expect_failure('9 bytes of spills', report(spill=9), budgets=budgets)

    def test_serialised_products(self):
        line = ('ptxas info    : (C7515) Potential Performance Loss: wgmma.mma_async instructions are '
                f"serialized due to wgmma pipeline crossing function boundary in function '{SYMBOL}'\n")
        self.expect_failure('FusedOutputKernel: C7515', line + report())

    def test_ignored_registers(self):
        self.expect_failure(
            'C7508', report() + "ptxas info    : (C7508) Potential Performance Loss: 'setmaxnreg' "
            'ignored to maintain minimum register requirements.\n')

    def test_a_kernel_that_is_gone(self):
        other = report('_ZN1a5OtherEv')
        self.expect_failure('FusedOutputKernel: not compiled for sm_90a', other)
        # Of an architecture that the build does not have, nothing is expected.
        self.assertEqual(self.run_on(report('_ZN1a5OtherEv', '80'))[0], 0)

    def test_an_architecture_without_a_budget(self):
        self.expect_failure('no budget for sm_100a', report() + report(architecture='100a'))

    def test_reports_that_say_nothing(self):
        self.expect_failure('no kernel at all', 'ptxas info    : 0 bytes gmem\n')
        self.expect_failure('is everything built', report(), None)

    @unittest.skipUnless(os.environ.get('DRAGOMAN_NVCC'), 'no CUDA compiler')
    def test_a_kernel_that_is_made_to_spill(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'spills.cu')
            with open(path, 'w', encoding='utf8') as file:
                file.write(SPILLS)

            def compile_with(registers):
                return subprocess.run(
                    [os.environ['DRAGOMAN_NVCC'], '-O3', f'-maxrregcount={registers}', '-Xptxas', '-v',
                     '-gencode=arch=compute_90a,code=sm_90a', '-c', path, '-o',
                     os.path.join(folder, 'spills.o')],
                    check=True, capture_output=True, text=True).stderr

            budgets = {'Spills': {'registers': {'90a': 255}}}
            self.expect_failure('bytes of spills', compile_with(24), budgets=budgets)
            status, out = self.run_on(compile_with(255), budgets=budgets)
            self.assertEqual(status, 0, out)


if __name__ == '__main__':
    unittest.main()
