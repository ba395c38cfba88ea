// The fused output layer for Hopper. The tensor cores compute the logits, hidden W^T. The threads
// reduce ("fold") the logits in the registers of the accumulators, so no logit reaches memory.
//
// Work for a vocabulary of V = 58,101 tokens, d = 512 and R rows. The numbers are computed, except
// those that are said to be measured.
//   flop      2 R V d. 1,024 rows take 61 Gflop, which is 77 us at 790 Tflop/s.
//   bytes     W is read from memory once: 59 MB, 14 us at 4.3 TB/s. W is read from L2 once for
//             every 128 rows: 0.48 GB for 1,024 rows. That is 128 flop per byte, or 6.2 TB/s if the
//             tensor cores run at their full rate. For each row and tile 8 bytes are written, which
//             is 0.2 % of the size of the logits.
//   epilogue  A logit takes about 7 instructions and one ex2. So a tile of 128 rows and 256 columns
//             takes 2,000 to 2,600 cycles of a multiprocessor. The tile's products take 8,192
//             cycles of its tensor cores. Measured on an H200, the epilogue takes about 4,100
//             cycles, which do not overlap with the products (tests/gpu/count/counted_output.cc).
// The time is at least the larger of the times for flop and for reading W. That is 14 us up to
// about 128 rows, 77 us for 1,024 rows and 308 us for 4,096. Measured on an H200 with the merge
// (tests/gpu/README.md), it is about 38 us for 4 rows, 168 us for 1,024 and 522 us for 4,096.
// Products and copies without the fold take 27, 91 and 322 us. The fold takes the rest, because
// most tiles have a candidate in some row of a warp.
//
// Shape. A block computes 128 rows and a range of tiles. A tile is 256 columns of the vocabulary.
// Two warpgroups compute 64 rows each; a third warpgroup copies. The vocabulary is the wide side of
// the product, so a thread has 64 columns of each of two rows. A row is folded in registers and by
// two shuffles. A slab is a part of d, for all rows and columns of a tile: 64 elements of 16 bits,
// or 128 bytes, the width of the swizzle.
//   d <= 512: The block's hidden rows stay in shared memory (128 KB if d is 512). Slabs of W (32
//             KB) come through a ring of 3 stages (if d is 512) to 6 stages.
//   d > 512:  The hidden rows do not fit. Their slabs (16 KB) come through a ring of 4 stages
//             together with the slabs of W. So a byte from L2 serves 85 flop. The hidden rows of
//             blocks of 64 rows would fit, but a byte would then serve only 64 flop.
// The two computing warpgroups use the same slabs, but one may be ahead of the other in the ring.
// So one can multiply while the other folds. With two accumulators a single warpgroup could do
// both, but the compiler then runs the products one after another or spills registers. Clusters of
// blocks that share slabs would gain nothing, because the kernel uses only 35 % of the rate of L2.
//
// Quantized products (e4m3 or int8, output_layer_cuda.h) work in the same way with elements of one
// byte. There are half as many slabs and bytes, and an instruction multiplies twice as many
// elements of d. With d = 512 a tile takes 4,096 cycles of the tensor cores, and the ring has 5
// stages. Sums of int8 are exact. They are converted to f32 when a tile is complete (128
// conversions in each thread). The tensor cores sum e4m3 with less precision than f32: they keep
// about 13 bits below the largest term. The scales of the row and the column are applied before the
// epilogue. A pair of logits then takes one more load, of two numbers, and three more
// multiplications.
//
// Results. A row's logit is the product's value plus the bias, times the row's scale. The maximum
// and the sum of exp are computed for each tile and merged in the order of tiles. The best tokens
// are a set under a total order. So no bit of a result depends on the number of blocks, or on the
// division of tiles among blocks.
//
// Barriers. Each stage of the ring has two barriers, full and empty (hopper.cuh). A phase of full
// ends when the copying thread has arrived, which announces the bytes of its copies, and these
// bytes have arrived. A phase of empty ends when each of the 8 computing warps has arrived. A stage
// is used many times. Before use u (0, 1, ..) the computing warps wait for the end of phase u of
// full, which has parity u % 2. Before use u the copying thread waits for the end of phase u - 1 of
// empty, which has parity (u + 1) % 2. For u = 0 this phase counts as ended.
#include <cuda.h>

#include <climits>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "kernels/cuda/element.cuh"
#include "kernels/cuda/fold_threads.cuh"
#include "kernels/cuda/hopper.cuh"
#include "kernels/cuda/kernel.cuh"
#include "kernels/cuda/quantization.cuh"
#include "kernels/ops/fused_output.cuh"
#include "kernels/ops/output_epilogue.cuh"
#include "kernels/ops/output_layer_cuda.h"

namespace dragoman::kernels::cuda {
namespace {

constexpr int kBlockRows = kFusedBlockRows;
constexpr int kGroupRows = 64;  // the number of rows that a warpgroup computes
constexpr int kGroupThreads = 128;
constexpr int kComputingGroups = kBlockRows / kGroupRows;
constexpr int kThreads = (kComputingGroups + 1) * kGroupThreads;
constexpr int kSlabBytes = 128;
template <class T>
constexpr int kSlab = kSlabBytes / static_cast<int>(sizeof(T));  // elements of d in a slab
constexpr uint32_t kHiddenSlabBytes = kBlockRows * kSlabBytes;
constexpr uint32_t kWeightSlabBytes = kTileColumns * kSlabBytes;
constexpr int kMaxStages = 6;
constexpr int kMaxResidentSlabs = 8;
constexpr int kMaxSlabs = 16;
// The number of registers of a thread. At entry each of the 384 threads has 65,536 / 384, rounded
// down to 168. Over the three warpgroups these numbers sum to 504. Afterwards a thread has 40 in
// the copying group and 232 in each of the two computing groups, which also sum to 504. With
// quantized products the numbers are 24 and 240, because scales need registers, too.
template <class T>
constexpr int kCopyingRegisters = sizeof(T) == 1 ? 24 : 40;
template <class T>
constexpr int kComputingRegisters = sizeof(T) == 1 ? 240 : 232;
// ptxas allots registers in multiples of 8.
constexpr int kRegistersAtEntry = 65536 / kThreads / 8 * 8;
// Reports whether the numbers are multiples of 8 and their sum does not exceed that at entry.
// Otherwise TakeRegisters would wait forever.
template <class T>
constexpr bool kRegistersFit = kCopyingRegisters<T> % 8 == 0 && kComputingRegisters<T> % 8 == 0 &&
                               kCopyingRegisters<T> + kComputingGroups* kComputingRegisters<T> <=
                                   (kComputingGroups + 1) * kRegistersAtEntry;

// The layout of shared memory. It begins at an address aligned to 1024. First come slabs of the
// hidden rows: all of them if `resident`, otherwise one for each stage. Then come slabs of W, one
// for each stage, then the barriers.
struct SharedPlan {
  static constexpr uint32_t kAlignment = 1024;
  static constexpr uint32_t kBarrierBytes = 8 * (1 + 2 * kMaxStages);

  int slabs = 0;  // number of slabs in d
  int stages = 0;
  bool resident = false;

  __host__ __device__ uint32_t HiddenBytes() const {
    return static_cast<uint32_t>(resident ? slabs : stages) * kHiddenSlabBytes;
  }
  __host__ __device__ uint32_t BarrierOffset() const {
    return HiddenBytes() + static_cast<uint32_t>(stages) * kWeightSlabBytes;
  }
  // Returns the number of bytes to allocate. It includes kAlignment bytes, because the allocation
  // may begin at an address that is not aligned.
  uint32_t Bytes() const { return kAlignment + BarrierOffset() + kBarrierBytes; }
};

SharedPlan PlanShared(int slabs, uint32_t limit) {
  SharedPlan plan;
  plan.slabs = slabs;
  plan.resident = slabs <= kMaxResidentSlabs;
  for (plan.stages = kMaxStages; plan.stages > 0 && plan.Bytes() > limit;) --plan.stages;
  return plan;
}

struct FusedArgs {
  SharedPlan shared;
  FusedWork work;
  QuantizedScales scales;
};

// The next stage of the ring, and the parity of its phase (see "Barriers" above).
struct Ring {
  int stages;
  int stage = 0;
  uint32_t parity = 0;

  __device__ void Advance() {
    if (++stage == stages) {
      stage = 0;
      parity ^= 1;
    }
  }
};

// The addresses of the parts of shared memory, as SharedAddress (hopper.cuh) returns them.
// `resident`, `full` and `empty` are barriers.
struct SharedMap {
  uint32_t hidden, weight, resident, full, empty;

  __device__ explicit SharedMap(const SharedPlan& plan, uint32_t start)
      : hidden((start + SharedPlan::kAlignment - 1) & ~(SharedPlan::kAlignment - 1)),
        weight(hidden + plan.HiddenBytes()),
        resident(hidden + plan.BarrierOffset()),
        full(resident + 8),
        empty(full + 8 * kMaxStages) {}
  __device__ uint32_t Hidden(int slab) const {
    return hidden + static_cast<uint32_t>(slab) * kHiddenSlabBytes;
  }
  __device__ uint32_t Weight(int stage) const {
    return weight + static_cast<uint32_t>(stage) * kWeightSlabBytes;
  }
  __device__ uint32_t Full(int stage) const { return full + static_cast<uint32_t>(stage) * 8; }
  __device__ uint32_t Empty(int stage) const { return empty + static_cast<uint32_t>(stage) * 8; }
};

// Copies all slabs that the computing threads use to shared memory, in the order of use. One thread
// calls it.
template <class T>
__device__ void CopySlabs(const CUtensorMap& hidden, const CUtensorMap& weight,
                          const FusedArgs& args, const SharedMap& map, int block_row, int range) {
  const SharedPlan& plan = args.shared;
  if (plan.resident) {
    ArriveExpecting(map.resident, static_cast<uint32_t>(plan.slabs) * kHiddenSlabBytes);
    for (int s = 0; s < plan.slabs; ++s) {
      CopyBox(map.Hidden(s), hidden, s * kSlab<T>, block_row, map.resident);
    }
  }
  Ring ring{plan.stages};
  const int first_tile = range * args.work.ranges.tiles;
  const int end_tile = min(args.work.tiles, first_tile + args.work.ranges.tiles);
  for (int tile = first_tile; tile < end_tile; ++tile) {
    for (int s = 0; s < plan.slabs; ++s, ring.Advance()) {
      WaitForPhase(map.Empty(ring.stage), ring.parity ^ 1);
      ArriveExpecting(map.Full(ring.stage),
                      plan.resident ? kWeightSlabBytes : kWeightSlabBytes + kHiddenSlabBytes);
      if (!plan.resident) {
        CopyBox(map.Hidden(ring.stage), hidden, s * kSlab<T>, block_row, map.Full(ring.stage));
      }
      CopyBox(map.Weight(ring.stage), weight, s * kSlab<T>, tile * kTileColumns,
              map.Full(ring.stage));
    }
  }
}

// Computes the products of a tile for the rows of one computing warpgroup. Multiplies the slabs in
// their order, each as soon as it has arrived.
template <class T>
__device__ void MultiplyTile(const SharedPlan& plan, const SharedMap& map, int group, Ring& ring,
                             typename ProductSum<T>::Type (&x)[128]) {
  const auto release = [&](int stage) {
    // One lane may arrive for the warp, because all lanes have waited for the warp's products.
    if (threadIdx.x % 32 == 0) Arrive(map.Empty(stage));
  };
  int before = 0;
  PinAccumulator(x);
  for (int s = 0; s < plan.slabs; ++s, ring.Advance()) {
    WaitForPhase(map.Full(ring.stage), ring.parity);
    const uint64_t a = OperandOf(map.Hidden(plan.resident ? s : ring.stage) +
                                 static_cast<uint32_t>(group) * (kGroupRows * kSlabBytes));
    const uint64_t b = OperandOf(map.Weight(ring.stage));
    FenceProducts();
#pragma unroll
    for (int i = 0; i < kSlabBytes / 32; ++i) {
      Product(T{}, x, a + i * kOperandStep, b + i * kOperandStep, s > 0 || i > 0);
    }
    CommitProducts();
    // Waits for the products of the previous slab, so that its stage is free.
    WaitForProducts<1>();
    if (s > 0) release(before);
    before = ring.stage;
  }
  WaitForProducts<0>();
  PinAccumulator(x);
  release(before);
}

// Returns the thread's number. The empty asm hides the number from the compiler, which would
// otherwise keep values derived from it in registers for too long.
__device__ inline int ThreadOfTile() {
  int thread = static_cast<int>(threadIdx.x);
  asm volatile("" : "+r"(thread));
  return thread;
}

// Returns the first of the two rows of a computing thread, within its block.
__device__ inline int FirstRowOf(int thread) {
  return thread / kGroupThreads * kGroupRows + thread % kGroupThreads / 32 * 16 + thread % 32 / 4;
}

// Computes the parts (fused_parts.h) of the block's rows for its range of tiles.
template <class T, int kBest>
__device__ __forceinline__ void FoldBlock(const CUtensorMap& hidden, const CUtensorMap& weight,
                                          const FusedArgs& args) {
  static_assert(kRegistersFit<T>);
  constexpr bool kQuantized = sizeof(T) == 1;
  AwaitKernelBefore();
  const SharedMap map(args.shared, SharedAddress(DynamicShared<unsigned char>()));
  const auto range = static_cast<int>(blockIdx.x);
  const int block_row = static_cast<int>(blockIdx.y) * kBlockRows;
  if (block_row >= *args.work.rows.count) return;
  if (threadIdx.x == 0) {
    InitBarrier(map.resident, 1);
    for (int i = 0; i < args.shared.stages; ++i) {
      InitBarrier(map.Full(i), 1);
      InitBarrier(map.Empty(i), kComputingGroups * kGroupThreads / 32);
    }
    FenceBarrierInit();
  }
  __syncthreads();

  // The shuffle tells the compiler that the value is the same in the whole warp.
  const int group = __shfl_sync(kAllLanes, static_cast<int>(threadIdx.x) / kGroupThreads, 0);
  if (group == kComputingGroups) {
    GiveRegisters<kCopyingRegisters<T>>();
    if (threadIdx.x == kComputingGroups * kGroupThreads) {
      CopySlabs<T>(hidden, weight, args, map, block_row, range);
    }
  } else {
    TakeRegisters<kComputingRegisters<T>>();
    const int warp = static_cast<int>(threadIdx.x) % kGroupThreads / 32;
    const int quad = static_cast<int>(threadIdx.x) % 32 / 4;
    const int lane = static_cast<int>(threadIdx.x) % 4;
    const int first_row = block_row + group * kGroupRows + warp * 16 + quad;
    Ring ring{args.shared.stages};
    FoldRange<kBest / 4>(args.work, first_row, range, lane, [&](int tile, float(&x)[128]) {
      // Waits for the hidden rows before the first tile. For later tiles it returns at once,
      // because the phase has ended.
      if (args.shared.resident) WaitForPhase(map.resident, 0);
      if constexpr (std::is_same_v<T, Int8>) {
        int32_t sum[128];
        TakeAccumulator(x, sum);
        MultiplyTile<T>(args.shared, map, group, ring, sum);
#pragma unroll
        for (int i = 0; i < 128; ++i) x[i] = static_cast<float>(sum[i]);
      } else {
        MultiplyTile<T>(args.shared, map, group, ring, x);
      }
      if constexpr (kQuantized) {
        const int thread = ThreadOfTile();
        ApplyScales(args.scales, block_row + FirstRowOf(thread),
                    static_cast<int>(args.work.rows.rows), tile, thread % 4, x);
      }
      return true;
    });
  }
}

template <class T, int kBest>
__global__ void __launch_bounds__(kThreads, 1)
    FusedOutputKernel(const __grid_constant__ CUtensorMap hidden,
                      const __grid_constant__ CUtensorMap weight,
                      const __grid_constant__ FusedArgs args) {
  FoldBlock<T, kBest>(hidden, weight, args);
}

// The kernels of quantized products. They are not instances of FusedOutputKernel, because the
// limits of registers (budgets.json) refer to kernels by name.
template <int kBest>
__global__ void __launch_bounds__(kThreads, 1)
    Int8OutputKernel(const __grid_constant__ CUtensorMap hidden,
                     const __grid_constant__ CUtensorMap weight,
                     const __grid_constant__ FusedArgs args) {
  FoldBlock<Int8, kBest>(hidden, weight, args);
}
template <int kBest>
__global__ void __launch_bounds__(kThreads, 1)
    Float8OutputKernel(const __grid_constant__ CUtensorMap hidden,
                       const __grid_constant__ CUtensorMap weight,
                       const __grid_constant__ FusedArgs args) {
  FoldBlock<Float8, kBest>(hidden, weight, args);
}

// cuTensorMapEncodeTiled is looked up in the installed driver at run time, because the program does
// not link with the driver.
using EncodeTiled = decltype(&cuTensorMapEncodeTiled);

EncodeTiled FindEncodeTiled() {
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
  constexpr unsigned kSince = 12000;  // the CUDA version of this function's signature
#if defined(CUDART_VERSION) && CUDART_VERSION < 12050
  static_cast<void>(kSince);  // unused: before CUDA 12.5 this function has one version only
  const cudaError_t status =
      cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &entry, cudaEnableDefault, &found);
#else
  const cudaError_t status = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry,
                                                              kSince, cudaEnableDefault, &found);
#endif
  if (status != cudaSuccess || found != cudaDriverEntryPointSuccess) return nullptr;
  return reinterpret_cast<EncodeTiled>(entry);
}

// Makes the tensor map of a dense matrix [rows, d] whose elements have `element_bytes` bytes. A box
// is `box_rows` rows by one slab, with the 128-byte swizzle. Rows after the end arrive as zeros.
bool EncodeMatrix(EncodeTiled encode, CUtensorMapDataType element, int element_bytes,
                  const void* data, int64_t rows, int d, int box_rows, CUtensorMap* map) {
  const cuuint64_t size[2] = {static_cast<cuuint64_t>(d), static_cast<cuuint64_t>(rows)};
  const cuuint64_t row_bytes[1] = {static_cast<cuuint64_t>(d) *
                                   static_cast<cuuint64_t>(element_bytes)};
  const cuuint32_t box[2] = {static_cast<cuuint32_t>(kSlabBytes / element_bytes),
                             static_cast<cuuint32_t>(box_rows)};
  const cuuint32_t step[2] = {1, 1};
  return encode(map, element, 2, const_cast<void*>(data), size, row_bytes, box, step,
                CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

using FusedKernel = void (*)(CUtensorMap, CUtensorMap, FusedArgs);

template <class T, int kBest>
FusedKernel KernelOf() {
  if constexpr (std::is_same_v<T, Int8>) {
    return Int8OutputKernel<kBest>;
  } else if constexpr (std::is_same_v<T, Float8>) {
    return Float8OutputKernel<kBest>;
  } else {
    return FusedOutputKernel<T, kBest>;
  }
}

template <class T>
FusedKernel KernelFor(int list_entries) {
  return list_entries == 4   ? KernelOf<T, 4>()
         : list_entries == 8 ? KernelOf<T, 8>()
                             : KernelOf<T, 16>();
}

int SlabOf(QuantizedType quantized) {
  return quantized == QuantizedType::kNone ? kSlab<__half> : kSlab<Int8>;
}

class HopperOutput final : public FoldedOutput {
 public:
  HopperOutput(ComputeType type, QuantizedType quantized, int d, int vocabulary)
      : FoldedOutput(type, quantized, d, vocabulary, 1) {}

  // The part of CreateHopperOutput that uses the device. Returns "" on success, otherwise the
  // reason of the failure.
  std::string Prepare(const void* weight, const float* bias);

 private:
  Error FoldTiles(Stream stream, const void* hidden, const QuantizedScales& scales,
                  const FusedWork& work, int64_t row_blocks, int list_entries) const override;
  FusedKernel Kernel(int list_entries) const {
    if (products() == QuantizedType::kFloat8) return KernelFor<Float8>(list_entries);
    if (products() == QuantizedType::kInt8) return KernelFor<Int8>(list_entries);
    return type() == ComputeType::kFloat16 ? KernelFor<__half>(list_entries)
                                           : KernelFor<__nv_bfloat16>(list_entries);
  }
  // Makes the tensor map of rows in the type that the products multiply.
  bool Encode(const void* data, int64_t rows, int box_rows, CUtensorMap* map) const {
    if (products() != QuantizedType::kNone) {
      return EncodeMatrix(encode_, CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, data, rows, d(), box_rows,
                          map);
    }
    return EncodeMatrix(encode_,
                        type() == ComputeType::kFloat16 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16
                                                        : CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
                        2, data, rows, d(), box_rows, map);
  }

  SharedPlan shared_;
  EncodeTiled encode_ = nullptr;
  CUtensorMap weight_{};
};

std::string HopperOutput::Prepare(const void* weight, const float* bias) {
  int limit = 0;
  std::string why = PrepareParts(&weight, bias, &limit);
  if (!why.empty()) return why;
  shared_ = PlanShared(d() / SlabOf(products()), static_cast<uint32_t>(limit));
  if (shared_.stages < 2) return "too little shared memory";
  // Sets the kernel's limit of shared memory to the limit of the device. This layer may need less,
  // but layers of other models use the same kernel and may need more.
  for (const int list : kFusedLists) {
    const cudaError_t status =
        cudaFuncSetAttribute(reinterpret_cast<const void*>(Kernel(list)),
                             cudaFuncAttributeMaxDynamicSharedMemorySize, limit);
    if (status != cudaSuccess) return cudaGetErrorString(status);
  }
  encode_ = FindEncodeTiled();
  if (encode_ == nullptr) return "the driver has no cuTensorMapEncodeTiled";
  if (!Encode(weight, vocabulary(), kTileColumns, &weight_)) {
    return "the driver refuses the weights' tensor map";
  }
  return "";
}

Error HopperOutput::FoldTiles(Stream stream, const void* hidden, const QuantizedScales& scales,
                              const FusedWork& work, int64_t row_blocks, int list_entries) const {
  CUtensorMap hidden_map;
  if (!Encode(hidden, work.rows.rows, kBlockRows, &hidden_map)) {
    return static_cast<Error>(cudaErrorInvalidValue);
  }
  const dim3 grid(static_cast<unsigned>(work.ranges.ranges), static_cast<unsigned>(row_blocks));
  return LaunchEarly(Kernel(list_entries), grid, kThreads, shared_.Bytes(), stream, hidden_map,
                     weight_, FusedArgs{shared_, work, scales});
}

}  // namespace

std::unique_ptr<FusedOutput> CreateHopperOutput(ComputeType type, QuantizedType quantized,
                                                const void* weight, const float* bias, int d,
                                                int vocabulary, std::string* why) {
  cudaFuncAttributes code{};
  const int slab = SlabOf(quantized);
  if (type == ComputeType::kFloat32) {
    *why = "float32 has no such products";
  } else if (d <= 0 || d % slab != 0 || d / slab > kMaxSlabs) {
    *why = quantized == QuantizedType::kNone ? "d is not a multiple of 64 up to 1024"
                                             : "d is not a multiple of 128 up to 2048";
  } else if (const cudaError_t status =
                 cudaFuncGetAttributes(&code, KernelFor<__half>(kFusedLists[0]));
             status != cudaSuccess) {
    *why = std::string("its code, sm_90a's, does not run on this device: ") +
           cudaGetErrorString(status);
  } else {
    auto fused = std::make_unique<HopperOutput>(type, quantized, d, vocabulary);
    *why = fused->Prepare(weight, bias);
    if (why->empty()) return fused;
  }
  // Clears the last CUDA error of this thread, which the check of the next launch would otherwise
  // report.
  static_cast<void>(cudaGetLastError());
  return nullptr;
}

}  // namespace dragoman::kernels::cuda
