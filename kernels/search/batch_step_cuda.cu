// The parts of a step (batch_step.h) on a device, and the threads that run them.
//
//   BeginStep, EndStep, FormatBatch
//                  one block of 1,024 threads, because a slot depends on all others. In a batch
//                  of 1,024 slots each thread has one slot, and a sum over the slots takes two
//                  barriers.
//   PrepareRows    one thread a row: the code walks short lists and has no work for a group.
//                  Further blocks, one warp a row, write the pages of the rows' K/V. One more
//                  block, in a launch of its own, lists the materialized rows.
//   StepSlots      two warps a slot, as many slots at a time as there are workspaces. A beam of 4
//                  needs only one warp. A beam of 64 has 64 rows, and 10,432 candidates if phrases
//                  are required.
//   FoldMaterializedRows
//                  one block of 256 threads a row, because the vocabulary is long
//   Deliver        one warp a slot: the results of a segment are some hundred words. There are at
//                  most as many running slots as rows, usually a quarter.
//
// Where the compiler would otherwise spill registers to fit more blocks on a multiprocessor, the
// launch bounds name the number of blocks. The code is compiled without fused multiply-add
// (-fmad=false).
// Each kernel waits until the kernel before it has ended and reads nothing before that.
#include "kernels/cuda/kernel.cuh"
#include "kernels/cuda/thread_block.cuh"
#include "kernels/search/batch_step_cuda.h"

namespace dragoman::kernels::cuda {
namespace {

constexpr int kBatchThreads = 1024;
constexpr int kPrepareThreads = 64;
// Blocks per multiprocessor, for the launch bounds: a thread then has at most 56 registers.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000
constexpr int kPrepareBlocks = 18;
#else
constexpr int kPrepareBlocks = 16;
#endif
constexpr int kSlotThreads = 64;
constexpr int kMaterializedThreads = 256;
constexpr int kDeliverThreads = 32;
// The number of rows whose pages one block writes.
constexpr int kPageRows = kPrepareThreads / kWarpThreads;
// The largest number of Deliver's blocks; if there are more slots, a block takes several. At 4,096
// rows, 1,024 slots of beam 4 have one block each, about 8 for each of 132 multiprocessors.
constexpr int64_t kDeliverBlocks = 1024;

__device__ const StepMailbox& MailboxOf(const BatchTables& tables, const StepMailboxes& mailboxes) {
  return mailboxes.mailbox[tables.now->step % kStepMailboxes];
}

struct AnyOptions {
  __device__ bool operator()(const SearchOptions&) const { return true; }
};

struct NotFused {
  __device__ bool operator()(const SearchOptions& o) const { return !MayFuse(o); }
};

__global__ void __launch_bounds__(kBatchThreads)
    FormatBatchKernel(const __grid_constant__ BatchTables tables) {
  __shared__ ThreadBlock::Shared shared;
  ::dragoman::kernels::FormatBatch(ThreadBlock(shared), tables);
}

__global__ void __launch_bounds__(kBatchThreads)
    BeginStepKernel(const __grid_constant__ BatchTables tables,
                    const __grid_constant__ StepMailboxes mailboxes) {
  __shared__ ThreadBlock::Shared shared;
  ::dragoman::kernels::BeginStep(ThreadBlock(shared), tables, MailboxOf(tables, mailboxes));
}

__global__ void __launch_bounds__(kPrepareThreads, kPrepareBlocks)
    PrepareRowsKernel(const __grid_constant__ BatchTables tables, int32_t request_blocks) {
  AwaitKernelBefore();
  const auto thread = static_cast<int32_t>(threadIdx.x);
  const auto block = static_cast<int32_t>(blockIdx.x);
  const int32_t rows = tables.now->plan.rows;
  if (block < request_blocks) {
    const int32_t row = block * kPrepareThreads + thread;
    if (row < rows) PrepareStepRow(tables, row);
  } else {
    const int32_t row = (block - request_blocks) * kPageRows + thread / kWarpThreads;
    if (row < rows) WriteRowPages(tables, row, thread % kWarpThreads, kWarpThreads);
  }
}

template <class Materialized>
__global__ void __launch_bounds__(kBatchThreads)
    ListMaterializedKernel(const __grid_constant__ BatchTables tables) {
  AwaitKernelBefore();
  __shared__ ThreadBlock::Shared shared;
  ListMaterializedRows(ThreadBlock(shared), tables, Materialized());
}

__global__ void __launch_bounds__(kMaterializedThreads, 2)
    FoldMaterializedKernel(const __grid_constant__ BatchTables tables, int32_t first, int32_t end) {
  AwaitKernelBefore();
  __shared__ ThreadBlock::Shared shared;
  const ThreadBlock group(shared);
  MaterializedRowWorkspace& workspace = tables.materialized_workspaces[blockIdx.x];
  const int32_t count = tables.now->materialized_count;
  if (count < end) end = count;
  for (auto i = static_cast<int32_t>(first + blockIdx.x); i < end; i += gridDim.x) {
    FoldMaterializedStepRow(group, tables, i, workspace);
  }
}

__global__ void __launch_bounds__(kSlotThreads, 8)
    StepSlotsKernel(const __grid_constant__ BatchTables tables) {
  AwaitKernelBefore();
  __shared__ ThreadBlock::Shared shared;
  const ThreadBlock group(shared);
  BeamStepWorkspace& workspace = tables.step_workspaces[blockIdx.x];
  const int32_t count = tables.now->plan.slot_count;
  for (auto i = static_cast<int32_t>(blockIdx.x); i < count; i += gridDim.x) {
    StepSlot(group, tables, i, workspace);
  }
}

__global__ void __launch_bounds__(kDeliverThreads)
    DeliverKernel(const __grid_constant__ BatchTables tables,
                  const __grid_constant__ StepMailboxes mailboxes) {
  AwaitKernelBefore();
  __shared__ ThreadBlock::Shared shared;
  const ThreadBlock group(shared);
  const StepMailbox& mailbox = MailboxOf(tables, mailboxes);
  const int32_t count = tables.now->order_count;
  for (auto i = static_cast<int32_t>(blockIdx.x); i < count; i += gridDim.x) {
    ::dragoman::kernels::Deliver(group, tables, i, mailbox);
  }
}

__global__ void __launch_bounds__(kBatchThreads)
    EndStepKernel(const __grid_constant__ BatchTables tables,
                  const __grid_constant__ StepMailboxes mailboxes) {
  AwaitKernelBefore();
  __shared__ ThreadBlock::Shared shared;
  ::dragoman::kernels::EndStep(ThreadBlock(shared), tables, MailboxOf(tables, mailboxes));
}

dim3 Blocks(int64_t wanted, int64_t most) {
  return {static_cast<unsigned>(wanted < most ? wanted : most)};
}

}  // namespace

Error FormatBatch(Stream stream, const BatchTables& tables) {
  return Launch(FormatBatchKernel, 1, kBatchThreads, 0, stream, tables);
}

Error BeginStep(Stream stream, const BatchTables& tables, const StepMailboxes& mailboxes) {
  return Launch(BeginStepKernel, 1, kBatchThreads, 0, stream, tables, mailboxes);
}

Error PrepareRows(Stream stream, const BatchTables& tables, int64_t rows, MaterializedList list) {
  if (rows <= 0 || rows > tables.limits.max_rows) return static_cast<Error>(cudaErrorInvalidValue);
  const int64_t requests = (rows + kPrepareThreads - 1) / kPrepareThreads;
  const int64_t pages = (rows + kPageRows - 1) / kPageRows;
  const Error prepared =
      LaunchEarly(PrepareRowsKernel, static_cast<unsigned>(requests + pages), kPrepareThreads, 0,
                  stream, tables, static_cast<int32_t>(requests));
  if (prepared != Error::kNone || list == MaterializedList::kNone) return prepared;
  return LaunchEarly(list == MaterializedList::kAll ? ListMaterializedKernel<AnyOptions>
                                                    : ListMaterializedKernel<NotFused>,
                     1, kBatchThreads, 0, stream, tables);
}

Error FoldMaterializedRows(Stream stream, const BatchTables& tables, int64_t first, int64_t n) {
  if (first < 0 || n < 0 || first + n > tables.limits.materialized_rows) {
    return static_cast<Error>(cudaErrorInvalidValue);
  }
  if (n == 0) return Error::kNone;
  return LaunchEarly(FoldMaterializedKernel, Blocks(n, tables.limits.materialized_workspaces),
                     kMaterializedThreads, 0, stream, tables, static_cast<int32_t>(first),
                     static_cast<int32_t>(first + n));
}

Error StepSlots(Stream stream, const BatchTables& tables, int64_t rows) {
  if (rows <= 0) return static_cast<Error>(cudaErrorInvalidValue);
  return LaunchEarly(StepSlotsKernel, Blocks(rows, tables.limits.workspaces), kSlotThreads, 0,
                     stream, tables);
}

Error Deliver(Stream stream, const BatchTables& tables, const StepMailboxes& mailboxes,
              int64_t rows) {
  if (rows <= 0) return static_cast<Error>(cudaErrorInvalidValue);
  return LaunchEarly(DeliverKernel, Blocks(rows, kDeliverBlocks), kDeliverThreads, 0, stream,
                     tables, mailboxes);
}

Error EndStep(Stream stream, const BatchTables& tables, const StepMailboxes& mailboxes) {
  return LaunchEarly(EndStepKernel, 1, kBatchThreads, 0, stream, tables, mailboxes);
}

}  // namespace dragoman::kernels::cuda
