#!/usr/bin/env python3
"""The gate of machine_code.py fails when it should: on listings as cuobjdump writes them, and, where
there are a compiler (DRAGOMAN_NVCC) and a cuobjdump (DRAGOMAN_CUOBJDUMP), on kernels that break the
rules, and on the same ones made well."""
import contextlib
import io
import json
import os
import subprocess
import tempfile
import unittest

import machine_code
from planted_kernels import SPILLS

SYMBOL = '_ZN8dragoman4cuda17FusedOutputKernelI6__halfLi4EEEvi'
WAIT = 'SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR10], R22'
PRODUCT = 'HGMMA.64x256x16.F32 R24, gdesc[UR16], R24, UP0'
GOOD = ['BSSY B0, 0x100', 'BSYNC B0', WAIT, '@P0 BRA 0x30', WAIT, 'WARPGROUP.ARRIVE', PRODUCT, 'NOP',
        PRODUCT, 'WARPGROUP.DEPBAR.LE gsb0, 0x1', 'BSSY B0, 0x200', 'EXIT']
BUDGET = {'FusedOutputKernel': {'warps': {'90a': 12}, 'code': {'90a': {'HGMMA': 2}}}}
# For kernels whose loads are not what the test is about.
ANY_LOADS = dict.fromkeys(('loads', 'waits', 'wide loads', 'wide waits'), 'looked at elsewhere')


def listing(instructions, symbol=SYMBOL, architecture='90a'):
    code = ''.join(f'        /*{16 * i:04x}*/                   {text} ;   /* 0x{i:016x} */\n'
                   f'                                            /* 0x{i:016x} */\n'
                   for i, text in enumerate(instructions))
    return f'\tcode for sm_{architecture}\n\t\tFunction : {symbol}\n{code}'


def usage(registers=168, shared=1024, symbol=SYMBOL, architecture='90a'):
    return (f'arch = sm_{architecture}\n Function {symbol}:\n'
            f'  REG:{registers} STACK:0 SHARED:{shared} LOCAL:0 CONSTANT[0]:1040 TEXTURE:0\n')


def bounds(threads=384, symbol=SYMBOL, architecture='90a'):
    return (f'arch = sm_{architecture}\n.nv.info\n\tAttribute:\tEIATTR_REGCOUNT\n'
            f'\tValue:\tfunction: {symbol}(0x4)\tregister count: 168\n.nv.info.{symbol}\n'
            f'\tAttribute:\tEIATTR_MAX_THREADS\n\tFormat:\tEIFMT_SVAL\n\tValue:\t{threads:#x} 0x1 0x1 \n')


def kernels_of(instructions, registers=168, shared=1024, threads=384, architecture='90a'):
    kernels = {}
    machine_code.read_code(listing(instructions, architecture=architecture), kernels)
    machine_code.read_usage(usage(registers, shared, architecture=architecture), kernels)
    if threads is not None:
        machine_code.read_bounds(bounds(threads, architecture=architecture), kernels)
    return kernels


class Listings(unittest.TestCase):
    def wrong(self, *arguments, budgets=None, **named):
        return machine_code.check(BUDGET if budgets is None else budgets,
                                  kernels_of(*arguments, **named))

    def test_passes_what_is_well(self):
        self.assertEqual(self.wrong(GOOD), [])
        line = next(machine_code.table(BUDGET, kernels_of(GOOD)))
        self.assertIn('FusedOutputKernel', line)
        self.assertIn('168 registers   1024 shared  384 threads 12 warps    - loads    0 waits    - wide loads    0 '
                      'wide waits     12 instructions', line)

    def test_local_memory(self):
        for access in ('LDL.LU R30, [R1+0x4]', '@!P2 STL [R1], R13'):
            self.assertEqual(self.wrong(GOOD + [access]),
                             ['FusedOutputKernel on sm_90a: 1 accesses to local memory'])
        budget = {'FusedOutputKernel': {**BUDGET['FusedOutputKernel'], 'spill': 4}}
        self.assertEqual(self.wrong(GOOD + ['STL [R1], R13'], budgets=budget), [])

    def test_local_memory_without_a_budget(self):
        self.assertEqual(self.wrong(['STL [R1], R13'], budgets={}),
                         ['FusedOutputKernel on sm_90a: 1 accesses to local memory'])

    def test_the_number_of_instructions(self):
        self.assertEqual(self.wrong(GOOD[:6] + GOOD[7:]),
                         ['FusedOutputKernel on sm_90a: 1 HGMMA, expected 2'])

    def test_the_numbers_of_instructions_of_several_instantiations(self):
        def budgets(counts):
            return {'FusedOutputKernel': {'warps': {'90a': 12}, 'code': {'90a': {'HGMMA': counts}}}}
        self.assertEqual(self.wrong(GOOD, budgets=budgets([4, 2])), [])
        self.assertEqual(self.wrong(GOOD, budgets=budgets([4, 8])),
                         ['FusedOutputKernel on sm_90a: 2 HGMMA, expected 4 or 8'])

    def test_lanes_that_meet_between_wait_and_products(self):
        for meeting in ('BSSY B2, 0x400', 'BSYNC B2', 'WARPSYNC.ALL', '@P1 WARPSYNC R3'):
            for place in (5, 6, 8):
                self.assertEqual(
                    self.wrong(GOOD[:place] + [meeting] + GOOD[place:]),
                    [f'FusedOutputKernel on sm_90a: {meeting.replace("@P1 ", "").split()[0].split(".")[0]}'
                     ' between a wait and the products'])

    def test_products_that_wait_for_nothing(self):
        self.assertEqual(self.wrong([PRODUCT, PRODUCT]),
                         ['FusedOutputKernel on sm_90a: products without a wait before them'])

    def test_warps(self):
        self.assertEqual(self.wrong(GOOD, shared=120_000, threads=128, registers=64),
                         ['FusedOutputKernel on sm_90a: 4 warps on a multiprocessor, budget 12'])
        self.assertEqual(self.wrong(GOOD, threads=None),
                         ['FusedOutputKernel on sm_90a: None warps on a multiprocessor, budget 12'])

    def test_loads_in_flight(self):
        load = '@!P0 LDG.E.128.CONSTANT R{}, desc[UR4][R{}.64]'.format
        use = 'FADD R1, R{}, R2'.format
        (at_once,) = kernels_of([load(4, 20), load(8, 22), use(7), use(11), load(4, 20), 'EXIT']).values()
        self.assertEqual(at_once.waits, [2, 1])
        self.assertEqual(machine_code.mean_in_flight(at_once.waits), 1.5)
        # One's address, the other's result.
        (in_turn,) = kernels_of([load(4, 20), load(8, 6), load(8, 22), 'STG.E.128 [R2.64], R8']).values()
        self.assertEqual(in_turn.waits, [1, 1, 1])
        (pair,) = kernels_of([load(4, 20), 'IADD3 R1, R3.64, R2, RZ', 'LDS R9, [R2]']).values()
        self.assertEqual(pair.waits, [1])
        self.assertIsNone(machine_code.mean_in_flight([]))

    def test_loads_of_every_width(self):
        def waits(*instructions):
            (kernel,) = kernels_of(instructions).values()
            return kernel.waits, kernel.wide_waits
        for load, last in (('LDG.E R4, [R20.64]', 4), ('LDG.E.U8.SYS R4, [R20]', 4), ('LD.E.S16 R4, [R20.64]', 4),
                           ('@P1 LDG.E.64.CONSTANT R4, [R20.64]', 5), ('LDG.E.128 R4, [R20.64]', 7)):
            wide = '128' in load
            for register in range(4, 9):
                # Two loads at once if the instruction between does not touch the first one's result.
                found = waits(load, f'FADD R1, R{register}, R2', 'LDG.E.128 R8, [R22.64]', 'EXIT')
                touched = register <= last
                self.assertEqual(found, ([1, 1] if touched else [2],
                                         ([1, 1] if touched else [2]) if wide else [1]), (load, register))
        # Neither fills registers from global memory.
        for other in ('LDGSTS.E.128 [R4], [R20.64]', 'LDS.128 R4, [R20]', 'LDC R4, c[0x0][0x28]', 'LDL R4, [R1]',
                      'LDSM.16.M88.4 R4, [R20]', 'LDGDEPBAR', 'ATOMG.E.ADD R4, [R20.64], R3'):
            self.assertEqual(waits(other, 'FADD R1, R4, R2'), ([], []), other)

    def test_a_budget_of_loads(self):
        code = ['LDG.E R3, [R20.64]', 'LDG.E.128 R4, [R22.64]', 'IADD3 R1, R3, R4, RZ', 'EXIT']
        good = {'loads': {'90a': 2.0}, 'waits': {'90a': 1}, 'wide loads': {'90a': 1.0}, 'wide waits': {'90a': 1}}

        def wrong(**changed):
            budget = {'warps': {'90a': 12}, **good, **changed}
            return self.wrong(code, budgets={'FusedOutputKernel': {k: v for k, v in budget.items() if v is not None}})
        self.assertEqual(wrong(), [])
        for key, worse, words in (('loads', 2.1, '2.0 loads in flight, budget 2.1'),
                                  ('waits', 0, '1 waits for loads, budget 0'),
                                  ('wide loads', 1.5, '1.0 wide loads in flight, budget 1.5'),
                                  ('wide waits', 0, '1 wide waits for loads, budget 0')):
            found = good[key]['90a']
            self.assertEqual(wrong(**{key: {'90a': worse}}), [f'FusedOutputKernel on sm_90a: {words}'])
            missing = [f'FusedOutputKernel on sm_90a: no budget of {key}; found {found}']
            self.assertEqual(wrong(**{key: None}), missing)
            self.assertEqual(wrong(**{key: {'80': 0}}), missing)
            self.assertEqual(wrong(**{key: 'a reason'}), [])

    def test_loads_of_a_kernel_that_has_no_budget_at_all(self):
        self.assertEqual(self.wrong(['LDG.E R3, [R20.64]', 'MOV R1, R3'], budgets={}),
                         ['FusedOutputKernel on sm_90a: no budget of loads; found 1.0',
                          'FusedOutputKernel on sm_90a: no budget of waits; found 1'])

    def test_budgets_of_instantiations(self):
        budget = {'warps': {'90a': 12}, 'loads': {'90a': 1.0}, 'waits': {'90a': 2}}

        def wrong(code, expression):
            own = {expression: {'loads': {'90a': 2.0}, 'waits': {'90a': 1}}}
            return self.wrong(code, budgets={'FusedOutputKernel': {**budget, 'instantiations': own}})
        loads = ['LDG.E R3, [R20.64]', 'LDG.E R4, [R22.64]']
        at_once = [*loads, 'IADD3 R1, R3, R4, RZ']
        in_turn = [loads[0], 'MOV R1, R3', loads[1], 'MOV R1, R4']
        self.assertEqual(wrong(at_once, '6__halfLi4E'), [])
        self.assertEqual(wrong(in_turn, '6__halfLi4E'),
                         ['FusedOutputKernel on sm_90a, 6__halfLi4E: 1.0 loads in flight, budget 2.0',
                          'FusedOutputKernel on sm_90a, 6__halfLi4E: 2 waits for loads, budget 1'])
        self.assertEqual(wrong(in_turn, '6__halfLi8E'),
                         ['FusedOutputKernel on sm_90a: no instantiation matches 6__halfLi8E'])

    def test_the_table_of_loads(self):
        budget = {'FusedOutputKernel': {'instantiations': {'6__half': {}}}}
        kernels = kernels_of(['LDG.E R3, [R20.64]', 'LDG.E.128 R4, [R22.64]', 'IADD3 R1, R3, R4, RZ'])
        self.assertEqual([line.split() for line in machine_code.loads_table(budget, kernels)],
                         [['loads', 'of', 'any', 'width', 'sm_90a'], ['FusedOutputKernel', '2.0/1'],
                          ['6__half', '2.0/1'], [],
                          ['loads', 'of', '16', 'bytes', 'sm_90a'], ['FusedOutputKernel', '1.0/1'],
                          ['6__half', '1.0/1'], []])

    def test_an_architecture_without_a_budget(self):
        self.assertEqual(self.wrong(GOOD, architecture='100'),
                         ['FusedOutputKernel on sm_100: no budget of warps; found 12'])

    def test_a_kernel_that_begins_early(self):
        budgets = {'FusedOutputKernel': {'warps': {'90a': 12, '80': 12}, 'early': True, **ANY_LOADS}}
        self.assertEqual(self.wrong(['PREEXIT', 'ACQBULK'] + GOOD, budgets=budgets), [])
        self.assertEqual(self.wrong(GOOD, budgets=budgets),
                         ['FusedOutputKernel on sm_90a: no wait for the kernel before'])
        self.assertEqual(self.wrong(['LDG.E R2, [R2.64]', 'ACQBULK'] + GOOD, budgets=budgets),
                         ['FusedOutputKernel on sm_90a: LDG before the wait for the kernel before'])
        # On older cards nothing begins early.
        self.assertEqual(self.wrong(['EXIT'], architecture='80', threads=128, budgets=budgets), [])

    def test_a_kernel_that_is_gone(self):
        budgets = {**BUDGET, 'Gone': {'warps': {'90a': 1, '80': 1}}}
        self.assertEqual(self.wrong(GOOD, budgets=budgets), ['Gone: no code for sm_90a'])

    def test_objects_that_hold_nothing(self):
        self.assertIn('the objects have no kernel at all', machine_code.check({}, {}))


class Warps(unittest.TestCase):
    """Against CUDA's own arithmetic: cudaOccupancyMaxActiveBlocksPerMultiprocessor's, worked by hand."""

    def of(self, architecture, registers, shared, threads, more=0):
        (kernel,) = kernels_of(['EXIT'], registers, shared, threads, architecture).values()
        return machine_code.warps(kernel, architecture, more)

    def test_limits(self):
        self.assertEqual(self.of('90a', 16, 0, 1024), 64)  # warps
        self.assertEqual(self.of('75', 16, 0, 1024), 32)
        self.assertEqual(self.of('90a', 16, 0, 32), 32)  # blocks of a warp
        self.assertEqual(self.of('75', 16, 0, 32), 16)
        self.assertEqual(self.of('120', 16, 0, 1024), 32)  # 48 warps hold one block of 32
        self.assertEqual(self.of('121', 16, 0, 32), None)  # not known

    def test_registers(self):
        # 167 are given out as 168: 5,376 a warp, 12 of them.
        self.assertEqual(self.of('90a', 167, 0, 128), 12)
        self.assertEqual(self.of('80', 64, 0, 1024), 32)
        self.assertEqual(self.of('80', 65, 0, 1024), 0)  # a block does not fit

    def test_shared_memory(self):
        self.assertEqual(self.of('75', 32, 32768, 128), 8)
        self.assertEqual(self.of('86', 32, 32768, 128), 12)  # 33 KiB each, three are 99 of 100
        self.assertEqual(self.of('86', 32, 33792, 128), 8)
        self.assertEqual(self.of('90a', 168, 1024, 384, more=231_000), 12)


@unittest.skipUnless(os.environ.get('DRAGOMAN_NVCC') and os.environ.get('DRAGOMAN_CUOBJDUMP'),
                     'no CUDA compiler, or no cuobjdump')
class Planted(unittest.TestCase):
    def run_on(self, source, budgets, *flags):
        root = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, name) for name in ('planted.cu', 'planted.o', 'budgets.json')]
            with open(paths[0], 'w', encoding='utf8') as file:
                file.write(source)
            with open(paths[2], 'w', encoding='utf8') as file:
                json.dump(budgets, file)
            subprocess.run([os.environ['DRAGOMAN_NVCC'], '-std=c++20', '-O3', '--expt-relaxed-constexpr', *flags,
                            '-I', root, '-gencode=arch=compute_90a,code=sm_90a', '-c', paths[0], '-o', paths[1]],
                           check=True, capture_output=True, text=True)
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                status = machine_code.main([paths[2], paths[1]])
            return status, out.getvalue()

    def expect(self, status, words, *arguments):
        found, out = self.run_on(*arguments)
        self.assertEqual(found, status, out)
        self.assertIn(words, out)

    def test_a_spill(self):
        self.expect(1, 'accesses to local memory', SPILLS, {}, '-maxrregcount=24')
        _, out = self.run_on(SPILLS, {}, '-maxrregcount=255')
        self.assertIn('Spills', out)
        self.assertNotIn('local memory', out)

    # A product after a wait; with `between` lanes that go apart and meet again.
    PRODUCTS = '''
        #include "kernels/cuda/hopper.cuh"
        using namespace dragoman::kernels::cuda;
        __global__ void __launch_bounds__(128) Multiplies(float* out, const int* list, int waits) {
          extern __shared__ uint4 memory[];
          const uint32_t at = SharedAddress(memory);
          float x[128] = {};
          for (int i = 0; i < waits; ++i) {
            WaitForPhase(at, i & 1);
            %s
            PinAccumulator(x);
            FenceProducts();
            Product(__half{}, x, OperandOf(at + 1024), OperandOf(at + 32768), true);
            CommitProducts();
            WaitForProducts<0>();
            PinAccumulator(x);
          }
          for (int i = 0; i < 128; ++i) out[i * 128 + threadIdx.x] = x[i];
        }'''
    BETWEEN = '''
            if (list[threadIdx.x] > i) {
              for (int k = list[threadIdx.x]; k > 0; k = list[k]) x[0] += __int2float_rn(list[k + i]);
            }
            __syncwarp();'''

    def test_lanes_that_meet_between_wait_and_products(self):
        budgets = {'Multiplies': {'warps': {'90a': 8}, 'code': {'90a': {'HGMMA': 1}}, **ANY_LOADS}}
        self.expect(0, 'Multiplies', self.PRODUCTS % '', budgets)
        self.expect(1, 'between a wait and the products', self.PRODUCTS % self.BETWEEN, budgets)

    def test_a_kernel_that_begins_early(self):
        source = '''
            #include "kernels/cuda/kernel.cuh"
            __global__ void __launch_bounds__(128) Begins(float* out, int n) {
              %s
            }'''
        wait, store = 'dragoman::kernels::cuda::AwaitKernelBefore();', 'out[threadIdx.x] += 1.0F;'
        budgets = {'Begins': {'warps': {'90a': 64}, 'early': True, **ANY_LOADS}}
        self.expect(0, 'Begins', source % (wait + store), budgets)
        self.expect(1, 'before the wait for the kernel before', source % (store + wait), budgets)
        self.expect(1, 'no wait for the kernel before', source % '', budgets)
        # Weights may be brought before, where the budget says so, and nothing else.
        source = source.replace('#include', '#include "kernels/cuda/tensor_core.cuh"\n            #include', 1)
        copy = ('auto* piece = dragoman::kernels::cuda::DynamicShared<uint4>() + threadIdx.x;'
                'dragoman::kernels::cuda::CopyPiece(piece, out + 4 * threadIdx.x, true);')
        after = wait + 'dragoman::kernels::cuda::AwaitCopies(); out[threadIdx.x] = piece->x;'
        self.expect(1, 'LDGSTS before the wait', source % (copy + after), budgets)
        budgets = {'Begins': {'warps': {'90a': 64}, 'early': 'copies', **ANY_LOADS}}
        self.expect(0, 'Begins', source % (copy + after), budgets)
        self.expect(1, 'before the wait for the kernel before', source % (copy + store + after), budgets)


if __name__ == '__main__':
    unittest.main()
