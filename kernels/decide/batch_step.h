// One step of a whole batch, in parts: the text that runs between the host's command and its
// output.
//
//   BeginStep    one team          what has ended leaves, admissions enter, the plan is made
//   AskStepRow   each row          what it asks, its newest token
//   (the model)                    folds
//   FoldStoredStepRow  each stored row, one team
//   StepSlot     each slot that ran, one team: its beam step
//   Deliver      each occupied slot, one team: results, settled tokens
//   EndStep      one team          the counts
//
// Each part begins when the one before it is through everywhere; within a part the teams run in any
// order or at once, and what they decide does not depend on it. Which delivery comes first does.
#pragma once

#include <cstdint>

#include "kernels/decide/batch_tables.h"
#include "kernels/decide/step_port.h"

namespace dragoman {

// Reads the command. Slots that it cancels, and those whose end was delivered, leave: their pages
// are free. Admitted segments begin in their order, while the rule of pages holds (MayAdmit).
template <class Team>
DRAGOMAN_HD void BeginStep(const Team& team, const BatchTables& tables, const StepPort& port);

// Row `row` < plan.rows: its query, its empty fold, its newest token. By one thread.
DRAGOMAN_HD void AskStepRow(const BatchTables& tables, int32_t row);

// Lists the rows for which `stored(options)` holds, ascending: now->stored_count of them.
template <class Team, class Stored>
DRAGOMAN_HD void ListStoredRows(const Team& team, const BatchTables& tables, Stored stored);

// Of those, number `index`, if its logits were asked for whole: FoldStoredRow.
template <class Team>
DRAGOMAN_HD void FoldStoredStepRow(const Team& team, const BatchTables& tables, int32_t index,
                                   StoredRowWorkspace& workspace);

// The beam step of number `index` of the slots that ran.
template <class Team>
DRAGOMAN_HD void StepSlot(const Team& team, const BatchTables& tables, int32_t index,
                          BeamStepWorkspace& workspace);

// Reports what number `index` of the occupied slots has to tell, if there is room in the output.
template <class Team>
DRAGOMAN_HD void Deliver(const Team& team, const BatchTables& tables, int32_t index,
                         const StepPort& port);

template <class Team>
DRAGOMAN_HD void EndStep(const Team& team, const BatchTables& tables, const StepPort& port);

}  // namespace dragoman
