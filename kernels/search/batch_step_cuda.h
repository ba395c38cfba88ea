// Functions that launch the parts of a step (batch_step.h) as CUDA kernels. In the kernels each
// thread block acts as one ThreadGroup.
//
// `tables` and `mailboxes` are structs in host memory that hold device pointers. They are passed to
// the kernels by value. The device counts the steps, and the step's number selects the mailbox.
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

// Which rows PrepareRows lists as materialized.
enum class MaterializedList {
  kNone,      // none: the host knows that there is no such row
  kNotFused,  // rows whose segments may not use the fused output layer (output_layer_cuda.h)
  kAll,
};

// Prepares the rows of a step of up to `rows` rows: their requests, their tables of K/V pages, and
// the list of materialized rows.
Error PrepareRows(Stream stream, const BatchTables& tables, int64_t rows, MaterializedList list);

// Folds the materialized rows number first .. first + n - 1. Numbers beyond the list are ignored.
Error FoldMaterializedRows(Stream stream, const BatchTables& tables, int64_t first, int64_t n);

// Runs the beam steps of the slots that ran, in a step of up to `rows` rows.
Error StepSlots(Stream stream, const BatchTables& tables, int64_t rows);
// Writes the deliveries of all slots. The launch is sized for `rows` slots; if there are more, it
// takes longer.
Error Deliver(Stream stream, const BatchTables& tables, const StepMailboxes& mailboxes,
              int64_t rows);
Error EndStep(Stream stream, const BatchTables& tables, const StepMailboxes& mailboxes);

}  // namespace dragoman::kernels::cuda
