// The parts of a step (batch_step.h) as launches. One block is a ThreadGroup.
//
// `tables` and `mailboxes` are host values that hold device pointers; they are passed by value into
// the kernels. The mailbox of a step is the one of its number, which the device counts.
#pragma once

#include <cstdint>

#include "kernels/cuda/launch.h"
#include "kernels/search/batch_step.h"

namespace dragoman::kernels::cuda {

struct StepMailboxes {
  StepMailbox mailbox[kStepMailboxes];
};

Error FormatBatch(Stream stream, const BatchTables& tables);
Error BeginStep(Stream stream, const BatchTables& tables, const StepMailboxes& mailboxes);

// Which rows are listed as materialized.
enum class MaterializedList {
  kNone,      // the host knows that there is no such row
  kNotFused,  // those whose segments may not fuse (output_layer_cuda.h)
  kAll,
};

// Requests of up to `rows` rows, where their K/V lie, and the list of materialized rows.
Error PrepareRows(Stream stream, const BatchTables& tables, int64_t rows, MaterializedList list);

// Folds those of the materialized rows first .. first + n - 1 that exist.
Error FoldMaterializedRows(Stream stream, const BatchTables& tables, int64_t first, int64_t n);

// The beam steps of the slots that ran, in a step of up to `rows` rows.
Error StepSlots(Stream stream, const BatchTables& tables, int64_t rows);
// Writes the deliveries of all slots of the batch. Made for a step of up to `rows` rows; more slots
// take it longer.
Error Deliver(Stream stream, const BatchTables& tables, const StepMailboxes& mailboxes,
              int64_t rows);
Error EndStep(Stream stream, const BatchTables& tables, const StepMailboxes& mailboxes);

}  // namespace dragoman::kernels::cuda
