// The inner loops of AVX2 with full 8-bit weights, for tests that run on any x86-64 with AVX2. They
// give the results of the instruction sets that do without vpmaddubsw. No build of the program
// contains them.
#include "tests/kernels/ops/quantized_avx2_long.h"

#define DRAGOMAN_ISA avx2_long
#define DRAGOMAN_LANES 8
#define DRAGOMAN_VNNI 0
#define DRAGOMAN_BF16 0
#define DRAGOMAN_AMX 0
#define DRAGOMAN_QUANTIZED_ONLY 1
#define DRAGOMAN_LONG_WEIGHTS 1
#include "kernels/cpu/kernels.inc"

namespace dragoman::kernels::cpu {
namespace {
const QuantizedTable kQuantized = avx2_long::MakeQuantizedTable();
}

const IsaEntry kAvx2Long = {Isa::kAvx2, "avx2_long", &kAvx2Kernels, &kQuantized, true};

}  // namespace dragoman::kernels::cpu
