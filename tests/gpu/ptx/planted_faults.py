#!/usr/bin/env python3
"""Plants faults in the PTX of the product's kernels, runs a case of their own suites on it, and expects that the
PTX device finds and names each of them.

    planted_faults.py FOLDER [--architectures 90a,80,75] [NAME...]

FOLDER has the programs ptx_*_test with the PTX of these architectures, of 90a and 80 unless they are named. A fault is a regular expression and what takes the place of every match. Expected is a finding of its kind at an
instruction that begins as said; of "values", which no rule of the ISA forbids, that the case itself fails.
"""
import argparse
import os
import re
import subprocess
import sys
from typing import NamedTuple

class Case(NamedTuple):
    suite: str  # of ptx_SUITE_test
    module: str  # whose PTX is changed
    filter: str
    architecture: str = '90a'


FEW = Case('few_rows', 'few_rows_cuda', '*SumsInTheOrderOfK/Cuda_float16')
NORM = Case('row_norm_device', 'layer_norm_cuda', '*AgreesWithDouble/Cuda_float16')
NORM_IN_PLACE = Case('row_norm_device', 'layer_norm_cuda', '*KeepsTheSumInTheResidualsPlace/Cuda_float16')
ENCODER = Case('encoder_attention_device', 'encoder_attention_cuda', '*AgreesWithDoubleWithinSegments/Cuda_float16')
FUSED = Case('output_device', 'output_layer_sm90', '*ABadLogitCountsUnlessItIsExcluded/Cuda_float16')

# Of more tiles than the ring of slabs has places.
FUSED_LONG = Case('output_device', 'output_layer_sm90', '*FusedRowsAreBitEqualInAnyShapeOfStep/Cuda_float16')

# The same by mma, on sm_80.
MMA = Case('output_device', 'output_layer_mma', '*ABadLogitCountsUnlessItIsExcluded/Cuda_float16', '80')
# Quantized products, of int8 and, on sm_90a, e4m3; and the rows that they read.
QUANTIZED = Case('output_device', 'output_layer_sm90', '*QuantizedOutputTest.AnswersAreThoseOfTheRule/Cuda_float16')
QUANTIZED_MMA = Case('output_device', 'output_layer_mma', '*QuantizedOutputTest.AnswersAreThoseOfTheRule/Cuda_float16', '80')
QUANTIZE_ROWS = Case('quantize_rows', 'quantize_rows_cuda', '*NumbersAreTheNearestAndScalesTheRowsLargest/Cuda_float16')
# Products of layers in int8.
LAYER = Case('quantized_linear', 'quantized_linear_cuda', '*EveryElementIsThatOfTheRuleInEveryForm/Cuda_float16')

# On sm_75, whose tensor cores multiply 8 x 8 x 16 and whose copies go through registers.
LAYER_75 = LAYER._replace(architecture='75')
ENCODER_75 = ENCODER._replace(architecture='75')
NORM_75 = NORM._replace(architecture='75')

SEARCH = Case('search', 'batch_step_cuda', '*CancellationsAndOutputsReadOneStepLate')

TRY_WAIT = r'mbarrier\.try_wait\.parity\.shared::cta\.b64 over, (\[%r\d+\]), (%r\d+);'
EXPECT = r'mbarrier\.arrive\.expect_tx\.shared::cta\.b64 _, (\[%r\d+\]), (%r\d+);'
HALF_A_WARP = '{ .reg .pred q; .reg .b32 l; mov.u32 l, %laneid; setp.lt.u32 q, l, 16; @q '

# name, where, what is found, what is put there, kind of the finding, the instruction.
FAULTS = [
    ('barrier_taken_out', FEW, r'bar\.sync\s+0;', '', 'race', 'ldmatrix'),
    ('copies_not_waited_for', FEW, r'cp\.async\.wait_all;', '', 'race', 'ldmatrix'),
    ('wait_group_off_by_one', FEW, r'cp\.async\.wait_all;', 'cp.async.commit_group; cp.async.wait_group 1;', 'race',
     'ldmatrix'),
    ('ldmatrix_transposed', FEW, r'x4\.shared\.b16', 'x4.trans.shared.b16', 'values', ''),
    ('copy_misaligned', FEW, r'(cp\.async\.cg\.shared\.global \[%r\d+)\]', '$1+8]', 'misaligned', 'cp.async'),
    ('copy_past_the_end', FEW, r'(cp\.async\.cg\.shared\.global \[%r\d+\], \[%rd\d+)\]', '$1+1048576]',
     'out of bounds', 'cp.async'),
    ('ldmatrix_past_the_end', FEW, r'(ldmatrix[^\[]*\[%r\d+)\]', '$1+262144]', 'out of bounds', 'ldmatrix'),
    ('mma_by_half_a_warp', FEW, r'(mma\.sync[^;]*;)', HALF_A_WARP + '$1 }', 'missing lanes', 'mma'),
    ('ldmatrix_by_half_a_warp', FEW, r'(ldmatrix[^;]*;)', HALF_A_WARP + '$1 }', 'missing lanes', 'ldmatrix'),
    ('store_misaligned', FEW, r'(st\.global\.u32\s+\[%rd\d+)\]', '$1+2]', 'misaligned', 'st.global'),
    ('two_writers_of_one_word', FEW, r'st\.global\.u32\s+\[(%rd\d+)\], (%r\d+);',
     '{ .reg .b64 a; and.b64 a, $1, -64; st.global.u32 [a], $2; }', 'race', 'st.global'),
    ('operands_of_mma_exchanged', FEW, r'\{(%r\d+), (%r\d+)\}, \{%f', '{$2, $1}, {%f', 'values', ''),
    ('shuffle_with_half_a_mask', NORM, r'(shfl\.sync\.bfly\.b32[^;]*, )%r\d+;', '$1 65535;', 'undefined value',
     'shfl'),
    ('shuffle_by_half_a_warp', NORM, r'(shfl\.sync\.bfly\.b32[^;]*;)', HALF_A_WARP + '$1 }', 'missing lanes', 'shfl'),
    ('shuffle_of_another_distance', NORM, r'mov\.u32\s+(%r\d+), 16;', 'mov.u32 $1, 8;', 'values', ''),
    ('barrier_by_half_a_warp', NORM, r'bar\.sync\s+0;', HALF_A_WARP + 'bar.sync 0; }', 'missing lanes', 'bar.sync'),
    ('barrier_that_a_warp_skips', NORM, r'bar\.sync\s+0;',
     '{ .reg .pred q; .reg .b32 l; mov.u32 l, %tid.y; setp.ne.u32 q, l, 0; @q bar.sync 0; }', 'race', 'ld.shared'),
    ('shared_not_written', NORM, r'st\.shared\.f32[^;]*;', '', 'uninitialised', 'ld.shared'),
    ('load_past_the_end', NORM, r'(ld\.global\.v4\.u32\s+\{[^}]*\}, \[%rd\d+)\]', '$1+1048576]', 'out of bounds',
     'ld.global'),
    ('vector_misaligned', NORM, r'(ld\.global\.v4\.u32\s+\{[^}]*\}, \[%rd\d+)\]', '$1+4]', 'misaligned', 'ld.global'),
    ('warp_barrier_taken_out', NORM_IN_PLACE, r'bar\.warp\.sync\s+-1;', '', 'race', 'st.global'),
    ('barrier_taken_out_of_attention', ENCODER, r'bar\.sync\s+0;', '', 'race', ''),
    ('transposition_taken_out', ENCODER, r'x4\.trans\.shared\.b16', 'x4.shared.b16', 'values', ''),
    ('product_waited_for_too_late', FUSED, r'wgmma\.wait_group\.sync\.aligned 0;', 'wgmma.wait_group.sync.aligned 1;',
     'undefined value', ''),
    ('slab_released_too_early', FUSED_LONG, r'wgmma\.wait_group\.sync\.aligned 1;', 'wgmma.wait_group.sync.aligned 2;',
     'race', ''),
    ('stride_of_descriptor_halved', FUSED, '4611686293305360384', '4611686155866406912', 'values', ''),
    ('descriptor_without_swizzle', FUSED, '4611686293305360384', '274877972480', 'undefined value', 'wgmma'),
    ('fence_of_products_taken_out', FUSED, r'wgmma\.fence\.sync\.aligned;', '', 'undefined value', 'wgmma'),
    ('commit_taken_out', FUSED, r'wgmma\.commit_group\.sync\.aligned;', '', 'undefined value', ''),
    ('arrive_taken_out', FUSED_LONG, r'mbarrier\.arrive\.shared::cta\.b64 _, \[%r\d+\];', '', 'deadlock', ''),
    ('bytes_not_announced', FUSED, EXPECT, 'mbarrier.arrive.shared::cta.b64 _, $1;', 'race', ''),
    ('too_many_bytes_announced', FUSED, EXPECT,
     '{ .reg .b32 n; add.u32 n, $2, 16; mbarrier.arrive.expect_tx.shared::cta.b64 _, $1, n; }', 'deadlock', ''),
    ('parity_wrong', FUSED, TRY_WAIT,
     '{ .reg .b32 n; xor.b32 n, $2, 1; mbarrier.try_wait.parity.shared::cta.b64 over, $1, n; }', '', ''),
    ('count_of_mbarrier_too_large', FUSED, r'(mbarrier\.init\.shared::cta\.b64 \[%r\d+\]), (%r\d+);',
     '{ .reg .b32 n; add.u32 n, $2, 1; $1, n; }', 'deadlock', ''),
    ('block_does_not_wait_for_init', FUSED, r'bar\.sync\s+0;', '', 'misused barrier', ''),
    ('box_misaligned', FUSED, r'(cp\.async\.bulk[^\[]*)\[(%r\d+)\]([^;]*;)',
     '{ .reg .b32 n; add.u32 n, $2, 128; $1 [n] $3 }', 'misaligned', 'cp.async.bulk'),
    ('slab_waited_for_too_late', MMA, r'cp\.async\.wait_group 2;', 'cp.async.wait_group 3;', 'race', 'ldmatrix'),
    ('slab_read_without_a_barrier', MMA, r'bar\.sync\s+0;', '', 'race', ''),
    ('copies_not_committed', MMA, r'cp\.async\.commit_group;', '', 'race', 'ldmatrix'),
    ('slab_copied_past_the_end', MMA, r'(cp\.async\.cg\.shared\.global \[%r\d+\], \[%rd\d+)\]', '$1+1048576]',
     'out of bounds', 'cp.async'),
    ('slab_loaded_transposed', MMA, r'x4\.shared\.b16', 'x4.trans.shared.b16', 'values', ''),
    ('swizzle_not_a_permutation', MMA, r'xor\.b32', 'or.b32', 'race', 'cp.async'),
    ('products_by_half_a_warp', MMA, r'(mma\.sync[^;]*;)', HALF_A_WARP + '$1 }', 'missing lanes', 'mma'),
    ('scales_added', QUANTIZED, r'mul\.rn\.f32', 'add.rn.f32', 'values', ''),
    ('fence_of_quantized_products_taken_out', QUANTIZED, r'wgmma\.fence\.sync\.aligned;', '', 'undefined value', 'wgmma'),
    ('quantized_slab_loaded_transposed', QUANTIZED_MMA, r'x4\.shared\.b16', 'x4.trans.shared.b16', 'values', ''),
    ('row_read_past_the_end', QUANTIZE_ROWS, r'(ld\.global\.v4\.u32\s+\{[^}]*\}, \[%rd\d+)\]', '$1+1048576]',
     'out of bounds', 'ld.global'),
    ('largest_of_half_a_row', QUANTIZE_ROWS, r'mov\.u32\s+(%r\d+), 16;', 'mov.u32 $1, 8;', 'values', ''),
    ('layers_slab_waited_for_too_late', LAYER, r'cp\.async\.wait_group 1;', 'cp.async.wait_group 2;', 'race',
     'ldmatrix'),
    ('layers_barrier_taken_out', LAYER, r'bar\.sync\s+0;', '', 'race', ''),
    ('layers_slab_loaded_transposed', LAYER, r'x4\.shared\.b16', 'x4.trans.shared.b16', 'values', ''),
    ('layers_slab_copied_past_the_end', LAYER, r'(cp\.async\.cg\.shared\.global \[%r\d+\], \[%rd\d+)\]', '$1+1048576]',
     'out of bounds', 'cp.async'),
    ('layers_scales_added', LAYER, r'mul\.f32', 'add.f32', 'values', ''),
    ('turings_products_by_half_a_warp', LAYER_75, r'(mma\.sync\.aligned\.m8n8k16[^;]*;)', HALF_A_WARP + '$1 }',
     'missing lanes', 'mma'),
    ('turings_operands_exchanged', LAYER_75, r'\{(%r\d+)\}, \{(%r\d+)\}, \{', '{$2}, {$1}, {', 'values', ''),
    ('turings_barrier_taken_out', LAYER_75, r'bar\.sync\s+0;', '', 'race', ''),
    ('turings_slab_loaded_transposed', LAYER_75, r'x4\.shared\.b16', 'x4.trans.shared.b16', 'values', ''),
    ('turings_slab_stored_past_the_end', LAYER_75, r'(st\.shared\.v4\.u32\s+\[%r\d+)\]', '$1+262144]', 'out of bounds',
     'st.shared'),
    ('turings_slab_loaded_past_the_end', LAYER_75, r'(ld\.global\.v4\.u32\s+\{[^}]*\}, \[%rd\d+)\]', '$1+1048576]',
     'out of bounds', 'ld.global'),
    ('plain_attention_loads_past_the_end', ENCODER_75, r'(ld\.global\.[^\[;]*\[%rd\d+)\]', '$1+1048576]', 'out of bounds',
     'ld.global'),
    ('plain_attentions_shuffle_by_half_a_warp', ENCODER_75, r'(shfl\.sync\.bfly\.b32[^;]*;)', HALF_A_WARP + '$1 }',
     'missing lanes', 'shfl'),
    ('turings_shuffle_by_half_a_warp', NORM_75, r'(shfl\.sync\.bfly\.b32[^;]*;)', HALF_A_WARP + '$1 }', 'missing lanes',
     'shfl'),
    ('kernel_before_not_waited_for', FUSED, r'griddepcontrol\.wait;', '', 'race', 'ld.global'),
    ('step_before_not_waited_for', SEARCH, r'griddepcontrol\.wait;', '', 'race', ''),
]


def run(folder, fault):
    """'' if the fault was found, or what happened instead."""
    name, case, find, put, kind, instruction = fault
    environment = dict(os.environ, DRAGOMAN_PTX_ARCH=case.architecture, DRAGOMAN_PTX_PLANT_IN=case.module,
                       DRAGOMAN_PTX_PLANT_FIND=find, DRAGOMAN_PTX_PLANT_PUT=put)
    program = [os.path.join(folder, f'ptx_{case.suite}_test'), f'--gtest_filter={case.filter}', '--gtest_fail_fast']
    done = subprocess.run(program, env=environment, capture_output=True, text=True, timeout=300, check=False)
    if not re.search(r'^PTX device: planted [1-9]', done.stdout, re.M):
        return 'nothing was planted: ' + done.stdout[-500:] + done.stderr[-500:]
    if done.returncode == 0:
        return 'nothing was found, the case passed'
    if kind == 'values':
        return ''
    findings = re.findall(r'^PTX device: ([a-z ]+): (.*)$', done.stdout, re.M)
    for found, text in findings:
        at = re.search(r'PTX line \d+: ([^;]*)', text)
        if found == (kind or found) and (not instruction or (at and at.group(1).startswith(instruction))):
            return ''
    return f'expected {kind} at {instruction}, found ' + '; '.join(f'{f}: {t[:300]}' for f, t in findings)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('folder')
    p.add_argument('--architectures', default='90a,80')
    p.add_argument('names', nargs='*', help='all without any')
    a = p.parse_intermixed_args()
    unknown = set(a.names) - {fault[0] for fault in FAULTS}
    if unknown:
        p.error(f'no fault is called {", ".join(sorted(unknown))}')
    asked = [fault for fault in FAULTS if not a.names or fault[0] in a.names]
    faults = [fault for fault in asked if fault[1].architecture in re.split('[,;]', a.architectures)]
    missed = 0
    for fault in faults:
        trouble = run(a.folder, fault)
        missed += bool(trouble)
        print(f'{fault[0]}: ' + (trouble or 'found'), flush=True)
    print(f'{len(faults) - missed} found, {missed} missed, {len(asked) - len(faults)} of other architectures')
    sys.exit(missed != 0 or not faults)


if __name__ == '__main__':
    main()
