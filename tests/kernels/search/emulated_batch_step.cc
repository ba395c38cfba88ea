#include "tests/kernels/cuda_emulation/emulation.h"
// Includes all headers of the .cu before `cuda` is renamed below.
#include "kernels/cuda/thread_block.cuh"
#include "kernels/search/batch_step_cuda.h"
#include "tests/kernels/search/emulated_batch_step.h"

namespace dragoman::kernels::emulated {
using namespace cuda;  // NOLINT(google-build-using-namespace)
}

#define cuda emulated
#include "kernels/search/batch_step_cuda.cu"
#undef cuda

#include <cstdlib>

namespace dragoman::testing {
namespace {

void Check(kernels::cuda::Error error) {
  if (error != kernels::cuda::Error::kNone) std::abort();
}

// Checks that every position has the page that the ancestry names.
void CheckRowPages(const kernels::BatchTables& tables) {
  for (int32_t row = 0; row < tables.now->plan.rows; ++row) {
    const int32_t* const lanes = tables.slot_lanes + tables.row_slot[row] * kernels::kMaxSlotLanes;
    const int64_t own = lanes[tables.row_lane[row]];
    for (int32_t p = 0; p <= tables.row_position[row]; ++p) {
      const int64_t writer = p == tables.row_position[row]
                                 ? own
                                 : lanes[tables.lanes.ancestry[own * tables.lanes.stride + p]];
      const int32_t page =
          tables.lane_pages[writer * tables.limits.pages_per_lane() + p / kernels::kPagePositions];
      const int32_t found = tables.row_pages[row * tables.limits.row_page_stride() + p];
      if (page < 0 || page >= tables.limits.self_pages || found != page) std::abort();
    }
  }
}

kernels::cuda::StepMailboxes MailboxesOf(const kernels::StepMailbox* mailboxes) {
  return {{mailboxes[0], mailboxes[1]}};
}

}  // namespace

void EmulatedRunner::Format(const kernels::BatchTables& tables) {
  Check(kernels::emulated::FormatBatch(nullptr, tables));
}

void EmulatedRunner::Before(const kernels::BatchTables& tables,
                            const kernels::StepMailbox* mailboxes) {
  Check(kernels::emulated::BeginStep(nullptr, tables, MailboxesOf(mailboxes)));
  Check(kernels::emulated::PrepareRows(nullptr, tables, tables.limits.max_rows,
                                       kernels::cuda::MaterializedList::kNotFused));
  CheckRowPages(tables);
}

// Launches for as many rows as there may be, in two parts, because a real host does not know their
// number.
void EmulatedRunner::After(const kernels::BatchTables& tables,
                           const kernels::StepMailbox* mailboxes) {
  const int64_t half = tables.limits.materialized_rows / 2;
  Check(kernels::emulated::FoldMaterializedRows(nullptr, tables, 0, half));
  Check(kernels::emulated::FoldMaterializedRows(nullptr, tables, half,
                                                tables.limits.materialized_rows - half));
  Check(kernels::emulated::StepSlots(nullptr, tables, tables.limits.max_rows));
  // Launched for few rows, so that some of the blocks have several slots.
  Check(kernels::emulated::Deliver(nullptr, tables, MailboxesOf(mailboxes), 2));
  Check(kernels::emulated::EndStep(nullptr, tables, MailboxesOf(mailboxes)));
}

}  // namespace dragoman::testing
